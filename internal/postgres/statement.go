package postgres

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readers are the words that a statement may begin with.
var readers = []string{"select", "with", "values", "table", "show", "explain"}

// statementWords is what of a statement tells whether it only reads.
type statementWords struct {
	first string   // in lower case
	calls []string // names before an opening parenthesis, as the database knows them
}

// readStatement reads the words of a statement that only reads. The server has
// the last word: it runs it in a transaction that is read-only.
func readStatement(text string) (statementWords, error) {
	if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
		return statementWords{}, refuse("is not text in UTF-8")
	}
	words := statementWords{calls: []string{}}
	s := scanner{rest: text}
	for last := (token{}); ; {
		t := s.next()
		switch {
		case t.kind == tokenEnd:
			if !slices.Contains(readers, words.first) {
				return words, refuse("does not begin with a word that only reads")
			}
			return words, nil
		case t.kind == tokenEscaped:
			return words, refuse("has a name with escapes")
		case words.first == "" && t.kind == tokenName:
			words.first = t.text
		case words.first == "" && t.text != "(":
			return words, refuse("does not begin with a word that only reads")
		case t.text == "(" && t.kind == tokenSign && (last.kind == tokenName || last.kind == tokenQuoted):
			words.calls = append(words.calls, last.text)
		}
		last = t
	}
}

type tokenKind int

const (
	tokenSign    tokenKind = iota // one character
	tokenName                     // in lower case
	tokenQuoted                   // a name in quotation marks, without them
	tokenEscaped                  // a name with Unicode escapes
	tokenString
	tokenEnd
)

type token struct {
	kind tokenKind
	text string
}

// scanner splits SQL into tokens as PostgreSQL does, as far as names and
// parentheses go.
type scanner struct{ rest string }

func (s *scanner) next() token {
	s.skip()
	if s.rest == "" {
		return token{kind: tokenEnd}
	}
	lower := strings.ToLower(s.rest[:min(3, len(s.rest))])
	switch c := s.rest[0]; {
	case strings.HasPrefix(lower, `u&"`):
		s.rest = s.rest[2:]
		s.quoted('"')
		return token{kind: tokenEscaped}
	case strings.HasPrefix(lower, "e'"):
		s.rest = s.rest[1:]
		s.escaped()
		return token{kind: tokenString}
	case c == '\'':
		s.quoted('\'')
		return token{kind: tokenString}
	case c == '"':
		return token{tokenQuoted, s.quoted('"')}
	case c == '$' && s.dollar():
		return token{kind: tokenString}
	}
	if end := strings.IndexFunc(s.rest, func(r rune) bool { return !inName(r) }); end != 0 {
		if end < 0 {
			end = len(s.rest)
		}
		name := s.rest[:end]
		s.rest = s.rest[end:]
		return token{tokenName, lowerASCII(name)}
	}
	_, size := utf8.DecodeRuneInString(s.rest)
	sign := s.rest[:size]
	s.rest = s.rest[size:]
	return token{tokenSign, sign}
}

// inName also takes digits at the beginning: a number is no name that anything
// has.
func inName(r rune) bool {
	return r == '_' || r == '$' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r >= utf8.RuneSelf
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return unicode.ToLower(r)
		}
		return r
	}, s)
}

// skip skips space and comments.
func (s *scanner) skip() {
	for {
		s.rest = strings.TrimLeft(s.rest, " \t\n\r\f\v")
		switch {
		case strings.HasPrefix(s.rest, "--"):
			end := strings.IndexAny(s.rest, "\r\n")
			if end < 0 {
				end = len(s.rest)
			}
			s.rest = s.rest[end:]
		case strings.HasPrefix(s.rest, "/*"):
			s.comment()
		default:
			return
		}
	}
}

// comment skips a comment and those within it.
func (s *scanner) comment() {
	depth := 0
	for s.rest != "" {
		switch {
		case strings.HasPrefix(s.rest, "/*"):
			depth++
			s.rest = s.rest[2:]
		case strings.HasPrefix(s.rest, "*/"):
			depth--
			s.rest = s.rest[2:]
			if depth == 0 {
				return
			}
		default:
			s.rest = s.rest[1:]
		}
	}
}

// quoted skips what stands in quotation marks, of which two stand for one, and
// returns it without them.
func (s *scanner) quoted(mark byte) string {
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		if s.rest[i] != mark {
			b.WriteByte(s.rest[i])
			continue
		}
		if i+1 < len(s.rest) && s.rest[i+1] == mark {
			b.WriteByte(mark)
			i++
			continue
		}
		s.rest = s.rest[i+1:]
		return b.String()
	}
	s.rest = ""
	return b.String()
}

// escaped skips a string in which a backslash escapes the next character.
func (s *scanner) escaped() {
	for i := 1; i < len(s.rest); i++ {
		switch s.rest[i] {
		case '\\':
			i++
		case '\'':
			if i+1 >= len(s.rest) || s.rest[i+1] != '\'' {
				s.rest = s.rest[i+1:]
				return
			}
			i++
		}
	}
	s.rest = ""
}

// dollar skips a string between $tag$ and $tag$, and reports whether one begins
// here.
func (s *scanner) dollar() bool {
	end := strings.IndexByte(s.rest[1:], '$')
	if end < 0 {
		return false
	}
	tag := s.rest[:end+2]
	for i, r := range tag[1 : len(tag)-1] {
		if !inName(r) || i == 0 && '0' <= r && r <= '9' {
			return false
		}
	}
	_, after, found := strings.Cut(s.rest[len(tag):], tag)
	if !found {
		after = ""
	}
	s.rest = after
	return true
}
