package archive

import (
	"iter"

	"ikigai"
)

// events is what a log yields.
type events = iter.Seq2[ikigai.Event, error]

// cursor takes events one by one from a sequence. A nil cursor is empty.
type cursor struct {
	pull func() (ikigai.Event, error, bool)
	stop func()
}

func newCursor(list events) *cursor {
	pull, stop := iter.Pull2(list)
	return &cursor{pull, stop}
}

// next returns the next event; ok is false if there is none.
func (c *cursor) next() (e ikigai.Event, ok bool, err error) {
	if c == nil {
		return e, false, nil
	}
	e, err, ok = c.pull()
	return e, ok && err == nil, err
}

func (c *cursor) close() {
	if c != nil {
		c.stop()
	}
}
