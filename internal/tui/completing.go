package tui

import (
	"context"

	"ikigai/internal/crash"
)

// completing is the search for what the text could go on with: one at a time,
// beside the Front's goroutine.
type completing struct {
	running bool
	stop    context.CancelFunc
	next    bool // look again when this search has ended
}

// complete looks for what the text before the cursor could go on with.
func (l *loop) complete() {
	c := &l.completing
	if c.running {
		c.stop()
		c.next = true
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	c.running, c.stop, c.next = true, stop, false
	before := l.input.Before()
	go func() {
		defer crash.Guard()
		found := l.config.Host.Complete(ctx, before)
		l.box.post(func(l *loop) { l.completed(before, found) })
	}()
}

// completed takes in what was found for a text.
func (l *loop) completed(before string, found Completions) {
	c := &l.completing
	c.stop()
	c.running = false
	if c.next {
		l.complete()
		return
	}
	l.input.Completed(before, cleaned(found))
	l.urgent = true
}

// cleaned returns completions that can be shown: names of files are what others
// wrote.
func cleaned(c Completions) Completions {
	items := make([]Completion, len(c.Items))
	for i, item := range c.Items {
		item.About = safe(item.About)
		items[i] = item
	}
	return Completions{From: c.From, Items: items}
}
