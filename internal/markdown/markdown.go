// Package markdown turns the Markdown of a model's answer into lines for a
// terminal, while it arrives.
//
// A line that was returned is final: it can be printed, and is never drawn
// again. So everything works line by line with one state. What needs to see more
// than its line (a table, the line above an underline) waits for that, and is
// shown provisionally meanwhile. Emphasis, links and code in a line are taken for
// such only if they end in it.
//
// Text that is read is broken at words where it is wider than the terminal, and goes on
// below its beginning, so that lists and quotes stay what they are; a longer word stays
// whole. Cells of a table are broken, too; where there is no room for columns each row
// is a list. Code is neither broken nor indented, and stands between its fences, so that
// what is copied from it is whole; links show their URL. HTML stays as it is.
package markdown

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Style says how things look.
type Style struct {
	Width int    // columns of the terminal, in which text and tables are made to fit. 0: none is too wide
	ASCII bool   // draw with ASCII alone
	Looks *Looks // nil: without colour, and then the marks of the source stay

	// Safe makes characters that the text names (&#8238;) safe to show, as the text
	// itself is. Controls become U+FFFD in any case.
	Safe func(string) string
}

// Stream is one text. However its pieces are cut, the lines are the same, and
// they hold no control characters but tabs and SGR sequences of the looks.
type Stream struct {
	style Style
	part  []byte // the line that is still coming
	state state
}

// NewStream returns a Stream at the beginning of a text.
func NewStream(style Style) *Stream { return &Stream{style: style} }

// Resize has the lines from now on be for a terminal of that many columns.
func (s *Stream) Resize(width int) { s.style.Width = width }

// Write takes in a piece of the text and returns the lines that are final, without
// their newlines.
func (s *Stream) Write(piece string) (lines []string) {
	w := s.writer()
	for {
		line, rest, ended := strings.Cut(piece, "\n")
		if !ended {
			s.part = append(s.part, line...)
			s.state = w.state
			return w.lines
		}
		if len(s.part) > 0 {
			line = string(append(s.part, line...))
			s.part = s.part[:0]
		}
		w.line(clean(line))
		piece = rest
	}
}

// maxTail bounds what Tail looks at of a line: as much as a large terminal shows.
const maxTail = 16 << 10

// Tail returns what is not final yet, as it would look if the text ended here. Of a
// line that has grown very long it is the end.
func (s *Stream) Tail() []string {
	w := s.writer()
	if n := len(s.part); n > 0 {
		from := max(0, n-maxTail)
		for from > 0 && from < n && !utf8.RuneStart(s.part[from]) {
			from++
		}
		w.line(clean(string(s.part[from:])))
	}
	w.end()
	return w.lines
}

// End returns the lines that are left. What is written after it begins a line.
func (s *Stream) End() []string {
	w := s.writer()
	if len(s.part) > 0 {
		w.line(clean(string(s.part)))
		s.part = s.part[:0]
	}
	w.end()
	s.state = w.state
	return w.lines
}

func (s *Stream) writer() writer {
	return writer{style: s.style, state: s.state, ink: ink{looks: s.style.Looks}}
}

// clean returns line with U+FFFD in the place of what could act on a terminal.
func clean(line string) string {
	if !hasControl(line) {
		return line
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || 0x7f <= r && r < 0xa0 {
			return utf8.RuneError
		}
		return r
	}, line)
}

func hasControl(line string) bool {
	for i := range len(line) {
		if c := line[i]; c < ' ' && c != '\t' || c == 0x7f || c == 0xc2 {
			return true // or the first byte of what is perhaps one
		}
	}
	return !utf8.ValidString(line)
}

// ink writes styled text.
type ink struct {
	looks *Looks
	out   bytes.Buffer
}

// put writes text in one or several roles at once.
func (k *ink) put(text string, roles ...Role) {
	if text == "" {
		return
	}
	styled := false
	for _, r := range roles {
		look := ""
		if k.looks != nil {
			look = k.looks[r]
		}
		if look == "" {
			continue
		}
		if styled {
			k.out.WriteByte(';')
		} else {
			k.out.WriteString("\x1b[")
			styled = true
		}
		k.out.WriteString(look)
	}
	if !styled {
		k.out.WriteString(text)
		return
	}
	k.out.WriteByte('m')
	k.out.WriteString(text)
	k.out.WriteString(reset)
}

// taken returns what was written and begins anew.
func (k *ink) taken() string {
	text := k.out.String()
	k.out.Reset()
	return text
}
