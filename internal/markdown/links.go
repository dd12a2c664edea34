package markdown

import (
	"strings"
	"unicode"
)

// maxTarget bounds how far the end of a link's target, or of what stands in angle
// brackets, is looked for, so that the time stays linear.
const maxTarget = 1024

// bracket is a [ that may begin a link.
type bracket struct {
	span  int
	after int // where its text begins
	image bool
}

// bracket takes in the n characters that a link may begin with.
func (s *scanner) bracket(n int) {
	s.add(span{text: s.text[s.at : s.at+n]}, s.at+n)
	s.brackets = append(s.brackets, bracket{span: len(s.spans) - 1, after: s.at, image: n == 2})
}

// link takes in the end of a link, if that is what the ] is.
func (s *scanner) link() {
	last := len(s.brackets) - 1
	if last < 0 {
		s.at++
		return
	}
	b := s.brackets[last]
	s.brackets = s.brackets[:last]
	target, end := targetOf(s.text, s.at+1)
	if end < 0 {
		s.at++
		return
	}
	if !b.image {
		s.brackets = s.brackets[:0] // there are no links in links
	}
	s.spans[b.span].text = ""
	s.spans[b.span].begin[link]++
	if target == s.text[b.after:s.at] || target == "" {
		target = ""
	} else {
		target = " (" + s.unescaped(target) + ")"
	}
	s.add(span{text: target, role: URL}, end)
	s.spans[len(s.spans)-1].end[link]++
}

// targetOf returns what stands in the brackets at text[from], with a title if there
// is one, and where they end; -1 if it is no target of a link.
func targetOf(text string, from int) (target string, end int) {
	if from >= len(text) || text[from] != '(' {
		return "", -1
	}
	depth := 0
	for i := from; i < min(len(text), from+maxTarget); i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return plainTarget(text[from+1 : i]), i + 1
			}
		}
	}
	return "", -1
}

// plainTarget returns a target without the angle brackets that may be around it.
func plainTarget(target string) string {
	target = strings.TrimSpace(target)
	if inner, ok := strings.CutPrefix(target, "<"); ok {
		if address, title, ok := strings.Cut(inner, ">"); ok {
			return address + title
		}
	}
	return target
}

// angle takes in an address in angle brackets, or a tag, in which nothing is
// emphasised.
func (s *scanner) angle() {
	near := s.text[s.at:min(len(s.text), s.at+maxTarget)]
	end := strings.IndexByte(near, '>')
	if end < 2 {
		s.at++
		return
	}
	inner := near[1:end]
	switch {
	case strings.ContainsAny(inner, " <\t"):
		if !isHTML(near[:end+1]) {
			s.at++
			return
		}
	case schemeEnd(inner) > 0 || strings.IndexByte(inner, '@') > 0 && inner[0] != '/' && inner[0] != '!':
		s.add(span{text: s.unescaped(inner), role: URL}, s.at+end+1)
		return
	case !isHTML(near[:end+1]):
		s.at++
		return
	}
	s.at += end + 1
}

// schemeEnd returns where the colon behind a URL's scheme stands, or 0.
func schemeEnd(text string) int {
	n := 0
	for n < len(text) && n <= 32 && (isAlnum(text[n]) || n > 0 && strings.IndexByte("+.-", text[n]) >= 0) {
		n++
	}
	if n < 2 || n >= len(text) || text[n] != ':' {
		return 0
	}
	return n
}

// address takes in a URL whose scheme stands before the colon.
func (s *scanner) address() {
	begin := s.at
	for begin > s.from && s.at-begin < 32 && isAlnum(s.text[begin-1]) {
		begin--
	}
	if s.at-begin < 2 || !s.has("://") {
		s.at++
		return
	}
	end := s.at + 3 + addressEnd(s.text[s.at+3:])
	if end == s.at+3 {
		s.at++
		return
	}
	s.plain(begin)
	s.spans = append(s.spans, span{text: s.unescaped(s.text[begin:end]), role: URL})
	s.at, s.from = end, end
}

// addressEnd returns where a URL in running text ends: before spaces, quotes and
// brackets, also where they are entities, and the punctuation of the sentence.
func addressEnd(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("<>[]`\"|\\", r) || unicode.Is(unicode.Han, r) || '\u3000' <= r && r <= '\u303f' || '\uff00' <= r && r <= '\uff0f'
	})
	if end < 0 {
		end = len(text)
	}
	for i := range end {
		if text[i] != '&' {
			continue
		}
		if shown, n := entity(text[i:]); n > 0 && shown != "&" {
			end = i
			break
		}
	}
	opened := strings.Count(text[:end], "(") - strings.Count(text[:end], ")")
	for end > 0 {
		switch c := text[end-1]; {
		case c == ')' && opened < 0:
			opened++
		case strings.IndexByte("?!.,:;*_~'", c) >= 0:
		default:
			return end
		}
		end--
	}
	return 0
}
