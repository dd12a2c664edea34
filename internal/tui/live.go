package tui

import (
	"github.com/charmbracelet/x/ansi"

	"ikigai/internal/tty"
)

// section is a part of the live region. Where there is too little room, it gives
// lines up, from its beginning or its end.
type section struct {
	lines []string
	least int  // lines that it keeps
	top   bool // it gives up lines from its beginning
}

// The parts of the live region, from top to bottom.
const (
	partTail = iota
	partGap
	partRunning
	partWork
	partWaiting
	partQuestion
	partInput
	partHelp
	partStatus
	parts
)

// givesWay is the order in which parts give up lines. What is asked and typed, and
// what is under way, stay longest.
var givesWay = [...]int{partGap, partTail, partHelp, partWaiting, partRunning, partStatus, partWork, partInput}

// view returns the live region: what has come of the reply, what runs and is
// waited for, the question, the input, the status.
func (s *state) view() tty.Live {
	room := max(1, s.height-1)
	question, questionRow, questionCol := s.questionLines(room)
	input, row, col := s.inputLines(max(1, room/2))
	all := [parts]section{
		partTail:     {lines: s.tailLines(), top: true},
		partRunning:  {lines: s.runningLines(), top: true},
		partWork:     {lines: s.workLines()},
		partWaiting:  {lines: s.waitingLines(), top: true},
		partQuestion: {lines: question},
		partInput:    {lines: input, least: len(input)},
		partHelp:     {lines: s.helpLines()},
		partStatus:   {lines: s.statusLines()},
	}
	if len(all[partTail].lines) == 0 && s.under() == nil { // what is printed has ended
		all[partGap].lines = []string{""}
	}
	focus, blind := partInput, false
	if s.question() != nil {
		all[partInput].least = 0
		blind = questionRow < 0 && s.input.Empty()
	}
	if questionRow >= 0 {
		focus, row, col = partQuestion, questionRow, questionCol
	}
	fit(&all, room)
	if s.width > narrow {
		spare(&all, room-1, s.width)
	}
	live := tty.Live{Col: col, Blind: blind}
	for i, part := range all {
		if i == focus {
			live.Row = len(live.Lines) + row
		}
		live.Lines = append(live.Lines, part.lines...)
	}
	live.Row = max(0, min(live.Row, len(live.Lines)-1)) // the input may have given way
	return live
}

// narrow is how narrow a terminal may get, in one step, with the live region still
// on one screen. What does not fit leaves at the top before the program is told, and
// stands above for good.
const narrow = 30

// spare has what comes and goes by itself give up lines until all parts would take
// room rows on a terminal that is narrow. The last of several lines of a reply counts
// as a full one: what stands below is not to go up and down as it grows.
func spare(all *[parts]section, room, width int) {
	over := -room
	for _, part := range all {
		for _, line := range part.lines {
			over += rows(line, narrow)
		}
	}
	grows := 0
	if tail := all[partTail].lines; len(tail) > 1 {
		grows = max(0, 1+(width-2)/narrow-rows(tail[len(tail)-1], narrow))
	}
	for _, i := range [...]int{partTail, partRunning} {
		for part := &all[i]; over+grows > 0 && len(part.lines) > 1; part.lines = part.lines[1:] {
			over -= rows(part.lines[0], narrow)
		}
		grows = 0 // for that the reply alone makes room
	}
}

// fit has parts give up lines until all take room rows.
func fit(all *[parts]section, room int) {
	over := -room
	for _, part := range all {
		over += len(part.lines)
	}
	for _, i := range givesWay {
		part := &all[i]
		n := min(over, len(part.lines)-part.least)
		if n <= 0 {
			continue
		}
		over -= n
		if part.top {
			part.lines = part.lines[n:]
		} else {
			part.lines = part.lines[:len(part.lines)-n]
		}
	}
}

// tailLines shows what has come of a reply and is not printed yet: its end, in a
// third of the screen.
func (s *state) tailLines() []string {
	room := max(1, s.height/3)
	text, _ := lastRows(s.live.Tail(), room, s.width-1)
	lines := wrapped(text, s.width-1)
	return lines[max(0, len(lines)-room):]
}

// workLines says what is under way.
func (s *state) workLines() []string {
	if !s.work.busy || len(s.asked) > 0 {
		return nil
	}
	dot := s.glyph(" · ", " - ")
	stops, cancels := dot+"Esc stops", ""
	if len(s.running()) > 0 {
		cancels = dot + "Ctrl-X cancels the call"
	}
	what, took := s.doing()
	line := s.glyph("…", "...") + " " + what
	for _, hints := range []string{stops + cancels, stops, ""} {
		if ansi.StringWidth(line+took+hints) < s.width {
			return []string{s.live.Style.Faint(line + took + hints)}
		}
	}
	return []string{s.live.Style.Faint(s.cut(line, s.width-1-len(took)) + took)}
}

// waitingLines shows what was sent off and has not begun.
func (s *state) waitingLines() (lines []string) {
	for i, input := range s.waiting {
		how := "then: "
		if !input.Queue {
			how = "next: "
		}
		line := "  " + how + safe(input.Text)
		if room := s.width - 1 - len(takesBack); i == len(s.waiting)-1 && s.input.Empty() && room >= 20 {
			line = s.cut(line, room) + takesBack
		}
		lines = append(lines, s.live.Style.Faint(s.cut(line, s.width-1)))
	}
	return lines
}

const takesBack = "  (Up takes it back)"

// questionLines shows what is asked.
func (s *state) questionLines(room int) (lines []string, row, col int) {
	a := s.question()
	if a == nil {
		return nil, -1, 0
	}
	a.widget.Show(s.unanswerable())
	return a.widget.View(max(1, s.width-1), room)
}

// inputLines shows the input.
func (s *state) inputLines(most int) (lines []string, row, col int) {
	return s.input.View(max(1, s.width-1), most)
}
