package tui

import (
	"ikigai/internal/tty"
)

// section is a part of the live region. Where there is too little room, it gives
// lines up, from its beginning or its end.
type section struct {
	lines []string
	least int  // lines that it keeps
	top   bool // it gives up lines from its beginning
}

// view returns the live region: what has come of the reply, what runs and is
// waited for, the question, the input, the status.
func (s *state) view() tty.Live {
	room := max(1, s.height-1)
	question, questionRow, questionCol := s.questionLines(room)
	input, row, col := s.inputLines(max(1, room/2))
	sections := []section{
		{lines: s.tailLines(), top: true},
		{lines: s.runningLines(), top: true},
		{lines: s.workLines()},
		{lines: s.waitingLines()},
		{lines: question, least: len(question)},
		{lines: input, least: len(input)},
		{lines: s.helpLines()},
		{lines: s.statusLines()},
	}
	// What gives way first. The line that says what is under way, and what is
	// asked and typed, stay longest.
	fit(sections, room, []int{0, 6, 3, 1, 7, 2, 4, 5})
	live := tty.Live{Row: row, Col: col}
	for i, part := range sections {
		switch {
		case i == 4 && len(part.lines) > 0 && questionRow >= 0:
			live.Row, live.Col = len(live.Lines)+questionRow, questionCol
		case i == 5 && (len(sections[4].lines) == 0 || questionRow < 0):
			live.Row = len(live.Lines) + row
		}
		live.Lines = append(live.Lines, part.lines...)
	}
	return live
}

// fit takes lines from sections, in an order, until all fit into room rows.
func fit(sections []section, room int, order []int) {
	over := -room
	for _, part := range sections {
		over += len(part.lines)
	}
	for _, i := range order {
		part := &sections[i]
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
	lines := wrapped(s.live.Tail(), s.width-1)
	return lines[max(0, len(lines)-max(1, s.height/3)):]
}

// workLines says what is under way.
func (s *state) workLines() []string {
	line := s.work.line(s.now)
	if line == "" || len(s.asked) > 0 {
		return nil
	}
	style, dot := s.live.Style, s.glyph(" · ", " - ")
	stop := dot + "Esc stops"
	if len(s.running) > 0 {
		stop += dot + "Ctrl-X cancels the call"
	}
	line = s.glyph("…", "...") + " " + line
	return []string{style.Faint(s.cut(line+stop, s.width-1))}
}

// waitingLines shows what was sent off and has not begun.
func (s *state) waitingLines() (lines []string) {
	for i, input := range s.waiting {
		how := "then: "
		if !input.Queue {
			how = "next: "
		}
		line := "  " + how + safe(input.Text)
		if i == len(s.waiting)-1 && s.input.Empty() {
			line = s.cut(line, s.width-1-len(takesBack)) + takesBack
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
	return a.widget.View(max(1, s.width-1), room)
}

// inputLines shows the input behind its mark.
func (s *state) inputLines(most int) (lines []string, row, col int) {
	mark := s.glyph("›", ">") + " "
	lines, row, col = s.input.View(max(1, s.width-3), most)
	for i := range lines {
		if i == 0 {
			lines[i] = s.live.Style.Accent(mark) + lines[i]
		} else {
			lines[i] = "  " + lines[i]
		}
	}
	return lines, row, col + 2
}
