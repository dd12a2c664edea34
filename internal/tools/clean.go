package tools

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// clean returns the output of a program as text without what only a terminal
// understands: escape sequences, control characters, all but the last state of
// lines that were written over. Line breaks become '\n', bytes that are not
// UTF-8 become U+FFFD.
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
		if c == 0x1b {
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
		if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 {
			b = b[n:]
			continue
		}
		if over {
			text, over = text[:0], false
		}
		text = utf8.AppendRune(text, r)
		b = b[n:]
	}
	return string(text)
}

// escapeLength returns the length of the escape sequence that b begins with,
// as far as it stands on this line.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch c := b[1]; {
	case c == '[': // parameters, then one byte that says what to do
		for i := 2; i < len(b); i++ {
			if b[i] < ' ' || b[i] > '?' {
				if b[i] < '@' || b[i] > '~' {
					return i // broken off
				}
				return i + 1
			}
		}
		return len(b)
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_': // a text up to a terminator
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1
			}
			if b[i] == 0x1b {
				if i+1 < len(b) && b[i+1] == '\\' {
					return i + 2
				}
				return i
			}
		}
		return len(b)
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
