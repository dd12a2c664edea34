package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// limitResult cuts all of a result that the model is sent to about size bytes
// together. Each further part and the note keep at least minCut.
func limitResult(d *ikigai.ToolResultData, size int) {
	if size <= 0 {
		return
	}
	limit := func(text *string, cut func(string, int) string) {
		*text = cut(*text, max(size, minCut))
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
func limitOutput(output string, size int) string {
	if len(output) <= size {
		return output
	}
	fields, ok := objectFields(output)
	switch {
	case !ok:
		return cutText(output, size)
	case len(fields) == 0:
		return "{}"
	}
	for have := len(joinFields(fields)); have > size; {
		f := longest(fields)
		var text string
		if len(f.value) <= minCut || json.Unmarshal(f.value, &text) != nil {
			// What is left is not made of strings: the whole becomes one.
			return `{"output":` + string(encodeCut(output, size-len(`{"output":}`))) + "}"
		}
		before := len(f.value)
		f.value = encodeCut(text, size-(have-before))
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
func encodeCut(text string, size int) json.RawMessage {
	size = max(size, minCut)
	for n := size; ; n = n * 3 / 4 {
		encoded := json.RawMessage(encode(cutText(text, n)))
		if len(encoded) <= size || n == 0 {
			return encoded
		}
	}
}

// cutText returns s, or its head and how much of it is shown: size bytes, if
// that is more than what it takes to say so.
func cutText(s string, size int) string {
	if len(s) <= size {
		return s
	}
	note := func(shown int) string {
		return fmt.Sprintf("\n\n[OUTPUT TRUNCATED - showing %d of %d bytes]", shown, len(s))
	}
	n := max(size-len(note(size)), 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + note(n)
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
