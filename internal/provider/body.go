package provider

import "io"

// Body is the body of a request in parts, none of which is copied to send it.
// The bytes must not change while the request is under way.
type Body [][]byte

// Size returns the length of the body in bytes.
func (b Body) Size() int64 {
	n := int64(0)
	for _, p := range b {
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
	if len(r.rest) == 0 {
		return false
	}
	r.part, r.rest = r.rest[0], r.rest[1:]
	return true
}

func (r *bodyReader) Close() error { return nil }
