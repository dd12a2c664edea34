package tui

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// keyHelp is what keys do, in pairs.
var keyHelp = [...][2]string{
	{"Enter", "send; while the model works: steer or queue"},
	{"Tab", "complete; while the model works: queue"},
	{"Alt-Enter, Ctrl-J, \\ Enter", "new line"},
	{"Esc", "stop; twice: edit the last statement"},
	{"Ctrl-C", "clear the input; stop; twice: leave"},
	{"Ctrl-D", "leave"},
	{"Ctrl-X", "cancel the call that began last"},
	{"Up, Down", "history; Up takes back what waits, too"},
	{"Ctrl-R", "search the history"},
	{"Ctrl-O", "show all of the session"},
	{"Ctrl-G", "write in your editor"},
	{"Ctrl-Z, Ctrl-L", "suspend; draw again"},
	{"@", "name a file"},
	{"/", "commands; /help lists them"},
	{"!, !!", "run a command and tell the model, or not"},
}

// Keys returns what keys do, a line for each.
func Keys() string { return Terms(keyHelp[:], 0) }

// Keys returns what keys do in this front, as lines of that width.
func (f *Front) Keys(width int) string {
	if f.loop.plain != nil {
		return plainHelp + "\n"
	}
	return Terms(keyHelp[:], width)
}

// Widths of terms beside which it is said what they mean, and of that at least.
const (
	termWidth    = 27
	meaningWidth = 30
)

// Terms returns terms and what they mean in lines of that width, 0 for any: beside
// one another or, where there is too little room, below.
func Terms(terms [][2]string, width int) string {
	var b strings.Builder
	width = cmp.Or(width, 1<<16)
	beside := width >= termWidth+2+meaningWidth
	indent := 2
	if beside {
		indent = termWidth + 2
	}
	for _, t := range terms {
		term, meaning := t[0], strings.Split(ansi.Wrap(t[1], max(1, width-indent), ""), "\n")
		if beside && ansi.StringWidth(term) <= termWidth {
			fmt.Fprintf(&b, "%-*s  %s\n", termWidth, term, meaning[0])
			meaning = meaning[1:]
		} else {
			b.WriteString(ansi.Wrap(term, width, "") + "\n")
		}
		for _, line := range meaning {
			fmt.Fprintf(&b, "%*s%s\n", indent, "", line)
		}
	}
	return b.String()
}

// helpLines shows what keys do below the input, and where to find it to somebody
// who has just begun a new session.
func (s *state) helpLines() (lines []string) {
	switch {
	case s.fresh && s.status.Model != "":
		return []string{s.live.Style.Faint(s.cut("  ? shows the keys, /help the commands", s.width-1))}
	case !s.help:
		return nil
	}
	width := 27
	if s.width < 70 {
		width = 0
	}
	for _, k := range keyHelp {
		line := fmt.Sprintf("  %-*s  %s", width, k[0], k[1])
		lines = append(lines, s.live.Style.Faint(s.cut(line, s.width-1)))
	}
	return lines
}
