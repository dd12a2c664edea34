package tools

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// clean returns the output of a program as text without what only a terminal
// understands: escape sequences, control characters, all but the last state of
// lines that were written over. Line breaks become '\n', bytes that are not
// UTF-8 become U+FFFD, and characters that would have the text around them read
// backwards become their names, as in <U+202E>.
func clean(b []byte) string {
	if !needsCleaning(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b))
	for line := range bytes.Lines(b) {
		text, ended := bytes.CutSuffix(line, []byte{'\n'})
		out.WriteString(cleanLine(text))
		if ended {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

func needsCleaning(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return true
		}
	}
	return false
}

// cleanLine returns the last state of one line.
func cleanLine(b []byte) string {
	var text []byte
	over := false // a carriage return: what follows is written over the line
	for len(b) > 0 {
		c := b[0]
		if c == 0x1b || isC1(b) {
			b = b[escapeLength(b):]
			continue
		}
		if c == '\r' {
			over = true
			b = b[1:]
			continue
		}
		if c == '\b' {
			_, n := utf8.DecodeLastRune(text)
			text = text[:len(text)-n]
			b = b[1:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		if r < ' ' && r != '\t' || r == 0x7f {
			continue
		}
		if over {
			text, over = text[:0], false
		}
		if turnsText(r) {
			text = fmt.Appendf(text, "<U+%04X>", r)
		} else {
			text = utf8.AppendRune(text, r)
		}
	}
	return string(text)
}

// turnsText reports whether r embeds, overrides or isolates a direction of
// writing, or ends that.
func turnsText(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// isC1 reports whether b begins with one of the control characters U+0080 to
// U+009F, which stand for an escape and a character each.
func isC1(b []byte) bool { return len(b) > 1 && b[0] == 0xc2 && b[1] >= 0x80 && b[1] < 0xa0 }

// escapeLength returns the length of the escape sequence that b begins with,
// as far as it stands on this line.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	c := b[1]
	if isC1(b) {
		c -= 0x40
	}
	switch {
	case c == '[':
		return controlLength(b)
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		return stringLength(b)
	case isC1(b):
		return 2
	case c >= ' ' && c <= '/': // bytes in between, then the last one
		for i := 2; i < len(b); i++ {
			if b[i] < ' ' || b[i] > '/' {
				return i + 1
			}
		}
		return len(b)
	case c < ' ' || c > '~':
		return 1
	}
	return 2
}

// controlLength returns the length of a sequence of parameters and one byte that
// says what to do.
func controlLength(b []byte) int {
	for i := 2; i < len(b); i++ {
		if b[i] < ' ' || b[i] > '?' {
			if b[i] < '@' || b[i] > '~' {
				return i // broken off
			}
			return i + 1
		}
	}
	return len(b)
}

// stringLength returns the length of a sequence that is a text up to a
// terminator.
func stringLength(b []byte) int {
	for i := 2; i < len(b); i++ {
		switch {
		case b[i] == 0x07:
			return i + 1
		case b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\', isC1(b[i:]) && b[i+1] == 0x9c:
			return i + 2
		case b[i] == 0x1b:
			return i
		}
	}
	return len(b)
}
