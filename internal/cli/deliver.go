package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/journal"
)

const (
	// deliverTime bounds a delivery that the person waits for.
	deliverTime = 500 * time.Millisecond
	// deliverEnd is how long the end of the program waits for one.
	deliverEnd = 100 * time.Millisecond
)

// deliver brings what waits in journals, of whatever session, into the store.
// The person is told of what is delivered, and of what never can be. Anything
// else, such as a session that another process has open, waits on in silence:
// doctor shows it.
func (a *app) deliver(ctx context.Context, store ikigai.Store, notice func(string)) {
	dirs := a.places().journals()
	for id, events := range waiting(dirs) {
		err := deliverSession(ctx, store, id, dirs)
		switch {
		case err == nil && events > 0:
			notice(fmt.Sprintf("%d events of the session %s had waited in a journal. They are in the database now.", events, id))
		case errors.Is(err, ikigai.ErrFenced), errors.Is(err, ikigai.ErrConflict):
			notice(sentence(strings.ReplaceAll(err.Error(), "\n", "; ")) + " Keep the file: its events are in no database.")
		}
	}
}

// deliverNow delivers before the caller looks for a session, which may be one
// of those that wait.
func (a *app) deliverNow(ctx context.Context, store ikigai.Store, notice func(string)) {
	ctx, cancel := context.WithTimeout(ctx, deliverTime)
	defer cancel()
	a.deliver(ctx, store, notice)
}

// deliverBehind delivers while the caller goes on. The caller calls end before
// it closes the store.
func (a *app) deliverBehind(ctx context.Context, store ikigai.Store, notice func(string)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.deliver(ctx, store, notice)
	}()
	return func() {
		defer time.AfterFunc(deliverEnd, cancel).Stop()
		<-done
		cancel()
	}
}

// waiting returns the sessions that have a journal in dirs that may be
// delivered, with the number of events that are whole.
func waiting(dirs []string) map[ikigai.ID]int {
	sessions := map[ikigai.ID]int{}
	for _, dir := range dirs {
		list, _ := journal.List(dir) // doctor tells of what cannot be read
		for _, w := range list {
			switch {
			case w.Aside:
			case w.Damaged:
				sessions[w.Session] += 0 // what stands before the damage is not lost
			default:
				sessions[w.Session] += w.Events
			}
		}
	}
	return sessions
}

// deliverSession delivers what waits of one session that nobody has open.
func deliverSession(ctx context.Context, store ikigai.Store, id ikigai.ID, dirs []string) error {
	grant, giveBack, err := store.Acquire(ctx, id)
	if err != nil {
		return err
	}
	return errors.Join(journal.Deliver(ctx, grant, store, dirs...), giveBack())
}
