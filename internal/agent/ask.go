package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ikigai"
)

// Candidate is a model that can be asked where another does not answer: for
// want of capacity, money, a key or a connection, once all attempts have
// failed. What refuses the request itself is not asked around with, and a reply
// of which the person has seen a part is not begun anew.
type Candidate struct {
	Name     string // vendor/model, for the record
	Model    ikigai.Model
	Level    ikigai.Level
	NoFormat bool // the model cannot be held to a Format

	Context   int // tokens that a request and its reply may have; 0 where nobody knows
	MaxOutput int // tokens of a reply where Agent.MaxOutput does not say; 0 where nobody knows
}

// candidates returns the models to ask, the first first.
func (a *Agent) candidates() []Candidate {
	first := Candidate{Name: a.ModelName, Model: a.Model, Level: a.Level, NoFormat: a.NoFormat,
		Context: a.Context, MaxOutput: a.UsualOutput}
	return append([]Candidate{first}, a.Fallbacks...)
}

// asking is the state of a statement between its requests.
type asking struct {
	candidates  []Candidate // that are left; the first is asked
	quarantined int
	brokenOff   int  // replies that ended before any of their text was seen
	corrected   bool // the model was told that its answer does not fit
	shrunk      bool // a vendor has found the conversation too long
}

// ask sends the conversation to the model until there is a whole reply. What
// takes too much room is sent in fewer words, what a vendor refuses is left out, and a model that cannot answer is replaced, for
// the rest of the statement. With an error comes what there was of the reply.
func (a *Agent) ask(ctx context.Context, asked *asking, choice ikigai.ToolChoice) (*reply, error) {
	fitted := ""
	for {
		c := asked.candidates[0]
		if c.Name != fitted {
			if err := a.makeRoom(ctx, c); err != nil {
				return new(reply), err
			}
			fitted = c.Name
		}
		r, err := a.send(ctx, c, choice)
		if err == nil || ctx.Err() != nil {
			return r, err
		}
		if a.again(ctx, asked, r, err) {
			continue
		}
		event, ok := a.shrink(ctx, asked, r, err)
		if !ok {
			event, ok = a.quarantine(asked, r, err)
		}
		if !ok {
			event, ok = asked.fallBack(r, err)
		}
		if !ok {
			a.quarantineStatement(r, err)
			return r, err
		}
		a.breakOff(r, err.Error())
		if _, err := a.Recorder.Record(ctx, event); err != nil {
			return r, closed(err)
		}
	}
}

// maxBrokenOff is how many times in a statement a reply that broke off is asked
// for once more.
const maxBrokenOff = 2

// again waits a little and reports true where a reply broke off of which the
// person has seen nothing but thinking: what is asked for once more doubles no
// text, and no call of it was acted upon. Before a reply begins, the vendor's
// package sends a request again by itself.
func (a *Agent) again(ctx context.Context, asked *asking, r *reply, err error) bool {
	var e *ikigai.Error
	if !errors.As(err, &e) || !brokeOff(e.Kind) || !r.begun() || !r.unseen() || asked.brokenOff >= min(maxBrokenOff, a.MaxRetries) {
		return false
	}
	asked.brokenOff++
	wait := time.Duration(asked.brokenOff) * time.Second
	a.breakOff(r, err.Error())
	a.Recorder.Show(ikigai.Delta{Retry: &ikigai.Retry{Attempt: asked.brokenOff, Of: min(maxBrokenOff, a.MaxRetries) + 1, After: wait, Err: e}})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done(): // the next attempt ends at once
	}
	return true
}

// brokeOff reports whether an error of kind k can end a reply in its middle, and
// need not happen again.
func brokeOff(k ikigai.ErrorKind) bool {
	switch k {
	case ikigai.ErrorIncomplete, ikigai.ErrorNetwork, ikigai.ErrorServer, ikigai.ErrorOverloaded:
		return true
	}
	return false
}

// fallBack goes on to the next model, if the one that was asked does not answer
// and another is left, and returns the event that says so.
func (s *asking) fallBack(r *reply, err error) (ikigai.Event, bool) {
	var e *ikigai.Error
	if len(s.candidates) < 2 || !errors.As(err, &e) || !unanswered(e.Kind) || !r.unseen() {
		return ikigai.Event{}, false
	}
	s.candidates = s.candidates[1:]
	to := s.candidates[0].Name
	return ikigai.NewEvent(ikigai.KindFallback,
		fmt.Sprintf("%s. %s is asked instead for the rest of this statement.", e.What, to),
		ikigai.FallbackData{From: r.model, To: to, Kind: e.Kind, Status: e.Status}), true
}

// unanswered reports whether an error of kind k says that a model cannot be had
// now, whatever it is asked.
func unanswered(k ikigai.ErrorKind) bool {
	switch k {
	case ikigai.ErrorRateLimit, ikigai.ErrorQuota, ikigai.ErrorOverloaded, ikigai.ErrorServer, ikigai.ErrorTimeout,
		ikigai.ErrorNetwork, ikigai.ErrorIncomplete, ikigai.ErrorModel, ikigai.ErrorAuth, ikigai.ErrorPermission:
		return true
	}
	return false
}
