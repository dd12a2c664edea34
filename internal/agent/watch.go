package agent

import (
	"context"
	"sync"
	"time"

	"ikigai"
)

// Watcher finds out what tools change that do not announce it, by looking at
// the working directory before and after. Its methods are called one at a time.
type Watcher interface {
	// Begin is called when a request goes out: from now on nobody waits for the
	// processor. It returns at once, and does nothing but the first time.
	Begin()

	// Before is called right before such a tool runs. It returns within a few
	// seconds, and false if what this run changes cannot be found.
	Before(ctx context.Context) bool

	// After is called once the tool has run, if Before returned true. It hands
	// change events of what is different now to record, some at a time, and
	// returns within some seconds.
	After(ctx context.Context, callID string, record func(...ikigai.Event))
}

// watching is the state of an Agent that looks for what tools have changed.
type watching struct {
	looking chan struct{} // closed when what the last tool changed is recorded; nil if there is nothing to wait for

	// recording keeps changes that are found beside the way from coming between
	// a request and the event that records it.
	recording sync.Mutex
}

// leaveTime is how long the person, who has stopped the turn, waits for what a
// tool has changed to be recorded.
const leaveTime = 2 * time.Second

// watch reports whether changes of a tool that is about to run will be found.
func (a *Agent) watch(ctx context.Context, t *ikigai.Tool) bool {
	if t.ReadOnly {
		return false
	}
	a.settle(ctx) // what comes now is not the tool's before it
	return a.Watcher != nil && !t.Announces && a.Watcher.Before(ctx)
}

// look finds what a tool has changed, while the model thinks.
func (a *Agent) look(ctx context.Context, callID string) {
	done := make(chan struct{})
	a.watching.looking = done
	go func() {
		defer close(done)
		a.Watcher.After(context.WithoutCancel(ctx), callID, func(events ...ikigai.Event) {
			a.watching.recording.Lock()
			defer a.watching.recording.Unlock()
			for i, e := range events {
				events[i] = a.likeBefore(e)
			}
			_, _ = a.Recorder.Record(ctx, events...) // an error is that the session is closed
		})
	}()
}

// settle waits until what the last tool changed is recorded.
func (a *Agent) settle(ctx context.Context) {
	if a.watching.looking == nil {
		return
	}
	select {
	case <-a.watching.looking:
	case <-ctx.Done():
		timer := time.NewTimer(leaveTime)
		defer timer.Stop()
		select {
		case <-a.watching.looking:
		case <-timer.C:
		}
	}
	a.watching.looking = nil
}
