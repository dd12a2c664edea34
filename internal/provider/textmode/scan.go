package textmode

import (
	"bytes"
	"strings"
)

// scan is a walk through JSON to its end.
type scan struct {
	start   int    // where it begins
	pos     int    // how far the walk has come
	key     string // the first of the object, or of the first in a list
	after   bool   // it stands behind a call
	depth   int
	quoted  bool
	escaped bool
}

// toEnd walks on through b. It reports whether the end is there, before pos.
func (s *scan) toEnd(b []byte) bool {
	for ; s.pos < len(b); s.pos++ {
		c := b[s.pos]
		switch {
		case s.escaped:
			s.escaped = false
		case s.quoted:
			s.escaped = c == '\\'
			s.quoted = c != '"'
		case c == '"':
			s.quoted = true
		case c == '{' || c == '[':
			s.depth++
		case c == '}' || c == ']':
			if s.depth--; s.depth == 0 {
				s.pos++
				return true
			}
		}
	}
	return false
}

// firstKey returns the first key of the object, or of the first object of the
// list, that b begins with; "" as long as it is not there. It is false if b
// begins with neither.
func firstKey(b []byte) (key string, begins bool) {
	for _, c := range []byte(`[{"`) {
		if c == '[' && b[0] == '{' {
			continue
		}
		if b = bytes.TrimLeft(b, " \t\r\n"); len(b) == 0 {
			return "", true
		}
		if b[0] != c {
			return "", false
		}
		b = b[1:]
	}
	const longest = 20 // of the keys that a call begins with, and some more
	switch end := bytes.IndexByte(b[:min(len(b), longest)], '"'); {
	case end > 0:
		return string(b[:end]), true
	case end == 0 || len(b) >= longest:
		return "another", true
	}
	return "", true
}

// maxInfo is the most bytes of a fence's first line that are looked at.
const maxInfo = 40

// fenceInfo returns what stands behind the quotes of a fence, and the length of
// both. whole is false if more must come to tell.
func fenceInfo(line []byte) (info string, size int, whole bool) {
	start := line[:min(len(line), maxInfo)]
	size = bytes.IndexAny(start, "\n{[")
	if whole = size >= 0 || len(start) == maxInfo; size < 0 {
		size = len(start)
	}
	return strings.TrimSpace(strings.TrimLeft(string(start[:size]), "`")), size, whole
}

func isJSONInfo(info string) bool {
	switch strings.ToLower(info) {
	case "", "json", "tool", "tool_call", "tool_calls":
		return true
	}
	return false
}
