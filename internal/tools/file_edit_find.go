package tools

import (
	"bytes"
	"iter"
	"strings"
)

// needle is a text to be found: lines between which a break of either form
// stands, LF or CR LF.
type needle struct {
	*document
	lines  [][]byte
	anchor int // the longest line, which is looked for first
}

// newNeedle returns a needle for old, whose line breaks are "\n"; false if the
// encoding of the document cannot hold it, so that it is nowhere.
func newNeedle(d *document, old string) (needle, bool) {
	n := needle{document: d}
	for i, line := range strings.Split(old, "\n") {
		raw, _, ok := d.encode(line)
		if !ok {
			return n, false
		}
		n.lines = append(n.lines, raw)
		if len(raw) > len(n.lines[n.anchor]) {
			n.anchor = i
		}
	}
	return n, true
}

// place is where a text was found, from start to end: its lines as they stand
// there, and the line breaks between them.
type place struct {
	start, end int
	lines      [][]byte
	breaks     [][]byte
}

// all returns every place where the needle is, in order. Places may overlap. What
// a place holds is good until the next one.
func (n needle) all() iter.Seq[place] {
	return func(yield func(place) bool) {
		text := n.text()
		breaks := make([][]byte, len(n.lines)-1)
		look, back := n.lines[n.anchor], 0
		if len(look) == 0 {
			look, back = n.lf, len(n.cr) // nothing but line breaks
		}
		for at := n.index(text, look, 0); at >= 0; at = n.index(text, look, at+n.width()) {
			from := at
			if back > 0 && bytes.HasSuffix(text[:at], n.cr) {
				from -= back
			}
			if p, ok := n.at(from, breaks); ok && !yield(p) {
				return
			}
		}
	}
}

// at reports whether the needle is where its anchor is at an offset. It fills in
// breaks.
func (n needle) at(offset int, breaks [][]byte) (place, bool) {
	text := n.text()
	p := place{start: offset, end: offset, lines: n.lines, breaks: breaks}
	for i := n.anchor - 1; i >= 0; i-- {
		before, ok := bytes.CutSuffix(text[:p.start], n.lf)
		if !ok {
			return p, false
		}
		before = bytes.TrimSuffix(before, n.cr)
		breaks[i] = text[len(before):p.start]
		if !bytes.HasSuffix(before, n.lines[i]) {
			return p, false
		}
		p.start = len(before) - len(n.lines[i])
	}
	for i := n.anchor; ; i++ {
		if !bytes.HasPrefix(text[p.end:], n.lines[i]) {
			return p, false
		}
		p.end += len(n.lines[i])
		if i == len(n.lines)-1 {
			return p, true
		}
		rest := bytes.TrimPrefix(text[p.end:], n.cr)
		if !bytes.HasPrefix(rest, n.lf) {
			return p, false
		}
		next := len(text) - len(rest) + len(n.lf)
		breaks[i] = text[p.end:next]
		p.end = next
	}
}

// breaksOf returns text with "\n" for every line break.
func breaksOf(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// rewrite is a text to be replaced and the one to come in its place, as lines.
type rewrite struct {
	old, new    []string
	first, last int // lines at the beginning and at the end that are the same in both
}

func newRewrite(old, new string) rewrite {
	w := rewrite{old: strings.Split(old, "\n"), new: strings.Split(new, "\n")}
	most := min(len(w.old), len(w.new))
	for w.first < most && w.old[w.first] == w.new[w.first] {
		w.first++
	}
	for w.last < most-w.first && w.old[len(w.old)-1-w.last] == w.new[len(w.new)-1-w.last] {
		w.last++
	}
	return w
}

// changed are the new lines that are not the same in both.
func (w rewrite) changed() []string { return w.new[w.first : len(w.new)-w.last] }

// appendTo appends to out what comes in the place p. Lines that are the same keep
// all that they have in the file; changed, already encoded, come between them.
// near is the line break to use where p has none.
func (w rewrite) appendTo(out []byte, p place, changed [][]byte, near []byte) []byte {
	for i := range w.new {
		switch fromEnd := len(w.new) - 1 - i; {
		case i < w.first:
			out = append(out, p.lines[i]...)
		case fromEnd < w.last:
			out = append(out, p.lines[len(p.lines)-1-fromEnd]...)
		default:
			out = append(out, changed[i-w.first]...)
		}
		if i < len(w.new)-1 {
			out = append(out, w.breakAfter(i, p.breaks, near)...)
		}
	}
	return out
}

// breakAfter returns the break after line i of the new text, where breaks are
// those of the old one.
func (w rewrite) breakAfter(i int, breaks [][]byte, near []byte) []byte {
	n, fromEnd := len(breaks), len(w.new)-1-i
	switch {
	case n == 0:
		return near
	case i >= w.first && fromEnd <= min(w.last, n):
		return breaks[n-fromEnd]
	}
	b := breaks[min(i, n-1)]
	if len(b) == 0 {
		return near // the file ends there
	}
	return b
}
