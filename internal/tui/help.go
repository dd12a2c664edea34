package tui

import (
	"fmt"
	"strings"
)

// keyHelp is what keys do, in pairs.
var keyHelp = [...][2]string{
	{"Enter", "send; while the model works: steer it, or queue, as while_working has it"},
	{"Tab", "complete; while the model works: queue"},
	{"Alt-Enter, Ctrl-J, \\ Enter", "new line"},
	{"Esc", "close a list; stop what is under way; twice: edit the last statement"},
	{"Ctrl-C", "clear the input; stop; twice: leave"},
	{"Ctrl-D", "leave"},
	{"Ctrl-X", "cancel the call that began last"},
	{"Up, Down", "history; Up also takes back what waits"},
	{"Ctrl-R", "search the history"},
	{"Ctrl-O", "show everything, in a pager"},
	{"Ctrl-G", "edit in your editor"},
	{"Ctrl-Z, Ctrl-L", "suspend; draw again"},
	{"@", "name a file"},
	{"/", "commands"},
	{"!, !!", "run a command, and tell the model; or not"},
}

// Keys returns what keys do, as lines.
func Keys() string {
	var b strings.Builder
	for _, k := range keyHelp {
		fmt.Fprintf(&b, "%-27s  %s\n", k[0], k[1])
	}
	return b.String()
}

// helpLines shows what keys do below the input.
func (s *state) helpLines() (lines []string) {
	if !s.help {
		return nil
	}
	for line := range strings.Lines(Keys()) {
		lines = append(lines, s.live.Style.Faint("  "+s.cut(strings.TrimSuffix(line, "\n"), s.width-3)))
	}
	return lines
}
