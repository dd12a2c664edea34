package tty

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// line is a line as it is drawn: cells and SGR sequences, and nothing else. What
// styles are on at its end are reset.
type line struct {
	text    string
	width   int  // in columns
	certain bool // all terminals agree on the width
}

// cut makes a line of at most width columns out of text. In ASCII, question marks
// stand for other characters.
func cut(text string, width int, ascii bool) line {
	if plainText(text) && len(text) <= width {
		return line{text: text, width: len(text), certain: true}
	}
	var b strings.Builder
	s := cells{rest: text}
	used, certain := 0, true
	for s.next() && used+s.width <= width {
		b.WriteString(s.before)
		if ascii && s.text[0] >= utf8.RuneSelf {
			b.WriteString(strings.Repeat("?", s.width))
		} else {
			b.WriteString(s.text)
			certain = certain && s.certain()
		}
		used += s.width
		s.drawn = s.style
	}
	if s.drawn != "" {
		b.WriteString(reset)
	}
	return line{text: b.String(), width: used, certain: certain}
}

// breaks is in which row, from 0, the cell at col is when a terminal of that width
// breaks the line; if the line ends before, it is the last row.
func (l line) breaks(width, col int) (row int) {
	if l.width <= width {
		return 0
	}
	used, at := 0, 0
	for c := (cells{rest: l.text}); c.next() && at <= col; at += c.width {
		if used += c.width; used > width {
			row++
			used = c.width
		}
	}
	return row
}

// reset ends all styles.
const reset = "\x1b[m"

// plainText reports whether each byte of s is a cell.
func plainText(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// cells goes through the cells of a text. What is neither a character nor an SGR
// sequence is passed over.
type cells struct {
	rest   string
	text   string // of the cell: one character, as people see it
	width  int    // of the cell in columns
	before string // the SGR sequences in front of it
	style  string // the sequences that make the style of the cell
	drawn  string // the style of the cell that was drawn last, for the caller
}

// next goes to the next cell, and reports whether there is one.
func (s *cells) next() bool {
	s.before = ""
	for s.rest != "" {
		if c := s.rest[0]; c >= ' ' && c < 0x7f && (len(s.rest) == 1 || s.rest[1] < utf8.RuneSelf) {
			s.text, s.rest, s.width = s.rest[:1], s.rest[1:], 1
			return true
		}
		if s.rest[0] == 0x1b {
			s.sequence()
			continue
		}
		r, n := utf8.DecodeRuneInString(s.rest)
		if r == utf8.RuneError && n == 1 || isControl(r) {
			s.rest = s.rest[n:]
			continue
		}
		s.text, s.width = ansi.FirstGraphemeCluster(s.rest, ansi.GraphemeWidth)
		s.rest = s.rest[len(s.text):]
		return true
	}
	return false
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// sequence takes in the escape sequence that rest begins with.
func (s *cells) sequence() {
	n := sgr(s.rest)
	if n == 0 {
		s.rest = s.rest[otherSequence(s.rest):]
		return
	}
	seq := s.rest[:n]
	s.rest = s.rest[n:]
	s.before += seq
	switch {
	case seq == reset || seq == "\x1b[0m":
		s.style = ""
	case strings.HasPrefix(seq, "\x1b[0;"):
		s.style = seq
	default:
		s.style += seq
	}
}

// sgr is the length of the SGR sequence that s begins with, 0 if it begins with
// something else.
func sgr(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// otherSequence is the length of the escape sequence that s begins with.
func otherSequence(s string) int {
	_, _, n, _ := ansi.DecodeSequence(s, 0, nil)
	return max(n, 1)
}

// certain reports whether all terminals draw the cell in as many columns, and in
// its place.
func (s *cells) certain() bool {
	if len(s.text) == 1 {
		return true
	}
	r, n := utf8.DecodeRuneInString(s.text)
	switch {
	case n != len(s.text), s.width == 0: // made of several characters
	case r >= 0x590 && r < 0x900, r >= 0xfb1d && r < 0xfe00, r >= 0xfe70 && r < 0xff00: // from right to left
	case r >= 0x2300 && r < 0x2400, r >= 0x2600 && r < 0x27c0, r >= 0x2b00 && r < 0x2c00, r >= 0x1f000: // emoji, or not
	default:
		return true
	}
	return false
}

// shared is how much of the line is as it was: col columns, the rest is to be drawn
// from there on, in style at first.
func shared(was, is line) (col int, style, rest string) {
	a, b := cells{rest: was.text}, cells{rest: is.text}
	for {
		style, rest = b.style, b.rest
		if !a.next() || !b.next() || a.text != b.text || a.style != b.style || !b.certain() {
			return col, style, rest
		}
		col += b.width
	}
}

// printable appends to buf what is to be printed: characters, SGR sequences, tabs,
// and lines ended as a raw terminal wants them.
func printable(buf []byte, text string, ascii bool) []byte {
	for text != "" {
		n := 0
		for n < len(text) && text[n] >= ' ' && text[n] < 0x7f {
			n++
		}
		buf = append(buf, text[:n]...)
		if text = text[n:]; text == "" {
			break
		}
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == '\n':
			buf = append(buf, "\r\n"...)
		case r == 0x1b:
			if n = sgr(text); n == 0 {
				n = otherSequence(text)
				break
			}
			buf = append(buf, text[:n]...)
		case r == utf8.RuneError && n == 1, r != '\t' && isControl(r):
		case ascii && r >= utf8.RuneSelf:
			buf = append(buf, '?')
		default:
			buf = append(buf, text[:n]...)
		}
		text = text[n:]
	}
	return buf
}
