package cli

import (
	"fmt"
	"slices"
	"time"

	"ikigai"
	"ikigai/internal/crash"
)

const (
	// glanceTime is how often the person sees what a running tool prints.
	glanceTime = 100 * time.Millisecond
	// silence is how long nothing may happen before the person is told what
	// is being waited for.
	silence = time.Second
	// maxProgress is how much of what a tool prints between two glances is kept.
	maxProgress = 4 << 10
)

// watch tells the person at a terminal what is being waited for, until the
// function that it returns is called.
func (v *view) watch() (stop func()) {
	if v.json || !v.live.Terminal {
		return func() {}
	}
	done := make(chan struct{})
	ticker := time.NewTicker(glanceTime)
	go func() {
		defer crash.Guard()
		for {
			select {
			case now := <-ticker.C:
				v.glance(now)
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}

// glance shows what has changed since the last one.
func (v *view) glance(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w := &v.waits
	if w.since.IsZero() {
		return
	}
	if len(w.progress) > 0 {
		v.write(v.live.Progress(w.printing, w.progress))
		w.progress = w.progress[:0]
	}
	if left := w.again.Sub(now); left > 0 {
		v.write(v.live.Tick(0, fmt.Sprintf("sending again in %d s, attempt %d of %d", int64((left+time.Second-1)/time.Second), w.attempt, w.of)))
		return
	}
	if elapsed := now.Sub(w.since); elapsed >= silence {
		v.write(v.live.Tick(elapsed.Truncate(time.Second), w.what()))
	}
}

// prints takes what a running tool prints.
func (v *view) prints(callID string, p []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w := &v.waits
	if callID != w.printing {
		w.printing, w.progress = callID, w.progress[:0]
	}
	w.progress = append(w.progress, p[max(0, len(p)-maxProgress):]...)
	if n := len(w.progress) - maxProgress; n > 0 {
		w.progress = append(w.progress[:0], w.progress[n:]...)
	}
}

// waits is what the person waits for while nothing else happens.
type waits struct {
	since    time.Time // since when; zero while nothing is to be told
	open     []openCall
	progress []byte // what a running tool has printed and nobody has seen
	printing string // the call that printed it
	arriving bool   // the model is sending a call
	aside    string // what a side interaction does that is waited for by itself; "" if there is none

	again       time.Time // when the request is sent again
	attempt, of int       // which one it will be, of how many at most
}

// openCall is a call without a result.
type openCall struct{ id, summary string }

// awaits notes what is waited for once e is recorded: the first call that has
// no result, or the model. What happens in side interactions is waited for as a
// part of it, but for a summary, which takes long and comes before the request,
// and for the message of a commit.
func (w *waits) awaits(e ikigai.Event) {
	if e.Interaction != ikigai.Main {
		var d ikigai.InteractionData
		if e.Kind != ikigai.KindInteraction || e.DecodeData(&d) != nil || d.Parent != ikigai.Main {
			return
		}
		switch d.Purpose {
		case ikigai.PurposeSummary:
			w.since, w.aside = time.Now(), "summing up the conversation"
		case ikigai.PurposeCommit:
			w.since, w.aside = time.Now(), "writing the commit message"
		}
		return
	}
	switch e.Kind {
	case ikigai.KindToolCall:
		var d ikigai.ToolCallData
		_ = e.DecodeData(&d) // without an ID, its result will not be found either
		w.open = append(w.open, openCall{d.ID, e.Content})
	case ikigai.KindToolResult:
		var d ikigai.ToolResultData
		_ = e.DecodeData(&d)
		w.open = slices.DeleteFunc(w.open, func(c openCall) bool { return c.id == d.ToolCallID })
		w.progress = nil // the result holds it
	case ikigai.KindUser:
		w.open = nil
	case ikigai.KindRequest, ikigai.KindUsage, ikigai.KindChange, ikigai.KindTitle, ikigai.KindGoal, ikigai.KindObjective:
		return
	}
	w.since, w.again, w.arriving, w.aside = time.Now(), time.Time{}, false, ""
}

// retries notes that the request will be sent again.
func (w *waits) retries(r ikigai.Retry) {
	w.again = time.Now().Add(r.After)
	w.attempt, w.of = r.Attempt+1, r.Of
	w.since = w.again
}

// what returns what is waited for.
func (w *waits) what() string {
	switch {
	case len(w.open) > 0:
		return "running " + w.open[0].summary
	case w.arriving:
		return "receiving a call"
	case w.aside != "":
		return w.aside
	}
	return "waiting for the model"
}

// quiet tells that nothing is waited for until something happens.
func (w *waits) quiet() { w.since, w.progress = time.Time{}, nil }
