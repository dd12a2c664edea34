package tui

import (
	"errors"
	"time"

	"ikigai/internal/tty"
)

const (
	frame    = 16 * time.Millisecond // between two paints of what comes by itself
	maxChunk = 32 << 10              // bytes printed at once, before keys are looked at again
)

// refresh paints if it is time to, and sets the timer to when it is.
func (l *loop) refresh() {
	now := time.Now()
	next := time.Duration(-1)
	if l.away == 0 {
		l.remind(now)
	}
	switch {
	case l.away > 0:
	case !l.dirty:
		next = l.nextTick(now)
	case l.urgent || now.Sub(l.painted) >= frame:
		l.paint(now)
		next = l.nextTick(now)
		if len(l.out) > 0 && l.open() == nil {
			next, l.dirty, l.urgent = 0, true, true
		}
	default:
		next = frame - now.Sub(l.painted)
	}
	if next < 0 {
		l.timer.Stop()
		return
	}
	l.timer.Reset(next)
}

// paint draws what there is to see.
func (l *loop) paint(now time.Time) {
	l.now, l.painted, l.dirty, l.urgent = now, now, false, false
	if l.plain != nil {
		l.plain.show(l)
		return
	}
	if o := l.open(); o != nil {
		o.Asks(l.question() != nil)
		lines, row, col := o.View(l.width, l.height)
		l.paged = true
		l.term.Page(lines, row, col)
		o.shown(l)
		return
	}
	if l.paged {
		l.paged = false
		l.term.Page(nil, 0, 0)
	}
	l.setTitle()
	l.term.Paint(l.taken(maxChunk), l.view())
}

// settle prints what has come and is not printed yet.
func (l *loop) settle() {
	for m := l.box.next(); m != nil; m = l.box.next() {
		m(l)
	}
	if errors.Is(l.err, ErrGone) || l.away > 0 {
		return
	}
	if l.paged {
		l.term.Page(nil, 0, 0)
	}
	l.write(l.live.End())
	for len(l.out) > 0 {
		l.term.Paint(l.taken(maxChunk), tty.Live{Blind: true})
	}
	l.term.Paint("", tty.Live{})
}

// stop gives the terminal back, unless somebody else has it.
func (l *loop) stop() {
	if l.away > 0 {
		return
	}
	if err := l.term.Stop(); err != nil && l.err == nil {
		l.err = err
	}
}
