package safetext

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Terminal returns s such that printing it can do nothing to a terminal but
// show text: the result is valid UTF-8 without control characters other than
// newline and tab.
//
// Colours and other complete CSI sequences, which hold no text, are removed.
// Everything else stays visible, so that nothing hides from the reader: other
// controls become their pictures (ESC is ␛, BEL is ␇), bytes that are no UTF-8
// become U+FFFD, and characters that are invisible or reorder the line become
// their names, as in <U+202E>. A carriage return, alone or before a newline,
// is a newline.
//
// Text without any of this is returned as it is, without allocation. Terminal
// of its own result is that result.
func Terminal(s string) string {
	if len(s) == cleanPrefix(s) {
		return s
	}
	var f Filter
	return f.Text(s) + f.End()
}

// Filter is Terminal for text that comes in pieces: however it is cut, the
// joined results are the same. The zero Filter is ready. It holds back at most
// 64 bytes.
type Filter struct {
	held string // the beginning of a character or an escape sequence
	cr   bool   // the character before was a carriage return
}

// Text returns what there is to show once s has come. The beginning of a
// character or of an escape sequence at the end of s waits for the next call.
func (f *Filter) Text(s string) string {
	if s == "" {
		return ""
	}
	s, f.held = f.held+s, ""
	if n := cleanPrefix(s); n == len(s) && !f.cr {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	f.held = s[f.filter(&b, s, false):]
	return b.String()
}

// End returns what is still to show after the last Text, and readies f for
// another text.
func (f *Filter) End() string {
	s := f.held
	*f = Filter{}
	if s == "" {
		return ""
	}
	var b strings.Builder
	f.filter(&b, s, true)
	*f = Filter{}
	return b.String()
}

// filter writes what s shows and returns how many bytes of s it has taken,
// which is all of them when s is the last piece.
func (f *Filter) filter(b *strings.Builder, s string, last bool) int {
	for i := 0; i < len(s); {
		if s[i] == '\n' && f.cr {
			f.cr = false
			i++
			continue
		}
		f.cr = false
		if n := cleanPrefix(s[i:]); n > 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		switch c := s[i]; {
		case c == escape:
			n, whole := sequence(s[i:])
			if !whole && !last {
				return i
			}
			if !whole || n == 0 {
				b.WriteRune(picture(escape))
				n = 1
			}
			i += n
		case c == '\r':
			b.WriteByte('\n')
			f.cr = true
			i++
		case c < utf8.RuneSelf:
			b.WriteRune(picture(c))
			i++
		default:
			if !last && !utf8.FullRuneInString(s[i:]) {
				return i
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b.WriteRune(utf8.RuneError)
			} else {
				fmt.Fprintf(b, "<U+%04X>", r)
			}
			i += n
		}
	}
	return len(s)
}

// cleanPrefix returns the length of the longest beginning of s that can be
// shown as it is.
func cleanPrefix(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7F {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || deceives(r) {
			return i
		}
		i += n
	}
	return len(s)
}

// deceives reports whether r acts on a terminal, reorders text or cannot be
// seen. The joiners and marks that scripts and emoji need are not among them:
// U+200C to U+200F, U+061C, U+00AD and the first sixteen variation selectors.
func deceives(r rune) bool {
	switch {
	case r < 0xA0:
		return r >= 0x80 // C1 controls
	case r < 0x115F:
		return false
	case r <= 0x1160, r == 0x3164, r == 0xFFA0: // Hangul fillers
		return true
	case r < 0x2000:
		return r == 0x180E // Mongolian vowel separator
	case r <= 0x206F:
		return r == 0x200B || // zero width space
			r >= 0x2028 && r <= 0x202E || // separators, embeddings, overrides
			r >= 0x2060 // word joiner, invisible operators, isolates, deprecated controls
	case r < 0xFEFF:
		return false
	case r == 0xFEFF, r >= 0xFFF9 && r <= 0xFFFB: // byte order mark, annotations
		return true
	}
	return r >= 0xE0000 && r <= 0xE0FFF // tags and supplementary variation selectors
}

const (
	escape    = 0x1B
	maxEscape = 64 // bytes; longer than any sequence in use
)

// sequence tells of the escape sequence that s begins with. n is the length of
// a sequence to remove, 0 when there is none. It is not whole when more of s
// is needed to tell.
func sequence(s string) (n int, whole bool) {
	if len(s) < 2 {
		return 0, false
	}
	switch s[1] {
	case '[':
		return controlSequence(s)
	case '(', ')', '*', '+': // choice of a character set: one more byte
		if len(s) < 3 {
			return 0, false
		}
		if s[2] >= '0' && s[2] <= '~' {
			return 3, true
		}
	}
	return 0, true
}

// controlSequence is sequence for s that begins with ESC [.
func controlSequence(s string) (n int, whole bool) {
	i := 2
	for ; i < len(s) && i < maxEscape && s[i] >= '0' && s[i] <= '?'; i++ {
	}
	for ; i < len(s) && i < maxEscape && s[i] >= ' ' && s[i] <= '/'; i++ {
	}
	switch {
	case i == maxEscape:
		return 0, true
	case i == len(s):
		return 0, false
	case s[i] >= '@' && s[i] <= '~':
		return i + 1, true
	}
	return 0, true
}

// picture returns the character that shows the ASCII control c.
func picture(c byte) rune {
	if c == 0x7F {
		return '␡'
	}
	return '␀' + rune(c)
}
