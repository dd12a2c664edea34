package wirejson

import "unicode/utf8"

// Scanner reads compact JSON from the front of Rest. Once it has met something
// that it does not expect it is Bad and reads no further.
type Scanner struct {
	Rest []byte
	Bad  bool
	seen int // bits of Once
}

// Once makes s Bad when it is called for one bit a second time: of names that
// repeat encoding/json makes a mixture.
func (s *Scanner) Once(bit int) {
	s.Bad = s.Bad || s.seen&bit != 0
	s.seen |= bit
}

// Take reads exactly word.
func (s *Scanner) Take(word string) {
	if s.Bad || len(s.Rest) < len(word) || string(s.Rest[:len(word)]) != word {
		s.Bad = true
		return
	}
	s.Rest = s.Rest[len(word):]
}

// Open reads the start of an object and returns its first key, nil if it has
// none or s is bad.
func (s *Scanner) Open() []byte {
	s.Take("{")
	if !s.Bad && len(s.Rest) > 0 && s.Rest[0] == '}' {
		s.Take("}")
		return nil
	}
	return s.key()
}

// Next returns the key after a value, nil at the end of the object or if s is
// bad.
func (s *Scanner) Next() []byte {
	if !s.Bad && len(s.Rest) > 0 && s.Rest[0] == '}' {
		s.Take("}")
		return nil
	}
	s.Take(",")
	return s.key()
}

// key reads a key with its colon. Keys of other than small letters are bad:
// encoding/json might take them for one of those that matter.
func (s *Scanner) key() []byte {
	s.Take(`"`)
	n := 0
	for n < len(s.Rest) && (s.Rest[n] >= 'a' && s.Rest[n] <= 'z' || s.Rest[n] == '_') {
		n++
	}
	key := s.Rest[:n]
	if !s.Bad {
		s.Rest = s.Rest[n:]
	}
	if s.Take(`":`); s.Bad {
		return nil
	}
	return key
}

// Number reads a whole number of at most 12 digits.
func (s *Scanner) Number() int {
	n, digits := 0, 0
	for digits < len(s.Rest) && s.Rest[digits] >= '0' && s.Rest[digits] <= '9' && digits <= 12 {
		n = 10*n + int(s.Rest[digits]-'0')
		digits++
	}
	if s.Bad || digits == 0 || digits > 12 || s.Rest[0] == '0' && digits > 1 {
		s.Bad = true
		return 0
	}
	s.Rest = s.Rest[digits:]
	return n
}

// SkipString passes over a string without escapes, or null.
func (s *Scanner) SkipString() {
	if len(s.Rest) > 0 && s.Rest[0] == 'n' {
		s.Take("null")
		return
	}
	s.Take(`"`)
	if n, plain := s.stringEnd(); plain {
		s.Rest = s.Rest[n:]
	} else {
		s.Bad = true
	}
	s.Take(`"`)
}

// stringEnd returns how many bytes of rest belong to a string before its
// closing quote or its first escape, and whether it is the quote.
func (s *Scanner) stringEnd() (n int, plain bool) {
	for n < len(s.Rest) && s.Rest[n] >= ' ' && s.Rest[n] != '"' && s.Rest[n] != '\\' {
		n++
	}
	return n, !s.Bad && n < len(s.Rest) && s.Rest[n] == '"'
}

// Text reads a string or null into to, which must be empty before.
func (s *Scanner) Text(to *string) {
	if len(s.Rest) > 0 && s.Rest[0] == 'n' {
		s.Take("null")
		return
	}
	s.Bad = s.Bad || *to != ""
	s.Take(`"`)
	n, plain := s.stringEnd()
	raw := s.Rest[:n]
	if s.Rest = s.Rest[n:]; !plain {
		raw = s.unescape(append(make([]byte, 0, n+64), raw...))
	}
	if s.Take(`"`); s.Bad || !utf8.Valid(raw) {
		s.Bad = true
		return
	}
	*to = string(raw)
}

// unescape appends the rest of a string, from its first escape to before its
// closing quote.
func (s *Scanner) unescape(b []byte) []byte {
	for !s.Bad && len(s.Rest) > 1 && s.Rest[0] == '\\' {
		c := s.Rest[1]
		switch c {
		case '"', '\\', '/':
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r':
			c = '\r'
		default: // \u and what is rare
			s.Bad = true
		}
		b, s.Rest = append(b, c), s.Rest[2:]
		n, _ := s.stringEnd()
		b, s.Rest = append(b, s.Rest[:n]...), s.Rest[n:]
	}
	return b
}

// Done reports whether all was read and nothing was unexpected.
func (s *Scanner) Done() bool { return !s.Bad && len(s.Rest) == 0 }
