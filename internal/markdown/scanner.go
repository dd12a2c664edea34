package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTicks bounds the backquotes around code.
const maxTicks = 32

// special are the characters that may begin something.
const special = "\\`*_~[]!<:&"

// scanner takes a line apart.
type scanner struct {
	text  string
	safe  func(string) string // see Style
	spans []span
	from  int // of plain text that is not a span yet
	at    int

	brackets []bracket
	ticks    [maxTicks + 1]int // where the last run of so many backquotes stands
	ticked   bool              // that is known
}

func (s *scanner) scan() {
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch c {
		case '\\':
			s.escape()
		case '`':
			s.code()
		case '*', '_', '~':
			s.run(c)
		case '[':
			s.bracket(1)
		case ']':
			s.link()
		case '!':
			if s.has("![") {
				s.bracket(2)
			} else {
				s.at++
			}
		case '<':
			s.angle()
		case ':':
			s.address()
		case '&':
			s.entity()
		default:
			s.at++
		}
	}
	s.plain(len(s.text))
}

func (s *scanner) has(prefix string) bool { return strings.HasPrefix(s.text[s.at:], prefix) }

// plain makes a span of the plain text before end.
func (s *scanner) plain(end int) {
	if s.from < end {
		s.spans = append(s.spans, span{text: s.text[s.from:end]})
	}
}

// add adds a span that stands for the text up to end.
func (s *scanner) add(n span, end int) {
	s.plain(s.at)
	s.spans = append(s.spans, n)
	s.at, s.from = end, end
}

// escape leaves out the backslash before punctuation.
func (s *scanner) escape() {
	if s.at+1 < len(s.text) && isPunct(rune(s.text[s.at+1])) {
		s.plain(s.at)
		s.from = s.at + 1
		s.at++
	}
	s.at++
}

// code takes in code between runs of backquotes of the same length.
func (s *scanner) code() {
	n := runLength(s.text[s.at:])
	from := s.at + n
	end := s.closing(n, from)
	if end < 0 {
		s.at = from
		return
	}
	text := s.text[from:end]
	if len(text) > 2 && text[0] == ' ' && text[len(text)-1] == ' ' && strings.Trim(text, " ") != "" {
		text = text[1 : len(text)-1]
	}
	s.add(span{text: text, role: Code}, end+n)
}

// closing returns where the next run of n backquotes begins, or -1.
func (s *scanner) closing(n, from int) int {
	if n > maxTicks || s.ticked && s.ticks[n] < from {
		return -1
	}
	for i := from; i < len(s.text); i++ {
		if s.text[i] != '`' {
			continue
		}
		m := runLength(s.text[i:])
		if m == n {
			return i
		}
		if m <= maxTicks {
			s.ticks[m] = max(s.ticks[m], i)
		}
		i += m - 1
	}
	s.ticked = true
	return -1
}

// runLength returns how often the first character of text is repeated.
func runLength(text string) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}

// run takes in a run of characters that may emphasise.
func (s *scanner) run(c byte) {
	n := runLength(s.text[s.at:])
	before, _ := utf8.DecodeLastRuneInString(s.text[:s.at])
	after, _ := utf8.DecodeRuneInString(s.text[s.at+n:])
	if s.at == 0 {
		before = ' '
	}
	if s.at+n == len(s.text) {
		after = ' '
	}
	spaceBefore, spaceAfter := unicode.IsSpace(before), unicode.IsSpace(after)
	opens := !spaceAfter && (!isPunct(after) || spaceBefore || isPunct(before))
	closes := !spaceBefore && (!isPunct(before) || spaceAfter || isPunct(after))
	switch {
	case c == '_':
		opens, closes = opens && (!closes || isPunct(before)), closes && (!opens || isPunct(after))
	case c == '~' && n != 2, unicode.IsDigit(before) && unicode.IsDigit(after):
		opens, closes = false, false // one is more often "about"; between numbers it is "times"
	}
	if !opens && !closes {
		s.at += n
		return
	}
	s.add(span{text: s.text[s.at : s.at+n], sign: c, opens: opens, closes: closes, size: n}, s.at+n)
}
