package webpage

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inline is the text of a block as it is put together: words with one blank
// between them.
type inline struct {
	buf   []byte
	space bool // there is white space after buf
	spans []span
}

// span is marked text that is still open.
type span struct {
	name, open, close string
	from              int  // in buf
	inner             bool // a link into the page
}

// words adds text. White space in it parts words, no more.
func (w *inline) words(s string) {
	for s != "" {
		n := strings.IndexAny(s, " \t\n")
		if n < 0 {
			n = len(s)
		}
		if n == 0 {
			w.space = true
			s = s[1:]
			continue
		}
		w.part()
		w.buf = append(w.buf, s[:n]...)
		s = s[n:]
	}
}

// part writes the blank that is due.
func (w *inline) part() {
	if w.space && len(w.buf) > 0 && w.buf[len(w.buf)-1] != '\n' {
		w.buf = append(w.buf, ' ')
	}
	w.space = false
}

func (w *inline) verbatim(s string) { w.buf = append(w.buf, s...) }

func (w *inline) lineBreak(verbatim, blank bool) {
	switch {
	case verbatim:
		w.buf = append(w.buf, '\n')
	case blank:
		w.space = true
	case len(w.buf) > 0:
		w.buf = append(w.buf, '\n')
		w.space = false
	}
}

// mark begins marked text, unless it is marked so already.
func (w *inline) mark(t token, base *url.URL) {
	s := span{name: markName(t.name)}
	switch s.name {
	case "code":
		s.open, s.close = "`", "`"
	case "strong":
		s.open, s.close = "**", "**"
	case "em":
		s.open, s.close = "*", "*"
	case "a":
		s.inner = strings.HasPrefix(strings.TrimSpace(t.attr("href")), "#")
		if target := absolute(base, t.attr("href")); target != "" {
			s.open, s.close = "[", "]("+target+")"
		}
	}
	for _, other := range w.spans {
		if other.name == s.name || other.name == "code" {
			return
		}
	}
	w.part()
	s.from = len(w.buf)
	w.spans = append(w.spans, s)
}

// markName returns the name under which an element marks text.
func markName(element string) string {
	switch element {
	case "samp", "kbd", "tt":
		return "code"
	case "b":
		return "strong"
	case "i":
		return "em"
	}
	return element
}

// close ends the marked text that an element began.
func (w *inline) close(element string) {
	for i := len(w.spans) - 1; i >= 0; i-- {
		if s := w.spans[i]; s.name == markName(element) {
			w.spans = append(w.spans[:i], w.spans[i+1:]...)
			w.wrap(s)
			return
		}
	}
}

// wrap puts the marks around what was written since s began.
func (w *inline) wrap(s span) {
	content := string(w.buf[s.from:])
	switch trimmed := strings.TrimRight(content, "\n"); {
	case trimmed == "", s.inner && isSign(trimmed):
		w.buf = w.buf[:s.from]
	case s.open == "":
	case s.name == "code" && strings.Contains(content, "`"):
		w.replace(s, "`` "+content+" ``")
	case s.name == "a":
		w.replace(s, s.open+strings.ReplaceAll(trimmed, "\n", " ")+s.close)
	default:
		w.replace(s, s.open+trimmed+s.close)
	}
}

// replace writes text in the place of what was written since s began.
func (w *inline) replace(s span, text string) {
	w.buf = append(w.buf[:s.from], text...)
	for i := range w.spans {
		if w.spans[i].from > s.from {
			w.spans[i].from = min(w.spans[i].from+len(s.open), len(w.buf))
		}
	}
}

// isSign reports whether text is the sign by which headings can be linked to.
func isSign(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n == len(text) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// take returns what was written. What is marked goes on being so behind it,
// but for a link that had text.
func (w *inline) take() string {
	var again []span
	for open := w.spans; len(open) > 0; open = open[:len(open)-1] {
		s := open[len(open)-1]
		w.spans = open[:len(open)-1]
		if s.name != "a" || len(w.buf) == s.from {
			again = append([]span{s}, again...)
		}
		w.wrap(s)
	}
	text := strings.Trim(string(w.buf), " \n")
	w.buf, w.space, w.spans = w.buf[:0], false, again
	for i := range again {
		again[i].from = 0
	}
	return text
}

func (w *inline) takeVerbatim() string {
	text := string(w.buf)
	w.buf, w.space, w.spans = w.buf[:0], false, nil
	return text
}
