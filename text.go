package ikigai

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// CleanText returns s as valid UTF-8 without NUL, the text that every store and
// every vendor takes. What cannot stay becomes U+FFFD.
func CleanText(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, replacement)
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", replacement)
	}
	return s
}

// CleanJSON returns JSON text with the escapes of NUL and of lone surrogates
// replaced by that of U+FFFD. They are valid JSON, yet decode to text that
// stores and vendors refuse.
func CleanJSON(s string) string {
	if !strings.Contains(s, `\u`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		n := escapeLen(s[i:])
		if n == 0 {
			b.WriteString(`\ufffd`)
			n = 6
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// escapeLen returns the length of the escape that s begins with, a surrogate
// pair counting as one, and 0 for one that must be replaced.
func escapeLen(s string) int {
	if s[1] != 'u' {
		return 2
	}
	r, ok := hexRune(s)
	switch {
	case !ok:
		return 2
	case r == 0:
		return 0
	case !utf16.IsSurrogate(r):
		return 6
	}
	if low, ok := hexRune(s[6:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
		return 12
	}
	return 0
}

// hexRune decodes an escape such as \u00e9 at the start of s.
func hexRune(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[2:6]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
