package gemini

import (
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// piece is what a common chunk holds: text, or a summary of thinking, and what
// the reply has cost so far.
type piece struct {
	text    string
	thought bool
	usage   usage
}

// Members that must not come twice: of names that repeat encoding/json makes a
// mixture.
const (
	onceCandidates = 1 << iota
	onceContent
	onceParts
	onceThought
	onceUsage
	oncePrompt
	onceCached
	onceToolPrompt
	onceCandidatesCount
	onceThoughts
)

// fast reads the chunks that make up nearly all of a stream, in a fraction of
// the time that encoding/json takes: one candidate, one part of text without
// signature, no end. It gives up on everything else, and on everything that may
// be faulty.
func fast(chunk []byte) (p piece, ok bool) {
	s := &scanner{wirejson.Scanner{Rest: chunk}}
	for key := s.open(); key != nil; key = s.next() {
		switch string(key) {
		case "candidates":
			s.Once(onceCandidates)
			s.Take("[")
			s.candidate(&p)
			s.Take("]")
		case "usageMetadata":
			s.Once(onceUsage)
			s.usage(&p.usage)
		case "modelVersion", "responseId", "createTime":
			s.SkipString()
		default: // an error, a blocked prompt, what is yet to be invented
			s.Bad = true
		}
	}
	return p, s.Done()
}

func (s *scanner) candidate(p *piece) {
	for key := s.open(); key != nil; key = s.next() {
		switch string(key) {
		case "content":
			s.Once(onceContent)
			s.content(p)
		case "index":
			s.Take("0")
		default:
			s.Bad = true
		}
	}
}

func (s *scanner) content(p *piece) {
	for key := s.open(); key != nil; key = s.next() {
		switch string(key) {
		case "parts":
			s.Once(onceParts)
			s.Take("[")
			s.part(p)
			s.Take("]")
		case "role":
			s.SkipString()
		default:
			s.Bad = true
		}
	}
}

func (s *scanner) part(p *piece) {
	for key := s.open(); key != nil; key = s.next() {
		switch string(key) {
		case "text":
			s.Text(&p.text)
		case "thought":
			s.Once(onceThought)
			s.Take("true")
			p.thought = true
		default:
			s.Bad = true
		}
	}
	s.Bad = s.Bad || p.text == ""
}

func (s *scanner) usage(u *usage) {
	for key := s.open(); key != nil; key = s.next() {
		switch string(key) {
		case "promptTokenCount":
			s.count(oncePrompt, &u.Prompt)
		case "cachedContentTokenCount":
			s.count(onceCached, &u.Cached)
		case "toolUsePromptTokenCount":
			s.count(onceToolPrompt, &u.ToolPrompt)
		case "candidatesTokenCount":
			s.count(onceCandidatesCount, &u.Candidates)
		case "thoughtsTokenCount":
			s.count(onceThoughts, &u.Thoughts)
		case "totalTokenCount":
			s.Number()
		case "trafficType", "serviceTier":
			s.SkipString()
		case "promptTokensDetails", "cacheTokensDetails", "candidatesTokensDetails", "toolUsePromptTokensDetails":
			s.details()
		default:
			s.Bad = true
		}
	}
}

func (s *scanner) count(once int, to *provider.Count) {
	s.Once(once)
	*to = provider.Count(min(s.Number(), provider.MaxCount))
}

// details passes over a list of what kinds of input there were.
func (s *scanner) details() {
	for s.Take("["); !s.Bad; s.Take(",") {
		for key := s.open(); key != nil; key = s.next() {
			switch string(key) {
			case "modality":
				s.SkipString()
			case "tokenCount":
				s.Number()
			default:
				s.Bad = true
			}
		}
		if len(s.Rest) > 0 && s.Rest[0] == ']' {
			break
		}
	}
	s.Take("]")
}

// scanner reads a chunk. The vendor writes a space after each colon, and capital
// letters in names.
type scanner struct{ wirejson.Scanner }

// open reads the start of an object and returns its first key, nil if it has
// none or s is bad.
func (s *scanner) open() []byte {
	s.Take("{")
	if len(s.Rest) > 0 && s.Rest[0] == '}' {
		s.Take("}")
		return nil
	}
	return s.key()
}

// next returns the key after a value, nil at the end of the object or if s is
// bad.
func (s *scanner) next() []byte {
	if len(s.Rest) > 0 && s.Rest[0] == ',' {
		s.Take(",")
		return s.key()
	}
	s.Take("}")
	return nil
}

// key reads a key with its colon, and the space that may follow.
func (s *scanner) key() []byte {
	s.Take(`"`)
	n := 0
	for n < len(s.Rest) && (s.Rest[n]|0x20 >= 'a' && s.Rest[n]|0x20 <= 'z') {
		n++
	}
	key := s.Rest[:n]
	if !s.Bad {
		s.Rest = s.Rest[n:]
	}
	if s.Take(`":`); s.Bad {
		return nil
	}
	if len(s.Rest) > 0 && s.Rest[0] == ' ' {
		s.Rest = s.Rest[1:]
	}
	return key
}
