package tui

import (
	"fmt"
	"strings"
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
