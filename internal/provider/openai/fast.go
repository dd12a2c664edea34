package openai

import "ikigai/internal/wirejson"

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
	s := &scanner{wirejson.Scanner{Rest: chunk}}
	for key := s.Open(); key != nil; key = s.Next() {
		switch string(key) {
		case "choices":
			s.Once(1)
			s.Take("[")
			s.choice(&p)
			s.Take("]")
		case "object":
			s.Take(`"chat.completion.chunk"`)
		case "created":
			s.Number()
		case "id", "model", "service_tier", "system_fingerprint", "obfuscation", "provider", "p":
			s.SkipString()
		default: // usage, an error, what is yet to be invented: only without a value
			s.Take("null")
		}
	}
	if p.arguments != "" && p.text+p.thinking != "" || len(s.Rest) > 0 {
		s.Bad = true
	}
	return p, !s.Bad
}

func (s *scanner) choice(p *piece) {
	for key := s.Open(); key != nil; key = s.Next() {
		switch string(key) {
		case "index":
			s.Take("0")
		case "delta":
			s.Once(2)
			s.delta(p)
		default: // finish_reason, logprobs
			s.Take("null")
		}
	}
}

func (s *scanner) delta(p *piece) {
	for key := s.Open(); key != nil; key = s.Next() {
		switch string(key) {
		case "role":
			s.SkipString()
		case "content":
			s.Text(&p.text)
		case "reasoning_content", "reasoning":
			s.Text(&p.thinking)
		case "tool_calls":
			s.Once(4)
			s.Take("[")
			s.call(p)
			s.Take("]")
		default:
			s.Take("null")
		}
	}
}

// call reads a piece of a call that is not its first: it has a number and
// arguments, and neither ID nor name.
func (s *scanner) call(p *piece) {
	numbered := false
	for key := s.Open(); key != nil; key = s.Next() {
		switch string(key) {
		case "index":
			p.index, numbered = s.Number(), true
		case "type":
			s.SkipString()
		case "function":
			for key := s.Open(); key != nil; key = s.Next() {
				s.Bad = s.Bad || string(key) != "arguments"
				s.Text(&p.arguments)
			}
		default:
			s.Bad = true
		}
	}
	s.Bad = s.Bad || !numbered || p.arguments == ""
}

// scanner reads a chunk.
type scanner struct{ wirejson.Scanner }
