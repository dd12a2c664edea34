package editor

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"ikigai/internal/safetext"
)

// A chip stands in the text as one character of the last private use area. What
// is typed and pasted holds none of those.
const (
	firstChip = 0x10F000
	mostChips = 0xFFE
	chipLead  = "\xf4\x8f" // with which all of them begin, and nothing else
	chipSize  = 4          // bytes
)

// clean returns text as it may stand in the buffer.
func clean(text string) string {
	text = safetext.Terminal(text)
	if !strings.Contains(text, chipLead) {
		return text
	}
	var b strings.Builder
	for {
		before, _, found := strings.Cut(text, chipLead)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		r, size := utf8.DecodeRuneInString(text[len(before):])
		fmt.Fprintf(&b, "<U+%04X>", r)
		text = text[len(before)+size:]
	}
}

// cluster returns the grapheme cluster that s begins with. A chip is one by
// itself.
func cluster(s string) string {
	switch {
	case s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf):
		return s[:1]
	case strings.HasPrefix(s, chipLead):
		return s[:chipSize]
	}
	if n := plainSize(s); n > 0 {
		return s[:n]
	}
	c, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if i := strings.Index(c, chipLead); i > 0 {
		return c[:i]
	}
	return c
}

// align returns the first boundary of clusters in s at pos or after it.
func align(s string, pos int) int {
	i := anchor(s, pos)
	for i < pos {
		i += len(cluster(s[i:]))
	}
	return i
}

// previous returns where the cluster begins that ends at pos, which is a boundary
// of clusters. Before the first one it is 0.
func previous(s string, pos int) int {
	if pos == 0 {
		return 0
	}
	i := anchor(s, pos-1)
	for {
		next := i + len(cluster(s[i:pos]))
		if next >= pos {
			return i
		}
		i = next
	}
}

// following returns where the cluster ends that begins at pos.
func following(s string, pos int) int {
	if pos == len(s) {
		return pos
	}
	return pos + len(cluster(s[pos:]))
}

// anchor returns a boundary of clusters at pos or before it that can be told from
// the characters around it alone: the nearest, so that nobody need read a long
// text from its beginning.
func anchor(s string, pos int) int {
	if pos == len(s) {
		return pos
	}
	for pos > 0 {
		for !utf8.RuneStart(s[pos]) {
			pos--
		}
		if pos == 0 {
			break
		}
		after, _ := utf8.DecodeRuneInString(s[pos:])
		before, size := utf8.DecodeLastRuneInString(s[:pos])
		if parts(after) || parts(before) || plain(after) && plain(before) {
			return pos
		}
		pos -= size
	}
	return 0
}

// plainSize returns the length of the character that s begins with if it can be told
// at once that it is a cluster, and 0 otherwise.
func plainSize(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	if !plain(r) {
		return 0
	}
	if size == len(s) {
		return size
	}
	if next, _ := utf8.DecodeRuneInString(s[size:]); plain(next) || parts(next) {
		return size
	}
	return 0
}

// parts reports whether clusters end before and after r, whatever stands there.
func parts(r rune) bool { return r == '\n' || r >= firstChip }

// plain reports whether r is one of the many characters that neither combine with
// each other nor with one like them.
func plain(r rune) bool {
	switch {
	case r < 0x80, r >= 0xC0 && r < 0x250: // ASCII, Latin
		return true
	case r >= 0x388 && r < 0x483, r >= 0x5D0 && r <= 0x5EA, r >= 0x620 && r <= 0x64A: // Greek, Cyrillic, Hebrew, Arabic
		return true
	}
	return plainWide(r)
}

// plainWide reports whether r is plain and takes two columns.
func plainWide(r rune) bool {
	return r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r >= 0x4E00 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3
}
