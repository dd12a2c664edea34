package exttool

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"ikigai"
)

// member is one member of a JSON object, with the bytes that it has in the
// text.
type member struct {
	name  string
	value json.RawMessage
	text  []byte // name and value
}

// members returns the members of a JSON object in their order, and false if
// text is anything but one JSON object.
func members(text []byte) ([]member, bool) {
	if !json.Valid(text) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, false
	}
	var all []member
	for dec.More() {
		start := int(dec.InputOffset())
		start += bytes.IndexByte(text[start:], '"')
		var m member
		name, err := dec.Token()
		if err != nil || dec.Decode(&m.value) != nil {
			return nil, false
		}
		m.name, _ = name.(string)
		m.text = text[start:dec.InputOffset()]
		all = append(all, m)
	}
	return all, true
}

// object returns the object that has the given members, as they were written.
func object(all []member) []byte {
	texts := make([][]byte, len(all))
	for i, m := range all {
		texts[i] = m.text
	}
	return append(append([]byte{'{'}, bytes.Join(texts, []byte{','})...), '}')
}

// has reports whether one of the members has the name.
func has(all []member, name string) bool {
	return slices.ContainsFunc(all, func(m member) bool { return m.name == name })
}

// field returns a member that is written anew.
func field(name string, value json.RawMessage) member {
	return member{name: name, value: value, text: append(append(encode(name), ':'), value...)}
}

// clean returns what a tool has printed as text that stores and vendors take,
// which is what it was in all but odd cases.
func clean(raw []byte) []byte {
	return []byte(ikigai.CleanJSON(ikigai.CleanText(string(raw))))
}

// encode returns v as compact JSON without the escapes for HTML.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("exttool: " + err.Error()) // strings, and what was decoded, always encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// compact returns valid JSON without the white space between its tokens.
func compact(raw []byte) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// asText returns a JSON string as the text that it is, and any other value as
// it is written.
func asText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return strings.TrimSpace(string(raw))
}
