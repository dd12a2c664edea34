package tools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// envelope is what the JSON of a result takes beside its text, and the note of
// a cut.
const envelope = 512

// fit returns the length of the longest beginning of text that takes at most
// max bytes as a JSON string and does not end inside a character.
func fit(text string, max int) int {
	if len(text) <= max/6 { // the longest escape has six bytes
		return len(text)
	}
	for i := 0; i < len(text); {
		c, n := text[i], 1
		switch {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f':
			max -= 2
		case c < ' ':
			max -= 6
		case c < utf8.RuneSelf:
			max--
		default:
			var r rune
			r, n = utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && n == 1 || r == '\u2028' || r == '\u2029' {
				max -= 6
			} else {
				max -= n
			}
		}
		if max < 0 {
			return i
		}
		i += n
	}
	return len(text)
}

// limitText cuts text so that the result that holds it stays within max bytes,
// and says how much is shown.
func limitText(text string, max int) (shown string, cut bool) {
	room := roomFor(max)
	n := fit(text, room)
	if n == len(text) {
		return text, false
	}
	return withCutNote(text[:n], n, len(text), "bytes", ""), true
}

// limitLines joins entries that count among total, as many as stay within most
// and within a result of max bytes, and says how many are shown.
func limitLines(entries []string, total, most, max int, what string) (shown string, cut bool) {
	room, n := roomFor(max), 0
	for n < min(len(entries), most) {
		if room -= len(entries[n]) + 2; room < 0 || fit(entries[n], room+len(entries[n])) < len(entries[n]) {
			break
		}
		room -= escapes(entries[n])
		n++
	}
	text := strings.Join(entries[:n], "\n")
	if n == total {
		return text, false
	}
	return withCutNote(text, n, total, what, ". Narrow the search to see the rest"), true
}

// escapes returns how many bytes longer text is as JSON, for text without
// invalid UTF-8.
func escapes(text string) int {
	extra := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			extra++
		case c < ' ':
			extra += 5
		}
	}
	return extra
}

// roomFor returns the bytes of text that a result of max bytes has room for.
func roomFor(max int) int {
	if max > 2*envelope {
		return max - envelope
	}
	return max / 2
}

// withCutNote returns text with a note, after a blank line, of how much it is.
func withCutNote(text string, shown, total int, what, do string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fmt.Sprintf("%s\n[OUTPUT TRUNCATED - %s/%s %s shown%s]", text, group(int64(shown)), group(int64(total)), what, do)
}

// group returns n with commas between groups of three digits.
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural returns "1 file" or "2 files".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "ch") {
		return group(int64(n)) + " " + what + "es"
	}
	if rest, ok := strings.CutSuffix(what, "y"); ok {
		return group(int64(n)) + " " + rest + "ies"
	}
	return group(int64(n)) + " " + what + "s"
}

// size returns a number of bytes as people read it.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return plural(int(n), "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}

// display returns a file name that stands on one line: one that is not UTF-8
// or has control characters is quoted as in Go.
func display(name string) string {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }) {
		return strconv.Quote(name)
	}
	return name
}
