package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ikigai"
)

// Fitter keeps the conversation within what a model takes.
type Fitter interface {
	// Tokens returns how many tokens the next request is likely to have.
	Tokens() int64
	// Full reports whether the conversation has come so near to a budget, in
	// tokens, that it is to be sent in fewer words.
	Full(budget int64) bool
	// Refused returns the budget to which the conversation was brought down when
	// a model's vendor refused it last; 0 if that never happened.
	Refused(model string) int64
	// Compact returns the event after which the conversation takes fewer tokens,
	// and false if it would not take noticeably fewer, or if ctx has ended. A
	// budget of 0 is not known. Nothing else of the conversation is recorded
	// meanwhile.
	Compact(ctx context.Context, model, reason string, budget int64) (ikigai.Event, bool)
}

// usualReply is how many tokens are kept for a reply where nobody says.
const usualReply = 8_000

// budget returns how many tokens of c's context a request may take; 0 where
// nobody knows.
func (a *Agent) budget(c Candidate) int64 {
	refused := a.Fitter.Refused(c.Name)
	if c.Context == 0 {
		return refused
	}
	budget := int64(c.Context - min(cmp.Or(a.MaxOutput, c.MaxOutput, usualReply), c.Context/4))
	if refused > 0 {
		budget = min(budget, refused)
	}
	return budget
}

// makeRoom puts the conversation in fewer words if it has come near the end of what c
// takes, once for a request. The error says that it does not fit even then.
func (a *Agent) makeRoom(ctx context.Context, c Candidate) error {
	if a.Fitter == nil {
		return nil
	}
	budget := a.budget(c)
	if budget == 0 || !a.Fitter.Full(budget) {
		return nil
	}
	if event, ok := a.Fitter.Compact(ctx, c.Name, ikigai.FitBudget, budget); ok {
		if _, err := a.Recorder.Record(ctx, event); err != nil {
			return closed(err)
		}
	}
	if tokens := a.Fitter.Tokens(); c.Context > 0 && tokens > int64(c.Context) {
		what, do := "it has", "Shorten the statement, go back with `ikigai sessions rewind`, or choose a model with a larger context"
		if mostlyStanding(a.History.Request()) {
			what = "with instructions and tools, which are the most of it, it has"
			do = "See with `ikigai context` what takes the room, and begin a session with less of that, or choose a model with a larger context"
		}
		return &ikigai.Error{Kind: ikigai.ErrorContext,
			What: fmt.Sprintf("The conversation does not fit %s, which takes %d tokens: %s about %d, and cannot be sent in fewer words", c.Name, c.Context, what, tokens),
			Do:   do}
	}
	return nil
}

// mostlyStanding reports whether the greater part of a request is what all those
// of its session have, which no statement and no rewind makes shorter: the system
// prompt, with the instructions in it, and the tools. The bytes of images tell
// nothing of their tokens, so with any it is taken for the smaller part.
func mostlyStanding(r ikigai.Request) bool {
	standing, said := 0, 0
	for _, t := range r.Tools {
		standing += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range r.Messages {
		parts := m.Parts
		switch {
		case m.Kind == ikigai.KindSystem:
			standing += len(m.Content)
		case m.Call != nil:
			said += len(m.Call.Arguments)
		case m.Result != nil:
			said += len(m.Result.Output)
			parts = m.Result.Parts
		default:
			said += len(m.Content)
		}
		for _, p := range parts {
			if p.Type != ikigai.PartText {
				return false
			}
			said += len(p.Text)
		}
	}
	return standing > said
}

// shrink returns the event after which a conversation that its vendor finds too
// long takes fewer tokens: once in a statement, whatever the vendor says then.
func (a *Agent) shrink(ctx context.Context, asked *asking, r *reply, err error) (ikigai.Event, bool) {
	var e *ikigai.Error
	if a.Fitter == nil || asked.shrunk || !errors.As(err, &e) || !tooLong(e) || !r.unseen() {
		return ikigai.Event{}, false
	}
	asked.shrunk = true
	c := asked.candidates[0]
	return a.Fitter.Compact(ctx, c.Name, ikigai.FitRefused, a.budget(c))
}

// tooLong reports whether a vendor refuses a request for its length, and no one
// message in it.
func tooLong(e *ikigai.Error) bool {
	return e.Kind == ikigai.ErrorContext || e.Kind == ikigai.ErrorTooLarge && e.Message == 0
}
