package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"ikigai"
)

// JSONLine returns e as one line of JSON with its newline: the form for
// programs of what a block shows to people. The keys are those of Event, in
// its order. Characters that act on a terminal or cannot be seen stand in it
// as escapes, so that the line can be printed. Data that is no JSON becomes a
// string.
func JSONLine(e ikigai.Event) []byte {
	if len(e.Data) > 0 && !json.Valid(e.Data) {
		e.Data, _ = json.Marshal(string(e.Data)) // a string can always be encoded
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		panic(fmt.Sprintf("transcript: event %d as JSON: %v", e.Seq, err)) // valid data leaves nothing to fail
	}
	return Visible(b.Bytes())
}

// Visible returns the JSON text line with everything that is no plain ASCII
// and would not show as a character replaced by its escape, so that it can be
// printed. Such characters can only stand inside strings.
func Visible(line []byte) []byte {
	clean := 0
	for clean < len(line) && line[clean] < 0x7F {
		clean++
	}
	if clean == len(line) {
		return line
	}
	out := append(make([]byte, 0, len(line)+16), line[:clean]...)
	for i := clean; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, `\ufffd`...)
		case !hidden(r):
			out = append(out, line[i:i+n]...)
		case r > 0xFFFF:
			hi, lo := 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}

// hidden reports whether r acts on a terminal or cannot be seen.
func hidden(r rune) bool {
	switch {
	case r >= 0x7F && r < 0xA0, // controls
		r >= 0x200B && r <= 0x200F, r >= 0x2028 && r <= 0x202E, r >= 0x2060 && r <= 0x206F,
		r == 0xFEFF, r >= 0xFFF9 && r <= 0xFFFB, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}
