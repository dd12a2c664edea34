package anthropic

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"ikigai/internal/schema"
	"ikigai/internal/wirejson"
)

// rules are what is demanded of the schema of a tool's input: "input_schema does
// not support oneOf, allOf, or anyOf at the top level", "Property keys should
// match pattern '^[a-zA-Z0-9_.-]{1,64}$'", of which the top alone is looked at.
func rules() schema.Rules {
	return schema.Rules{Top: []string{"oneOf", "anyOf", "allOf"}, Name: isKey}
}

func isKey(name string) bool {
	odd := strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '.' || r == '-')
	})
	return name != "" && len(name) <= 64 && !odd
}

// inputSchema returns the schema of a tool's input as it is taken: an object's.
// Input is checked by the whole schema before the tool runs. whole reports
// whether nothing had to be left out.
func inputSchema(raw json.RawMessage) (taken json.RawMessage, whole bool) {
	fitted, whole := rules().Fit(raw)
	b := []byte(`{"type":"object"`)
	properties := false
	for _, m := range members(fitted) {
		switch m.name {
		case "type":
			continue
		case "properties":
			properties = true
		}
		b = wirejson.AppendMember(b, m.name, m.value)
	}
	if !properties {
		b = append(b, `,"properties":{}`...)
	}
	return append(b, '}'), whole
}

// isStrict reports whether the model can be held to a schema as it stands.
func isStrict(raw json.RawMessage) bool {
	var given, held any
	return json.Unmarshal(raw, &given) == nil && json.Unmarshal(strictSchema(raw), &held) == nil && reflect.DeepEqual(given, held)
}

// strictSchema returns a schema that the model can be held to: closed objects,
// and none but the words that are understood. What the others demand is put
// into the description, for the model to read.
func strictSchema(raw json.RawMessage) json.RawMessage {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return wirejson.AppendJSON(nil, raw)
	}
	var s strict
	for _, m := range members(raw) {
		s.add(m)
	}
	return s.schema()
}

// strict is a strict schema in the making.
type strict struct {
	members     []byte // each after a comma
	demands     []byte // likewise, what is not understood
	description string
	object      bool // it is of an object
}

// add takes in a member of the schema as it was.
func (s *strict) add(m member) {
	value := m.value
	switch m.name {
	case "description":
		_ = json.Unmarshal(value, &s.description) // what is no string says nothing
		return
	case "additionalProperties":
		s.object = true
		return
	case "$schema", "$id", "$comment", "examples", "deprecated", "readOnly", "writeOnly":
		return
	case "type":
		s.object = s.object || bytes.Contains(value, []byte(`"object"`))
	case "properties":
		s.object = true
		value = eachMember(value)
	case "$defs", "definitions":
		value = eachMember(value)
	case "items":
		value = strictSchema(value)
	case "anyOf", "allOf":
		value = eachItem(value)
	case "oneOf":
		m.name, value = "anyOf", eachItem(value)
	case "title", "enum", "const", "default", "required", "$ref":
	default:
		if !isUnderstood(m) {
			s.demands = wirejson.AppendMember(s.demands, m.name, value)
			return
		}
	}
	s.members = wirejson.AppendMember(s.members, m.name, value)
}

// schema returns what has come of the schema.
func (s *strict) schema() json.RawMessage {
	if len(s.demands) > 0 {
		s.description = strings.TrimSpace(s.description + " Must fit {" + string(s.demands[1:]) + "}.")
	}
	var b []byte
	if s.description != "" {
		b = wirejson.AppendMember(b, "description", wirejson.AppendString(nil, s.description))
	}
	b = append(b, s.members...)
	if s.object {
		b = append(b, `,"additionalProperties":false`...)
	}
	return object(b)
}

// object returns an object of members, each after a comma.
func object(members []byte) json.RawMessage {
	return append(append([]byte("{"), bytes.TrimPrefix(members, []byte(","))...), '}')
}

// isUnderstood reports whether the model can be held to m, a word that it knows
// with some values alone.
func isUnderstood(m member) bool {
	switch m.name {
	case "minItems":
		return string(m.value) == "0" || string(m.value) == "1"
	case "format":
		formats := []string{`"date-time"`, `"time"`, `"date"`, `"duration"`, `"email"`, `"hostname"`, `"uri"`, `"ipv4"`, `"ipv6"`, `"uuid"`}
		return slices.Contains(formats, string(m.value))
	}
	return false
}

// eachMember makes the values of an object strict schemas.
func eachMember(raw json.RawMessage) json.RawMessage {
	var b []byte
	for _, m := range members(raw) {
		b = wirejson.AppendMember(b, m.name, strictSchema(m.value))
	}
	return object(b)
}

// eachItem makes the items of a list strict schemas.
func eachItem(raw json.RawMessage) json.RawMessage {
	var items []json.RawMessage
	_ = json.Unmarshal(raw, &items) // what is no list has none
	for i, item := range items {
		items[i] = strictSchema(item)
	}
	return wirejson.Marshal(items)
}
