package markdown

import (
	"html"
	"strings"
)

// maxEntity bounds how long an entity is.
const maxEntity = 34

// entity takes in an entity, which is never a mark.
func (s *scanner) entity() {
	shown, n := s.named(s.text[s.at:])
	if n == 0 {
		s.at++
		return
	}
	s.add(span{text: shown}, s.at+n)
}

// named returns what the entity at the beginning of text stands for, safe to show, and
// how long it is; 0 if there is none.
func (s *scanner) named(text string) (shown string, n int) {
	shown, n = entity(text)
	if s.safe != nil {
		shown = s.safe(shown)
	}
	return clean(shown), n
}

// entity returns what the entity at the beginning of text stands for, with spaces for
// what would end the line, and how long it is; 0 if there is none.
func entity(text string) (shown string, n int) {
	near := text[:min(len(text), maxEntity)]
	n = strings.IndexByte(near, ';') + 1
	if n == 0 || !isEntity(near[1:n-1]) {
		return "", 0
	}
	shown = html.UnescapeString(near[:n])
	if near[1] != '#' && (shown == near[:n] || strings.HasSuffix(shown, ";") && shown != ";") {
		return "", 0 // no name, or only the beginning of one
	}
	return strings.Map(inLine, shown), n
}

// inLine returns a space for what would end the line, or be as wide as its place wants.
func inLine(r rune) rune {
	if r == '\n' || r == '\r' || r == '\t' {
		return ' '
	}
	return r
}

// isEntity reports whether name has the form of what stands between & and ;.
func isEntity(name string) bool {
	allowed := "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits, most := name, len(name)
	switch {
	case strings.HasPrefix(name, "#x"), strings.HasPrefix(name, "#X"):
		digits, most, allowed = name[2:], 6, "0123456789ABCDEFabcdef"
	case strings.HasPrefix(name, "#"):
		digits, most, allowed = name[1:], 7, "0123456789"
	}
	return digits != "" && len(digits) <= most && strings.Trim(digits, allowed) == ""
}

// unescaped returns text with the characters that its entities stand for.
func (s *scanner) unescaped(text string) string {
	if !strings.Contains(text, "&") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] == '&' {
			if shown, n := s.named(text[i:]); n > 0 {
				b.WriteString(shown)
				i += n
				continue
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}
