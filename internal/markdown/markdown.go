// Package markdown turns the Markdown of a model's answer into lines for a
// terminal, while it arrives.
//
// A line that was returned is final: it can be printed, and is never drawn
// again. So everything works line by line with one state. What needs to see more
// than its line (a table, the line above an underline) waits for that, and is
// shown provisionally meanwhile.
//
// Lines are not wrapped: a terminal does that, and what is copied from it is then
// whole. For the same reason code is not indented, stands between its fences, and
// links show their URL.
package markdown

import "strings"

// Style says how things look.
type Style struct {
	Width int    // columns of the terminal: tables that are wider stay as they were written
	ASCII bool   // draw with ASCII alone
	Looks *Looks // nil: without colour, and then the marks of the source stay
}

// Stream is one text. Its pieces may be cut anywhere: the lines are the same.
// The text must hold no control characters but newlines and tabs.
type Stream struct {
	style Style
	part  strings.Builder // the line that is still coming
}

// NewStream returns a Stream at the beginning of a text.
func NewStream(style Style) *Stream { return &Stream{style: style} }

// Write takes in a piece of the text and returns the lines that are final, without
// their newlines.
func (s *Stream) Write(piece string) (lines []string) {
	for {
		line, rest, ended := strings.Cut(piece, "\n")
		s.part.WriteString(line)
		if !ended {
			return lines
		}
		lines = append(lines, s.part.String())
		s.part.Reset()
		piece = rest
	}
}

// Tail returns what is not final yet, as it would look if the text ended here.
func (s *Stream) Tail() []string {
	if s.part.Len() == 0 {
		return nil
	}
	return []string{s.part.String()}
}

// End returns the lines that are left. What comes after it begins a line.
func (s *Stream) End() (lines []string) {
	lines = s.Tail()
	s.part.Reset()
	return lines
}
