package tui

import (
	"context"
	"slices"

	"ikigai/internal/tty"
	"ikigai/internal/tui/overlay"
)

// opened is something that is open over the session, on the alternate screen,
// or waits to be.
type opened struct {
	widget
	pick   *picking // nil of a pager
	closed chan struct{}
}

type widget interface {
	Handle(tty.Key) (done bool)
	Asks(waits bool)
	View(width, height int) (lines []string, row, col int)
}

// open returns what is open over the session, nil if nothing is.
func (s *state) open() *opened {
	if len(s.overlays) == 0 {
		return nil
	}
	return s.overlays[0]
}

// look is the style of what is open.
func (s *state) look() overlay.Look {
	return overlay.Look{Color: s.live.Style.Color, ASCII: s.live.Style.ASCII}
}

// show opens what build returns, after what is open already, and waits until it is
// closed. It reports whether the person has closed it.
func (f *Front) show(ctx context.Context, build func(*loop) *opened) bool {
	o := &opened{closed: make(chan struct{})}
	if !f.box.post(func(l *loop) {
		built := build(l)
		o.widget, o.pick = built.widget, built.pick
		l.overlays = append(l.overlays, o)
	}) {
		return false
	}
	select {
	case <-o.closed:
		return true
	case <-ctx.Done():
		f.box.post(func(l *loop) { l.shut(o) })
	case <-f.loop.gone:
	}
	return false
}

// key gives a key to what is open.
func (o *opened) key(l *loop, k tty.Key) {
	switch {
	case k.Ctrl('z'):
		l.suspend()
	case o.Handle(k):
		l.shut(o)
		close(o.closed)
	}
}

// shut closes o.
func (l *loop) shut(o *opened) {
	l.overlays = slices.DeleteFunc(l.overlays, func(other *opened) bool { return other == o })
	l.urgent = true
}

// shown is called after a View.
func (o *opened) shown(l *loop) {
	if o.pick != nil {
		o.pick.shown(l)
	}
}
