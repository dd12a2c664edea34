package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/journal"
	"ikigai/internal/render"
)

const (
	// deliverTime bounds a delivery that the person waits for.
	deliverTime = 2 * time.Second
	// deliverEnd is how long the end of the program waits for one.
	deliverEnd = 100 * time.Millisecond
)

// deliver brings what waits in the journals of a database, of whatever session,
// into its store. The person is told of what is delivered, and of what never
// can be. Anything else, such as a session that another process has open, waits
// on in silence: doctor shows it. Where the store is away, so does everything.
func deliver(ctx context.Context, store ikigai.Store, dirs []string, notice func(string)) {
	if _, away := store.(noStore); away {
		return
	}
	for id, events := range waiting(dirs) {
		done, err := deliverSession(ctx, store, id, dirs)
		for _, d := range done {
			if err == nil || d.Fork != "" { // a part of it is told of with the rest
				notice(delivered(d))
			}
		}
		if errors.Is(err, ikigai.ErrConflict) && events > 0 {
			notice(sentence(strings.ReplaceAll(err.Error(), "\n", "; ")) + " Keep the file: its events are in no database.")
		}
	}
}

// delivered tells where events are that had waited.
func delivered(d journal.Delivery) string {
	had := fmt.Sprintf("%s of the session %s had waited in a journal.", render.Count(d.Events, "event"), d.Session)
	if d.Fork == "" {
		return had + " They are in the database now."
	}
	return fmt.Sprintf("%s Another process had gone on with it meanwhile: they are in the new session %s, a fork of %s after event %d.",
		had, d.Fork, d.Parent, d.At)
}

// deliverNow delivers before the caller looks for a session, which may be one
// of those that wait.
func (a *app) deliverNow(ctx context.Context, store ikigai.Store, notice func(string)) {
	ctx, cancel := context.WithTimeout(ctx, deliverTime)
	defer cancel()
	deliver(ctx, store, a.places().journals(), notice)
}

// deliverTo delivers what waits for a database other than the one in force.
func (a *app) deliverTo(ctx context.Context, store ikigai.Store, p places) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	deliver(ctx, store, p.journals(), a.notice)
}

// deliverBehind delivers while the caller goes on. The caller calls end before
// it closes the store.
func (a *app) deliverBehind(ctx context.Context, store ikigai.Store, notice func(string)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer crash.Guard()
		deliver(ctx, store, a.places().journals(), notice)
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
func deliverSession(ctx context.Context, store ikigai.Store, id ikigai.ID, dirs []string) ([]journal.Delivery, error) {
	release, err := journal.Hold(id, dirs...)
	if err != nil {
		return nil, err
	}
	defer release()
	grant, giveBack, err := store.Acquire(ctx, id)
	if err != nil {
		return nil, err
	}
	done, err := journal.Deliver(ctx, grant, store, dirs...)
	return done, errors.Join(err, giveBack())
}
