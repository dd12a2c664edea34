package undo

import (
	"errors"
	"io"
	"os"
)

// contents keeps what files hold in a file without a name. Among the program's
// own values it would make the garbage collector let a multiple of it lie about.
type contents struct {
	file   *os.File // nil as long as nothing is kept
	end    int64    // where the next one begins
	buffer []byte
}

// put keeps size bytes of from, and says where.
func (c *contents) put(from io.Reader, size int64) (at int64, err error) {
	if c.file == nil {
		if c.file, err = anonymous(); err != nil {
			return 0, err
		}
		c.buffer = make([]byte, 64<<10)
	}
	n, err := io.CopyBuffer(io.NewOffsetWriter(c.file, c.end), io.LimitReader(from, size), c.buffer)
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, err
	}
	at = c.end
	c.end += size
	return at, nil
}

// get returns the size bytes that are kept at a place.
func (c *contents) get(at, size int64) ([]byte, error) {
	b := make([]byte, size)
	if size == 0 {
		return b, nil
	}
	_, err := c.file.ReadAt(b, at)
	return b, err
}

// tidy gives back the room of what nobody holds any more, once that is more than
// what they do.
func (c *contents) tidy(files []file, used int64) {
	const little = 1 << 20
	if c.end <= 2*used+little {
		return
	}
	tidied := contents{buffer: c.buffer}
	moved := map[*held]int64{}
	for _, f := range files {
		if h := f.held; h != nil && h.size > 0 {
			at, err := tidied.put(io.NewSectionReader(c.file, h.from, h.size), h.size)
			if err != nil { // then all stays where it is
				_ = tidied.close()
				return
			}
			moved[h] = at
		}
	}
	for h, at := range moved {
		h.from = at
	}
	_ = c.close()
	*c = tidied
}

func (c *contents) close() error {
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	c.file, c.end = nil, 0
	return err
}

// unnamed returns a file of the disk that has no name any more.
func unnamed() (*os.File, error) {
	f, err := os.CreateTemp("", ".ikigai-undo-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
