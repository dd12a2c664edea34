package provider

import "io"

// Body is the body of a request in parts, none of which is copied to send it.
// The bytes must not change while the request is under way.
type Body struct {
	Prefix [][]byte // shared with later requests
	Tail   []byte
}

// Size returns the length of the body in bytes.
func (b Body) Size() int64 {
	n := int64(len(b.Tail))
	for _, p := range b.Prefix {
		n += int64(len(p))
	}
	return n
}

// Reader returns a reader of the whole body.
func (b Body) Reader() io.ReadCloser { return &bodyReader{rest: b} }

type bodyReader struct {
	rest Body
	part []byte
}

func (r *bodyReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(r.part) == 0 && !r.next() {
			break
		}
		m := copy(p[n:], r.part)
		r.part = r.part[m:]
		n += m
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// next moves on to the next part. It reports whether there is one.
func (r *bodyReader) next() bool {
	switch {
	case len(r.rest.Prefix) > 0:
		r.part, r.rest.Prefix = r.rest.Prefix[0], r.rest.Prefix[1:]
	case len(r.rest.Tail) > 0:
		r.part, r.rest.Tail = r.rest.Tail, nil
	default:
		return false
	}
	return true
}

func (r *bodyReader) Close() error { return nil }
