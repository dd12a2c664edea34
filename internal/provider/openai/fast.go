package openai

import "unicode/utf8"

// piece is what a common chunk holds: text, thinking, the next arguments of a
// call, or nothing.
type piece struct {
	text, thinking string
	arguments      string // of the call with the number index
	index          int
}

// fast reads the chunks that make up nearly all of a stream, in a fraction of
// the time that encoding/json takes: compact JSON, one choice, nothing in it
// but pieces of strings. It gives up on everything else, and on everything
// that may be faulty.
func fast(chunk []byte) (p piece, ok bool) {
	s := scanner{rest: chunk}
	for key := s.open(); key != nil; key = s.next() {
		switch string(key) {
		case "choices":
			s.once(1)
			s.take("[")
			s.choice(&p)
			s.take("]")
		case "object":
			s.take(`"chat.completion.chunk"`)
		case "created":
			s.number()
		case "id", "model", "service_tier", "system_fingerprint", "obfuscation", "provider", "p":
			s.skipString()
		default: // usage, an error, what is yet to be invented: only without a value
			s.take("null")
		}
	}
	if p.arguments != "" && p.text+p.thinking != "" || len(s.rest) > 0 {
		s.bad = true
	}
	return p, !s.bad
}

func (s *scanner) choice(p *piece) {
	for key := s.open(); key != nil; key = s.next() {
		switch string(key) {
		case "index":
			s.take("0")
		case "delta":
			s.once(2)
			s.delta(p)
		default: // finish_reason, logprobs
			s.take("null")
		}
	}
}

func (s *scanner) delta(p *piece) {
	for key := s.open(); key != nil; key = s.next() {
		switch string(key) {
		case "role":
			s.skipString()
		case "content":
			s.text(&p.text)
		case "reasoning_content", "reasoning":
			s.text(&p.thinking)
		case "tool_calls":
			s.once(4)
			s.take("[")
			s.call(p)
			s.take("]")
		default:
			s.take("null")
		}
	}
}

// call reads a piece of a call that is not its first: it has a number and
// arguments, and neither ID nor name.
func (s *scanner) call(p *piece) {
	numbered := false
	for key := s.open(); key != nil; key = s.next() {
		switch string(key) {
		case "index":
			p.index, numbered = s.number(), true
		case "type":
			s.skipString()
		case "function":
			for key := s.open(); key != nil; key = s.next() {
				s.bad = s.bad || string(key) != "arguments"
				s.text(&p.arguments)
			}
		default:
			s.bad = true
		}
	}
	s.bad = s.bad || !numbered || p.arguments == ""
}

// scanner reads compact JSON from the front of rest. Once it has met something
// that it does not expect it is bad and reads no further.
type scanner struct {
	rest []byte
	bad  bool
	seen int // bits of once
}

// once makes s bad when it is called for one bit a second time: of names that
// repeat encoding/json makes a mixture.
func (s *scanner) once(bit int) {
	s.bad = s.bad || s.seen&bit != 0
	s.seen |= bit
}

// take reads exactly word.
func (s *scanner) take(word string) {
	if s.bad || len(s.rest) < len(word) || string(s.rest[:len(word)]) != word {
		s.bad = true
		return
	}
	s.rest = s.rest[len(word):]
}

// open reads the start of an object and returns its first key, nil if it has
// none or s is bad.
func (s *scanner) open() []byte {
	s.take("{")
	if !s.bad && len(s.rest) > 0 && s.rest[0] == '}' {
		s.take("}")
		return nil
	}
	return s.key()
}

// next returns the key after a value, nil at the end of the object or if s is
// bad.
func (s *scanner) next() []byte {
	if !s.bad && len(s.rest) > 0 && s.rest[0] == '}' {
		s.take("}")
		return nil
	}
	s.take(",")
	return s.key()
}

// key reads a key with its colon. Keys of other than small letters are bad:
// encoding/json might take them for one of those that matter.
func (s *scanner) key() []byte {
	s.take(`"`)
	n := 0
	for n < len(s.rest) && (s.rest[n] >= 'a' && s.rest[n] <= 'z' || s.rest[n] == '_') {
		n++
	}
	key := s.rest[:n]
	if !s.bad {
		s.rest = s.rest[n:]
	}
	if s.take(`":`); s.bad {
		return nil
	}
	return key
}

// number reads a whole number of at most 12 digits.
func (s *scanner) number() int {
	n, digits := 0, 0
	for digits < len(s.rest) && s.rest[digits] >= '0' && s.rest[digits] <= '9' && digits <= 12 {
		n = 10*n + int(s.rest[digits]-'0')
		digits++
	}
	if s.bad || digits == 0 || digits > 12 || s.rest[0] == '0' && digits > 1 {
		s.bad = true
		return 0
	}
	s.rest = s.rest[digits:]
	return n
}

// skipString passes over a string without escapes, or null.
func (s *scanner) skipString() {
	if len(s.rest) > 0 && s.rest[0] == 'n' {
		s.take("null")
		return
	}
	s.take(`"`)
	if n, plain := s.stringEnd(); plain {
		s.rest = s.rest[n:]
	} else {
		s.bad = true
	}
	s.take(`"`)
}

// stringEnd returns how many bytes of rest belong to a string before its
// closing quote or its first escape, and whether it is the quote.
func (s *scanner) stringEnd() (n int, plain bool) {
	for n < len(s.rest) && s.rest[n] >= ' ' && s.rest[n] != '"' && s.rest[n] != '\\' {
		n++
	}
	return n, !s.bad && n < len(s.rest) && s.rest[n] == '"'
}

// text reads a string or null into to, which must be empty before.
func (s *scanner) text(to *string) {
	if len(s.rest) > 0 && s.rest[0] == 'n' {
		s.take("null")
		return
	}
	s.bad = s.bad || *to != ""
	s.take(`"`)
	n, plain := s.stringEnd()
	raw := s.rest[:n]
	if s.rest = s.rest[n:]; !plain {
		raw = s.unescape(append(make([]byte, 0, n+64), raw...))
	}
	if s.take(`"`); s.bad || !utf8.Valid(raw) {
		s.bad = true
		return
	}
	*to = string(raw)
}

// unescape appends the rest of a string, from its first escape to before its
// closing quote.
func (s *scanner) unescape(b []byte) []byte {
	for !s.bad && len(s.rest) > 1 && s.rest[0] == '\\' {
		c := s.rest[1]
		switch c {
		case '"', '\\', '/':
		case 'n':
			c = '\n'
		case 't':
			c = '\t'
		case 'r':
			c = '\r'
		default: // \u and what is rare
			s.bad = true
		}
		b, s.rest = append(b, c), s.rest[2:]
		n, _ := s.stringEnd()
		b, s.rest = append(b, s.rest[:n]...), s.rest[n:]
	}
	return b
}
