package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// limitOutput cuts the output of a tool to about max bytes. The output of a
// JSON object stays one: its longest string is cut and says so. Anything else
// is cut as text. No character is split.
func limitOutput(output string, max int) string {
	if max <= 0 || len(output) <= max {
		return output
	}
	fields, ok := objectFields(output)
	switch {
	case !ok:
		return cutText(output, max)
	case len(fields) == 0:
		return "{}"
	}
	longest := 0
	for i, f := range fields {
		if len(f.value) > len(fields[longest].value) {
			longest = i
		}
	}
	var text string
	if json.Unmarshal(fields[longest].value, &text) != nil {
		// No string to cut: the whole becomes one.
		return encode(map[string]string{"output": cutText(output, max)})
	}
	rest := len(output) - len(fields[longest].value)
	fields[longest].value = encodeCut(text, max-rest)
	return joinFields(fields)
}

// encodeCut returns text, cut so that it takes about max bytes as JSON.
func encodeCut(text string, max int) json.RawMessage {
	for n := max; ; n = n * 3 / 4 {
		encoded := json.RawMessage(encode(cutText(text, n)))
		if len(encoded) <= max || n < 256 {
			return encoded
		}
	}
}

// cutText returns the head of s, at most max bytes, and how much is shown.
func cutText(s string, max int) string {
	note := fmt.Sprintf("\n\n[OUTPUT TRUNCATED - showing %%d of %d bytes]", len(s))
	n := max - len(note) - 8
	if n < 0 {
		n = 0
	}
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + fmt.Sprintf(note, n)
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
