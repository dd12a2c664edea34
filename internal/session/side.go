package session

import (
	"context"
	"fmt"
	"slices"

	"ikigai"
)

// Side is a side interaction: a Recorder whose events are part of the session,
// and of no other interaction.
type Side struct {
	session *Session
	name    string
	view    Projection
}

// Side begins a side interaction. view makes its projection, which takes in the
// session's events from the first of the interaction on, until End. The name of
// the interaction is its purpose and the number of its first event, so no two of
// a session are the same. The error is that the session is closed.
func (s *Session) Side(what string, d ikigai.InteractionData, view func(name string) Projection) (*Side, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil, errClosed
	}
	side := &Side{session: s, name: fmt.Sprintf("%s-%d", d.Purpose, s.head+ikigai.Seq(len(s.held))+1)}
	side.view = view(side.name)
	s.config.Projections = append(slices.Clip(s.config.Projections), side.view)
	begin := ikigai.NewEvent(ikigai.KindInteraction, what, d)
	begin.Interaction = side.name
	s.accept([]ikigai.Event{begin})
	return side, nil
}

// Name returns the name of the interaction.
func (i *Side) Name() string { return i.name }

// Record implements ikigai.Recorder.
func (i *Side) Record(ctx context.Context, events ...ikigai.Event) (ikigai.Durability, error) {
	return i.session.Record(ctx, i.own(events)...)
}

// Queue implements ikigai.Recorder.
func (i *Side) Queue(events ...ikigai.Event) { i.session.Queue(i.own(events)...) }

// Show implements ikigai.Recorder. Nobody watches a side interaction as it is
// written.
func (i *Side) Show(ikigai.Delta) {}

// End ends the interaction: its projection takes in nothing more.
func (i *Side) End() {
	i.session.mu.Lock()
	defer i.session.mu.Unlock()
	i.session.config.Projections = slices.DeleteFunc(slices.Clone(i.session.config.Projections),
		func(p Projection) bool { return p == i.view })
}

// own makes events those of the interaction.
func (i *Side) own(events []ikigai.Event) []ikigai.Event {
	events = slices.Clone(events)
	for n := range events {
		events[n].Interaction = i.name
	}
	return events
}
