package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// limit cuts all of a result that the model is sent to the size that it may
// have, MaxOutputSize and no more than about a quarter of the model's context,
// and keeps in a file what was cut off.
func (a *Agent) limit(d *ikigai.ToolResultData) {
	size := a.ResultSize()
	if size <= 0 || len(d.Output) <= size && len(d.Parts) == 0 && len(d.Note) == 0 {
		return
	}
	before := *d
	before.Parts = slices.Clone(d.Parts)
	limitResult(d, size, whole{})
	if len(d.Output) == len(before.Output) && slices.EqualFunc(d.Parts, before.Parts, func(x, y ikigai.Part) bool { return x.Text == y.Text }) {
		return // nothing but the note is cut
	}
	if w := a.keepWhole(before); w.file != "" {
		*d = before
		limitResult(d, size, w)
	}
}

// ResultSize returns how many bytes of a result the model is sent; 0 for all.
func (a *Agent) ResultSize() int {
	size := a.MaxOutputSize
	if a.Context > 0 { // tokens, of four bytes each
		size = min(cmp.Or(size, a.Context), max(a.Context, minResult))
	}
	return size
}

// minResult is what a result may have however small a model's context is.
const minResult = 4 << 10

// whole is a result as the tool gave it, in a file. The zero whole is of one that
// could not be kept.
type whole struct{ file, text string }

// keepWhole writes a result to a file of its own.
func (a *Agent) keepWhole(d ikigai.ToolResultData) whole {
	text := wholeText(d)
	file := a.Keep(text)
	if file == "" {
		return whole{}
	}
	return whole{file, text}
}

// Keep writes a text that is shown in part to a file of its own, below OutputDir,
// and returns its path, "" if it could not be written.
func (a *Agent) Keep(text string) string {
	if a.OutputDir == "" || os.MkdirAll(a.OutputDir, 0o700) != nil {
		return ""
	}
	f, err := os.CreateTemp(a.OutputDir, "result-*.txt") // for its owner alone
	if err != nil {
		return ""
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name()) // a part of it would pass for the whole
		return ""
	}
	return f.Name()
}

// wholeText returns a result as a person would read it: of a JSON object the text
// that it is about, if there is one.
func wholeText(d ikigai.ToolResultData) string {
	text := d.Output
	if fields, ok := objectFields(d.Output); ok && len(fields) > 0 {
		var s string
		if f := longest(fields); len(f.value) > len(d.Output)/2 && json.Unmarshal(f.value, &s) == nil {
			text = s
		} else {
			var b bytes.Buffer
			_ = json.Indent(&b, []byte(d.Output), "", " ") // it is valid
			text = b.String()
		}
	}
	for _, p := range d.Parts {
		if p.Text != "" {
			text += "\n\n" + p.Text
		}
	}
	return text
}

// note says how much of s is shown, and where the rest is.
func (w whole) note(s string, shown int) string {
	note := fmt.Sprintf("\n\n[OUTPUT TRUNCATED - showing %d of %d bytes", shown, len(s))
	if w.file != "" {
		note += "; all of it is in " + w.file
		if at := strings.Index(w.text, s); at >= 0 {
			note += fmt.Sprintf(", read on with file_read from offset %d", 1+strings.Count(w.text[:at+shown], "\n"))
		}
	}
	return note + "]"
}

// limitResult cuts all of a result that the model is sent to about size bytes
// together. Each further part and the note keep at least minCut.
func limitResult(d *ikigai.ToolResultData, size int, w whole) {
	if size <= 0 {
		return
	}
	limit := func(text *string, cut func(string, int, whole) string) {
		*text = cut(*text, max(size, minCut), w)
		size -= len(*text)
	}
	limit(&d.Output, limitOutput)
	for i := range d.Parts {
		limit(&d.Parts[i].Text, cutText)
	}
	limit(&d.Note, cutText)
}

// minCut is the length to which a text is cut at most: less would not be worth
// sending.
const minCut = 256

// limitOutput cuts the output of a tool to size bytes. The output of a JSON
// object stays one, with its keys: its longest strings are cut and say so.
// Anything else is cut as text. No character is split.
func limitOutput(output string, size int, w whole) string {
	if len(output) <= size {
		return output
	}
	fields, ok := objectFields(output)
	switch {
	case !ok:
		return cutText(output, size, w)
	case len(fields) == 0:
		return "{}"
	}
	for have := len(joinFields(fields)); have > size; {
		f := longest(fields)
		before := len(f.value)
		var text string
		if before > minCut && json.Unmarshal(f.value, &text) == nil {
			f.value = encodeCut(text, size-(have-before), w)
		}
		if len(f.value) >= before {
			// What is left is not made of long strings: the whole becomes one.
			return `{"output":` + string(encodeCut(output, size-len(`{"output":}`), w)) + "}"
		}
		have -= before - len(f.value)
	}
	return joinFields(fields)
}

// longest returns the field with the longest value.
func longest(fields []field) *field {
	best := &fields[0]
	for i := range fields {
		if len(fields[i].value) > len(best.value) {
			best = &fields[i]
		}
	}
	return best
}

// encodeCut returns text, cut so that it takes at most size bytes as JSON, or
// minCut if that is more.
func encodeCut(text string, size int, w whole) json.RawMessage {
	size = max(size, minCut)
	for n := size; ; n = n * 3 / 4 {
		encoded := json.RawMessage(encode(cutText(text, n, w)))
		if len(encoded) <= size || n == 0 {
			return encoded
		}
	}
}

// cutText returns s, or its head and how much of it is shown: size bytes, if
// that is more than what it takes to say so.
func cutText(s string, size int, w whole) string {
	if len(s) <= size {
		return s
	}
	n := max(size-len(w.note(s, size)), 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + w.note(s, n)
}

// addLimitReached adds to the last result of a statement that no more tools
// will run, keeping the keys that it has.
func addLimitReached(output string, max int) string {
	fields, ok := objectFields(output)
	if !ok {
		fields = []field{{"output", json.RawMessage(encode(output))}}
	}
	message := fmt.Sprintf("Tool call limit reached (%d). Stopping tool loop.", max)
	fields = append(fields,
		field{"limit_reached", json.RawMessage("true")},
		field{"limit_message", json.RawMessage(encode(message))})
	return joinFields(fields)
}

// field is a member of a JSON object. Fields keep the order of the text, which
// a map would lose.
type field struct {
	name  string
	value json.RawMessage
}

// objectFields returns the members of a JSON object, and false if s is none.
func objectFields(s string) ([]field, bool) {
	if !strings.HasPrefix(strings.TrimSpace(s), "{") || !json.Valid([]byte(s)) {
		return nil, false
	}
	dec := json.NewDecoder(strings.NewReader(s))
	if _, err := dec.Token(); err != nil {
		return nil, false
	}
	var fields []field
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		var f field
		f.name, _ = name.(string)
		if err := dec.Decode(&f.value); err != nil {
			return nil, false
		}
		fields = append(fields, f)
	}
	return fields, true
}

func joinFields(fields []field) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(encode(f.name))
		b.WriteByte(':')
		b.Write(f.value)
	}
	b.WriteByte('}')
	return b.String()
}

// encode returns v as compact JSON without the escapes for HTML.
func encode(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("agent: " + err.Error()) // strings and maps of strings always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}
