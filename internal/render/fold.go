package render

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// What Compact leaves of long text: the end matters as much as the beginning,
// for there the errors stand.
const (
	foldHead = 6
	foldTail = 4
	foldLine = 400 // characters of a line
)

// folded is behind for text that Compact may shorten.
func (s Style) folded(first, rest string, how role, text string) string {
	if !s.Compact {
		return s.behind(first, rest, how, text)
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	hidden := len(lines) - foldHead - foldTail
	if hidden <= 1 {
		return s.behind(first, rest, how, s.shortLines(lines))
	}
	in := indenter{style: s, how: how, first: first, rest: rest}
	return in.text(s.shortLines(lines[:foldHead])) +
		rest + s.paint(faint, s.glyph(ellipsis)+" "+count(hidden, "more line")+s.more()) + "\n" +
		in.text(s.shortLines(lines[foldHead+hidden:])) + in.end()
}

// shortLines joins lines, long ones cut.
func (s Style) shortLines(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		end := l
		for range foldLine {
			_, n := utf8.DecodeRuneInString(end)
			end = end[n:]
		}
		hidden := utf8.RuneCountInString(strings.TrimSuffix(end, "\n"))
		if hidden <= foldLine/10 {
			b.WriteString(l)
			continue
		}
		b.WriteString(l[:len(l)-len(end)])
		fmt.Fprintf(&b, " %s %s%s\n", s.glyph(ellipsis), count(hidden, "more character"), s.more())
	}
	return b.String()
}

// more says how to see what is folded.
func (s Style) more() string {
	if s.More == "" {
		return ""
	}
	return ": " + line(s.More)
}
