package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on what is looked at to find the end of something, so that the time
// stays linear.
const (
	maxTarget = 1024 // bytes of a link's target, of what stands in angle brackets
	maxTicks  = 32   // backquotes around code
)

// special are the characters that may begin something.
const special = "\\`*_~[]!<:"

// spans writes the text of a line with what is emphasised, linked and code in it.
func (w *writer) spans(text string, base Role) {
	if strings.IndexAny(text, special) < 0 {
		w.put(text, base)
		return
	}
	s := scanner{text: text}
	s.scan()
	match(s.spans)
	w.write(s.spans, base)
}

// effect is a style that lies over spans. They can lie over one another.
type effect int

const (
	strong effect = iota
	emphasis
	strike
	link
	effects
)

// span is a piece of a line.
type span struct {
	text   string
	role   Role // Plain, Code or URL
	sign   byte // of a run of * _ or ~, whose text is what no emphasis takes; 0 for any other span
	opens  bool // emphasis may begin with the run
	closes bool // likewise, end
	size   int  // of the run as it was written

	begin, end [effects]int32 // begin after it, and end before it
}

// write writes the spans.
func (w *writer) write(spans []span, base Role) {
	roles := [effects]Role{Strong, Emphasis, Strike, Link}
	var under [effects]int32
	buffer := make([]Role, 0, effects+2)
	for _, s := range spans {
		in := append(buffer, base)
		for e := range effects {
			under[e] -= s.end[e]
			if under[e] > 0 && s.role != URL && !(roles[e] == base) {
				in = append(in, roles[e])
			}
			under[e] += s.begin[e]
		}
		if s.role != Plain {
			in = append(in, s.role)
		}
		w.put(s.text, in...)
	}
}

// scanner takes a line apart.
type scanner struct {
	text  string
	spans []span
	from  int // of plain text that is not a span yet
	at    int

	brackets []bracket
	ticks    [maxTicks + 1]int // where the last run of so many backquotes stands
	ticked   bool              // that is known
}

// bracket is a [ that may begin a link.
type bracket struct {
	span  int
	after int // where its text begins
	image bool
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
		target = " (" + target + ")"
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
		s.add(span{text: inner, role: URL}, s.at+end+1)
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
	s.spans = append(s.spans, span{text: s.text[begin:end], role: URL})
	s.at, s.from = end, end
}

// addressEnd returns where a URL in running text ends: before spaces, quotes and
// brackets, and the punctuation of the sentence.
func addressEnd(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("<>[]`\"|\\", r) || unicode.Is(unicode.Han, r) || '\u3000' <= r && r <= '\u303f' || '\uff00' <= r && r <= '\uff0f'
	})
	if end < 0 {
		end = len(text)
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
