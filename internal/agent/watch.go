package agent

import (
	"context"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/crash"
)

// Watcher finds out what tools change that do not announce it, by looking at
// the working directory before and after. Its methods may be called at once by
// several agents, whose tools then run at the same time.
type Watcher interface {
	// Begin is called when a request goes out: from now on nobody waits for the
	// processor. It returns at once, and does nothing but the first time.
	Begin()

	// Before is called right before such a tool runs. It returns within a few
	// seconds. Unless it is nil, after is to be called once the tool has run: it
	// returns within some seconds, and by then change events of all that is
	// different have been handed to record, some at a time, or one that says why
	// they were not found. Where tools run at the same time each difference is
	// handed to one record alone.
	Before(ctx context.Context, callID string, record func(...ikigai.Event)) (after func(context.Context))

	// Announce is called right before what a file holds is kept, because a tool
	// that announces changes is about to change it. It returns within some seconds.
	// What becomes of the file is of that tool until done, which is to be called
	// once it has run, has returned.
	Announce(ctx context.Context, path string) (done func(context.Context))
}

// watching is the state of an Agent that looks for what tools have changed.
type watching struct {
	looking chan struct{} // closed when what the last tool changed is recorded; nil if there is nothing to wait for

	mu    sync.Mutex
	after []func(context.Context) // to be called once the tool that runs has run
}

// leaveTime is how long the person, who has stopped the turn, waits for what a
// tool has changed to be recorded.
const leaveTime = 2 * time.Second

// watch has changes found that a tool, which is about to run, does not announce.
func (a *Agent) watch(ctx context.Context, c *gatedCall) {
	if c.tool.ReadOnly {
		return
	}
	a.settle(ctx) // what comes now is not the tool's before it
	if a.Watcher != nil && !c.tool.Announces {
		a.afterwards(a.Watcher.Before(ctx, c.ID, a.noticed(ctx)))
	}
}

// announced tells the Watcher of a change that a tool announces.
func (a *Agent) announced(ctx context.Context, path string) {
	if a.Watcher != nil {
		a.afterwards(a.Watcher.Announce(ctx, path))
	}
}

// afterwards has something done, unless it is nil, once the tool has run.
func (a *Agent) afterwards(do func(context.Context)) {
	if do == nil {
		return
	}
	a.watching.mu.Lock()
	defer a.watching.mu.Unlock()
	a.watching.after = append(a.watching.after, do)
}

// noticed returns what records changes that were found.
func (a *Agent) noticed(ctx context.Context) func(...ikigai.Event) {
	return func(events ...ikigai.Event) {
		a.recording.Lock()
		defer a.recording.Unlock()
		for i, e := range events {
			events[i] = a.likeBefore(e)
		}
		_, _ = a.Recorder.Record(ctx, events...) // an error is that the session is closed
	}
}

// look finds what a tool that has run has changed, while the model thinks.
func (a *Agent) look(ctx context.Context, t *ikigai.Tool) {
	if t.ReadOnly {
		return
	}
	a.watching.mu.Lock()
	after := a.watching.after
	a.watching.after = nil
	a.watching.mu.Unlock()
	if len(after) == 0 {
		return
	}
	done := make(chan struct{})
	a.watching.looking = done
	go func() {
		defer close(done)
		defer crash.Guard()
		for _, do := range after {
			do(context.WithoutCancel(ctx))
		}
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
