// Package sse reads server-sent events: the framing in which vendors of
// language models stream their replies.
package sse

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"
)

// MaxEvent is the size in bytes that an event may have, and a line of it, if a
// Reader is not told otherwise.
const MaxEvent = 64 << 20

// Event is one event of a stream. Its slices are valid until the next call of
// Next.
type Event struct {
	Type string // of the event field; "" where the stream gives none
	Data []byte // the data fields, joined by line feeds; nil where there are none
	ID   string // the last id field of the stream so far

	// Extra holds the lines whose field the standard does not know, as they
	// came, joined by line feeds. The standard drops them; some servers tell
	// of an error in no other way.
	Extra []byte

	// Unended means that the stream ended before the empty line that ends an
	// event. The standard drops such an event.
	Unended bool
}

// TooLongError is the error of a Reader whose stream has an event, or a line,
// that is longer than the reader takes.
type TooLongError struct{ Max int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("server-sent event of more than %d bytes", e.Max)
}

// Reader reads the events of a stream. Lines may end with LF, CR or CRLF; a
// byte order mark at the start is skipped. It reads ahead of the event that it
// returns but never waits for bytes after it, and takes time linear in the
// length of the stream, in whatever pieces that comes.
type Reader struct {
	src io.Reader
	max int
	err error // of src, once it has one

	buf    []byte // bytes read and not yet taken
	pos    int    // of the next line in buf
	lf, cr finder
	skipLF bool // the line before ended with CR: an LF that follows belongs to it
	begun  bool // the byte order mark has been looked for

	typ     string
	lastTyp string // to make no new string of a type that repeats
	id      string
	retry   time.Duration
	data    []byte
	hasData bool
	extra   []byte
}

// NewReader returns a Reader of src. max is the longest event it takes in
// bytes; 0 stands for MaxEvent.
func NewReader(src io.Reader, max int) *Reader {
	if max <= 0 {
		max = MaxEvent
	}
	return &Reader{src: src, max: max, data: make([]byte, 0, 1024), lf: finder{char: '\n'}, cr: finder{char: '\r'}}
}

// Retry returns the time that the stream asks clients to wait before they
// connect again; 0 if it has not.
func (r *Reader) Retry() time.Duration { return r.retry }

// Next returns the next event that has data or an unknown field. At the end of
// the stream the error is io.EOF; otherwise it is a *TooLongError or what the
// underlying reader returned.
func (r *Reader) Next() (Event, error) {
	r.reset()
	for {
		line, err := r.line()
		if err == io.EOF && r.pending() {
			return r.event(true), nil
		}
		if err != nil {
			return Event{}, err
		}
		if len(line) > 0 {
			if err := r.field(line); err != nil {
				return Event{}, err
			}
			continue
		}
		if r.pending() {
			return r.event(false), nil
		}
		r.typ = "" // an event without data is none
	}
}

func (r *Reader) reset() {
	const keep = 1 << 20
	r.typ, r.hasData = "", false
	if cap(r.data) > keep {
		r.data = make([]byte, 0, 1024)
	}
	r.data, r.extra = r.data[:0], r.extra[:0]
}

func (r *Reader) pending() bool { return r.hasData || len(r.extra) > 0 }

func (r *Reader) event(unended bool) Event {
	e := Event{Type: r.typ, ID: r.id, Extra: r.extra, Unended: unended}
	if r.hasData {
		e.Data = r.data
	}
	return e
}

// field takes in one line that is not empty.
func (r *Reader) field(line []byte) error {
	name, value, _ := bytes.Cut(line, colon)
	value = bytes.TrimPrefix(value, space)
	switch string(name) {
	case "data":
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		r.hasData = true
	case "event":
		if r.lastTyp != string(value) {
			r.lastTyp = string(value)
		}
		r.typ = r.lastTyp
	case "id":
		if bytes.IndexByte(value, 0) < 0 && r.id != string(value) {
			r.id = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			r.retry = time.Duration(ms) * time.Millisecond
		}
	case "": // a comment
	default:
		if len(r.extra) > 0 {
			r.extra = append(r.extra, '\n')
		}
		r.extra = append(r.extra, line...)
	}
	if len(r.data)+len(r.extra) > r.max {
		return &TooLongError{r.max}
	}
	return nil
}

var (
	colon = []byte(":")
	space = []byte(" ")
	bom   = []byte("\uFEFF")
)

// line returns the next line without its end. The last line of a stream may
// lack one. It is valid until the next call.
func (r *Reader) line() ([]byte, error) {
	for {
		r.skip()
		if end := min(r.lf.next(r.buf, r.pos), r.cr.next(r.buf, r.pos)); end < len(r.buf) {
			line := r.buf[r.pos:end]
			r.skipLF = r.buf[end] == '\r'
			r.pos = end + 1
			r.begun = true
			return line, nil
		}
		if r.err != nil {
			if rest := r.buf[r.pos:]; r.err == io.EOF && len(rest) > 0 {
				r.pos = len(r.buf)
				return rest, nil
			}
			return nil, r.err
		}
		r.fill()
	}
}

// skip passes over a byte order mark at the start of the stream and over the
// second half of a CRLF.
func (r *Reader) skip() {
	if rest := r.buf[r.pos:]; !r.begun && (len(rest) >= len(bom) || r.err != nil) {
		r.begun = true
		if bytes.HasPrefix(rest, bom) {
			r.pos += len(bom)
		}
	}
	if r.skipLF && r.pos < len(r.buf) {
		r.skipLF = false
		if r.buf[r.pos] == '\n' {
			r.pos++
		}
	}
}

// fill reads once, at most to the end of the buffer.
func (r *Reader) fill() {
	if len(r.buf)-r.pos > r.max {
		r.err = &TooLongError{r.max}
		return
	}
	r.makeRoom()
	for range 100 {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if r.err = err; n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// makeRoom moves what is left to the front of the buffer, or to a larger one
// when more than half of it is left, so that each byte is moved only a few
// times. A buffer that one long line made large is given back.
func (r *Reader) makeRoom() {
	const least, room = 32 << 10, 4 << 10
	left, size := len(r.buf)-r.pos, cap(r.buf)
	if left > 0 && size-len(r.buf) >= room {
		return
	}
	to := r.buf[:0]
	switch {
	case left > size/2:
		to = make([]byte, 0, 2*size)
	case size != least && left <= least/2:
		to = make([]byte, 0, least)
	}
	r.buf = append(to, r.buf[r.pos:]...)
	r.lf.moved(r.pos)
	r.cr.moved(r.pos)
	r.pos = 0
}

// finder finds the next place of a character in a growing buffer and looks at
// no byte twice.
type finder struct {
	char byte
	at   int // before it, from where next was last asked, there is no char
}

// next returns the index of the first char in buf at or after pos, and
// len(buf) if there is none.
func (f *finder) next(buf []byte, pos int) int {
	if f.at >= pos && f.at < len(buf) && buf[f.at] == f.char {
		return f.at
	}
	f.at = max(f.at, pos)
	if i := bytes.IndexByte(buf[f.at:], f.char); i >= 0 {
		f.at += i
	} else {
		f.at = len(buf)
	}
	return f.at
}

// moved tells that n bytes were taken off the front of the buffer.
func (f *finder) moved(n int) { f.at = max(0, f.at-n) }
