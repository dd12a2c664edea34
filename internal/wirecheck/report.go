package wirecheck

import (
	"fmt"
	"strconv"
)

// Error is why a vendor refuses a request.
type Error struct {
	At      string // the place, in the vendor's notation; "" for the body as a whole
	Message string
}

// Error returns the place and the message.
func (e *Error) Error() string {
	if e.At == "" {
		return e.Message
	}
	return e.At + ": " + e.Message
}

// report keeps the first thing that is wrong. Checks go on after it, for values
// that are not there are harmless.
type report struct{ first *Error }

func (r *report) refuse(at, format string, args ...any) {
	if r.first == nil {
		r.first = &Error{At: at, Message: fmt.Sprintf(format, args...)}
	}
}

// err returns what was reported.
func (r *report) err() error {
	if r.first == nil {
		return nil
	}
	return r.first
}

// read parses the body of a request, which nests no deeper than depth, where
// that is not 0.
func (r *report) read(body []byte, depth int) *value {
	v, err := parse(body, depth)
	switch {
	case err != nil:
		r.first = err
	case v.kind != object:
		r.refuse("", "The body is no JSON object.")
	}
	return v
}

// oneOf demands a string of a list; where is nil is fine.
func (r *report) oneOf(at string, v *value, allowed ...string) {
	if v == nil {
		return
	}
	if v.kind == text {
		for _, s := range allowed {
			if v.text == s {
				return
			}
		}
	}
	r.refuse(at, "Invalid value: %s. Supported values are: %q.", v, allowed)
}

// atLeast demands a whole number; nil is fine.
func (r *report) atLeast(at string, v *value, least int) {
	if v == nil {
		return
	}
	n, err := strconv.Atoi(v.text)
	if v.kind != number || err != nil {
		r.refuse(at, "Input should be a valid integer, not %s.", v)
	} else if n < least {
		r.refuse(at, "Expected a value >= %d, but got %d instead.", least, n)
	}
}

// want demands a value of a kind.
func (r *report) want(at string, v *value, k kind) bool {
	switch {
	case v == nil:
		r.refuse(at, "Field required.")
	case v.kind != k:
		r.refuse(at, "Input should be %s, not %s.", k, v)
	default:
		return true
	}
	return false
}
