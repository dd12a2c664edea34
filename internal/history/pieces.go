package history

import (
	"io"
	"slices"
)

// What is sent comes in pieces, which are not joined to be looked at.

func sizeOf(pieces [][]byte) (n int64) {
	for _, p := range pieces {
		n += int64(len(p))
	}
	return n
}

// behind returns, joined, what follows the first n bytes.
func behind(pieces [][]byte, n int64) []byte {
	for i, p := range pieces {
		if n < int64(len(p)) {
			rest := slices.Clone(pieces[i:])
			rest[0] = p[n:]
			return slices.Concat(rest...)
		}
		n -= int64(len(p))
	}
	return nil
}

// cursor goes over pieces.
type cursor struct {
	pieces [][]byte
	part   []byte // what is left of the last one
}

// writeTo writes the next n bytes to w, whose errors are not looked at.
func (c *cursor) writeTo(w io.Writer, n int64) {
	for n > 0 {
		if len(c.part) == 0 {
			if len(c.pieces) == 0 {
				return
			}
			c.part, c.pieces = c.pieces[0], c.pieces[1:]
		}
		m := min(n, int64(len(c.part)))
		_, _ = w.Write(c.part[:m])
		c.part = c.part[m:]
		n -= m
	}
}

// joined returns the bytes of texts.
func joined(texts []text) []byte {
	n := 0
	for _, t := range texts {
		n += len(t.content) + len(t.data)
	}
	b := make([]byte, 0, n)
	for _, t := range texts {
		b = append(append(b, t.content...), t.data...)
	}
	return b
}
