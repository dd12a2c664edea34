package tui

import (
	"context"
	"errors"
	"time"

	"ikigai/internal/tty"
)

// ErrGone is what Run returns when the terminal is gone.
var ErrGone = errors.New("the terminal is gone")

const (
	batch     = 4 * time.Millisecond // for messages, before keys are looked at again
	leaveTime = 2 * time.Second      // within which a key that leaves is pressed twice
)

// loop is what the Front's own goroutine works with: it takes in keys, then
// messages, and paints what came of them.
type loop struct {
	state
	config Config
	term   Terminal
	plain  *plain // the term of a plain Front; nil otherwise
	box    *mailbox
	timer  *time.Timer
	goes   continued
	// stopGroup stops the program and those that were started with it.
	stopGroup func()

	painted time.Time // last
	dirty   bool      // something is to be painted
	urgent  bool      // at once: a person waits for it
	over    bool
	err     error
	gone    chan struct{} // closed when Run returns
}

func newLoop(c Config, box *mailbox) *loop {
	if c.Plain {
		c.Style = plainStyle(c.Style)
	}
	l := &loop{state: newState(c), config: c, term: c.Terminal, box: box, goes: make(continued, 1), gone: make(chan struct{})}
	l.stopGroup = l.goes.stopGroup
	if c.Plain {
		l.plain = newPlain(c.In, c.Out, c.Terminal)
		l.term = l.plain
	}
	return l
}

func (l *loop) run(ctx context.Context) error {
	defer close(l.gone)
	defer l.box.close()
	if err := l.term.Start(); err != nil {
		return err
	}
	defer l.stop() // also when it panics
	l.goes.begin()
	defer l.goes.end()
	if l.plain != nil {
		defer l.plain.listen(l.box)()
	}
	l.timer = time.NewTimer(0)
	defer l.timer.Stop()
	l.resize()
	for !l.over {
		l.step(ctx)
	}
	l.settle()
	return l.err
}

// step waits for something to happen, takes it in and shows it. Keys come first.
func (l *loop) step(ctx context.Context) {
	select {
	case keys, ok := <-l.keys():
		l.typed(keys, ok)
	default:
		if !l.decide() {
			l.wait(ctx)
		}
	}
	l.refresh()
}

func (l *loop) wait(ctx context.Context) {
	select {
	case keys, ok := <-l.keys():
		l.typed(keys, ok)
	case <-l.term.Resized():
		l.resize()
	case <-l.box.ready:
		l.receive()
	case <-l.goes:
		l.goesOn()
	case <-l.timer.C:
		l.dirty = true
	case <-ctx.Done():
		l.over = true
	}
}

// keys returns where keys come from: from nowhere while somebody else has the
// terminal.
func (l *loop) keys() <-chan []tty.Key {
	if l.away > 0 {
		return nil
	}
	return l.term.Keys()
}

// receive takes in messages, for a while at most.
func (l *loop) receive() {
	l.dirty = true
	for since := time.Now(); !l.over; {
		m := l.box.next()
		if m == nil {
			return
		}
		m(l)
		if time.Since(since) >= batch {
			l.box.wake()
			return
		}
	}
}

// resize takes in the size of the terminal.
func (l *loop) resize() {
	l.width, l.height = l.term.Size()
	if l.width <= 0 || l.height <= 0 {
		l.width, l.height = 80, 24
	}
	l.live.Resize(l.width)
	l.dirty = true
}
