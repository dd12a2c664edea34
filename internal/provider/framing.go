package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"ikigai/internal/sse"
)

// Payload takes in one payload of a reply: JSON, and the type of the event that
// it came in, "" where it came in none. The slice is not kept.
type Payload func(event string, data []byte) error

// ReadPayloads reads a reply in whatever framing it comes and hands each payload
// to take: server-sent events, JSON objects one after the other or in a list, or
// one object alone, which is a reply that was not streamed. It ends at [DONE],
// of which it tells, at the end of src, or with an error: take's own; an
// *ikigai.Error where the vendor tells of one by an event of that name or in a
// line that begins with "error:"; or what reading returned.
func (c Config) ReadPayloads(src io.Reader, take Payload) (done bool, err error) {
	reply, _ := src.(*Reply)
	start, err := Peek(src)
	if err != nil && err != io.EOF {
		return false, err
	}
	src = io.MultiReader(bytes.NewReader(start), src)
	if start = bytes.TrimSpace(start); bytes.HasPrefix(start, []byte("{")) || bytes.HasPrefix(start, []byte("[")) {
		return c.readJSON(src, take)
	}
	if reply != nil {
		take = telling(reply, take)
	}
	return c.readEvents(src, take)
}

// telling returns take, which tells reply of each event before.
func telling(reply *Reply, take Payload) Payload {
	return func(event string, data []byte) error {
		reply.tell(isPing(event, data))
		return take(event, data)
	}
}

// isPing reports whether an event only keeps the connection alive.
func isPing(event string, data []byte) bool {
	const longest = 64 // bytes of a ping; most events are no longer read than that for their type
	if event == "" && len(data) <= longest {
		var e struct{ Type string }
		_ = json.Unmarshal(data, &e) // what is none has no type
		event = e.Type
	}
	return event == "ping" || event == "keepalive"
}

func (c Config) readEvents(src io.Reader, take Payload) (done bool, err error) {
	events := sse.NewReader(src, 0)
	for {
		e, err := events.Next()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for line := range bytes.Lines(e.Extra) {
			if err := c.extra(bytes.TrimSpace(line), take); err != nil {
				return false, err
			}
		}
		data := bytes.TrimSpace(e.Data)
		switch {
		case len(data) == 0:
			continue
		case string(data) == "[DONE]":
			return true, nil
		case e.Type == "error":
			return false, c.Fault(data)
		case e.Unended && !json.Valid(data):
			continue // the reply was cut here: its end is missing
		}
		if err := take(e.Type, data); err != nil {
			return false, err
		}
	}
}

// extra takes in a line that is no field of the stream: an error is told in
// one as "error: {…}", or as JSON alone.
func (c Config) extra(line []byte, take Payload) error {
	if rest, ok := bytes.CutPrefix(line, []byte("error:")); ok {
		return c.Fault(bytes.TrimSpace(rest))
	}
	if bytes.HasPrefix(line, []byte("{")) && json.Valid(line) {
		return take("", line)
	}
	return nil
}

// readJSON reads objects that come bare. They are told apart as they come in,
// and none may be longer than an event.
func (c Config) readJSON(src io.Reader, take Payload) (done bool, err error) {
	s := &objects{src: src}
	for {
		object, err := s.next()
		switch {
		case err == io.EOF:
			return true, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return false, nil // the reply was cut here: its end is missing
		case err != nil:
			return false, err
		}
		if err := take("", object); err != nil {
			return false, err
		}
	}
}

// objects reads JSON objects with commas, brackets and white space between them.
type objects struct {
	src io.Reader
	buf []byte
	pos int // of what is not taken yet
	err error
}

// errNoJSON is the error of a reply that is neither events nor JSON.
var errNoJSON = errors.New("what is neither an event nor JSON")

// next returns the next object. The error is io.EOF where there is none, and
// io.ErrUnexpectedEOF where the last one is cut.
func (o *objects) next() ([]byte, error) {
	depth, quoted, start, i := 0, false, -1, o.pos
	for {
		for ; i < len(o.buf); i++ {
			c := o.buf[i]
			switch {
			case quoted:
				switch c {
				case '\\':
					i++
				case '"':
					quoted = false
				}
			case c == '"' && depth > 0:
				quoted = true
			case c == '{':
				if depth == 0 {
					start = i
				}
				depth++
			case c == '}' && depth > 0:
				if depth--; depth == 0 {
					o.pos = i + 1
					return o.buf[start:o.pos], nil
				}
			case depth == 0 && c != '[' && c != ']' && c != ',' && c > ' ':
				return nil, errNoJSON
			}
		}
		if start < 0 {
			o.buf, i, o.pos = o.buf[:0], i-len(o.buf), 0
		} else {
			o.buf = append(o.buf[:0], o.buf[start:]...)
			i, start, o.pos = i-start, 0, 0
		}
		if len(o.buf) > sse.MaxEvent {
			return nil, &sse.TooLongError{Max: sse.MaxEvent}
		}
		if o.err != nil {
			if o.err == io.EOF && start >= 0 {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, o.err
		}
		o.fill()
	}
}

// fill reads some more.
func (o *objects) fill() {
	if cap(o.buf)-len(o.buf) < 4<<10 {
		o.buf = append(make([]byte, 0, max(8<<10, 2*cap(o.buf))), o.buf...)
	}
	n, err := o.src.Read(o.buf[len(o.buf):cap(o.buf)])
	o.buf, o.err = o.buf[:len(o.buf)+n], err
}

// Unreadable returns err as a fault of the reply, if it is one that ReadPayloads
// has found in its framing, and err itself otherwise.
func (c Config) Unreadable(err error) error {
	var tooLong *sse.TooLongError
	switch {
	case errors.As(err, &tooLong):
		return c.Broken("holds a " + tooLong.Error())
	case errors.Is(err, errNoJSON):
		return c.Broken("holds " + errNoJSON.Error())
	}
	return err
}
