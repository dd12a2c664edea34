package schema

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Limits of schemas in strict mode, the narrowest that are documented.
const (
	maxDepth      = 5
	maxProperties = 100
	maxValues     = 500
)

// Strict returns a schema in the form in which OpenAI's strict mode takes it:
// every property of every object is required, those that are optional may be
// null, and nothing else may be there. What only narrows a value beyond what
// strict mode can hold to, such as the length of a text, is left out: Checker
// still holds to it, and takes the nulls for what they stand for. It is false
// where the form of a value cannot be said strictly, such as an object with any
// keys. Strict of a strict schema is the same again.
func Strict(schema json.RawMessage) (json.RawMessage, bool) {
	strict, _, ok := strictly(schema)
	return strict, ok
}

// StrictAsIs is Strict, and false also where the schema has optional
// properties, which would have to be nullable.
func StrictAsIs(schema json.RawMessage) (json.RawMessage, bool) {
	strict, nulls, ok := strictly(schema)
	return strict, ok && nulls == 0
}

// strictly returns the strict schema, and how many properties became nullable.
func strictly(schema json.RawMessage) (strict json.RawMessage, nulls int, ok bool) {
	var compact bytes.Buffer
	if json.Compact(&compact, schema) != nil {
		return nil, 0, false
	}
	s := &stricter{}
	strict = s.schema(compact.Bytes(), 0)
	s.failIf(string(objectOf(strict)["type"]) != `"object"`)
	if s.failed {
		return nil, 0, false
	}
	return strict, s.nulls, true
}

// stricter writes one schema. Once it has failed, what it writes counts for
// nothing.
type stricter struct {
	failed     bool
	nulls      int // properties that became nullable
	properties int
	values     int // in enums
}

func (s *stricter) failIf(bad bool) { s.failed = s.failed || bad }

// schema returns a schema that stands within depth objects. Its keywords keep
// their order, behind the type.
func (s *stricter) schema(raw []byte, depth int) []byte {
	of := objectOf(raw)
	s.failIf(len(of) == 0 || depth > maxDepth) // true and {} say nothing of a form
	if s.failed {
		return nil
	}
	out := &writer{}
	types := typesIn(of)
	if len(types) > 0 {
		out.add("type", typeWord(types))
	}
	s.failIf(len(types) == 0 && of["$ref"] == nil && of["anyOf"] == nil && of["oneOf"] == nil)
	s.failIf(slices.Contains(types, "array") && of["items"] == nil)
	for _, m := range members(raw) {
		s.keyword(out, m, of, depth)
	}
	if slices.Contains(types, "object") {
		s.object(out, of, depth)
	}
	return out.object()
}

// keyword writes one keyword of a schema.
func (s *stricter) keyword(out *writer, m member, of map[string]json.RawMessage, depth int) {
	switch m.key {
	case "type", "properties", "required", "additionalProperties": // object and schema write them
	case "title", "description":
		if of["$ref"] == nil { // which bears nothing beside it
			out.add(m.key, m.value)
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems":
		out.add(m.key, m.value)
	case "pattern":
		if isPlainPattern(m.value) {
			out.add(m.key, m.value)
		}
	case "format":
		if slices.Contains(formats, string(m.value)) {
			out.add(m.key, m.value)
		}
	case "enum":
		s.values += len(elements(m.value))
		s.failIf(s.values > maxValues || len(elements(m.value)) == 0)
		out.add("enum", m.value)
	case "const":
		out.add("enum", slices.Concat([]byte("["), m.value, []byte("]")))
	case "items":
		out.add("items", s.schema(m.value, depth))
	case "anyOf", "oneOf": // one that fits is enough; Checker sees that no other does
		out.add("anyOf", s.alternatives(m.value, depth))
	case "$ref":
		s.failIf(!isLocal(m.value))
		out.add("$ref", m.value)
	case "$defs", "definitions":
		s.failIf(depth > 0)
		defs := &writer{}
		for _, d := range members(m.value) {
			defs.add(d.key, s.schema(d.value, depth+1))
		}
		out.add(m.key, defs.object())
	default:
		s.failIf(!slices.Contains(leftOut, m.key) && !strings.HasPrefix(m.key, "x-"))
	}
}

// formats are those that strict mode knows.
var formats = []string{`"date-time"`, `"time"`, `"date"`, `"duration"`, `"email"`, `"hostname"`, `"ipv4"`, `"ipv6"`, `"uuid"`}

// leftOut are the keywords that say nothing of a value's form.
var leftOut = []string{
	"default", "examples", "example", "deprecated", "readOnly", "writeOnly", "nullable", "$comment", "$schema", "$id",
	"minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties", "contentEncoding", "contentMediaType",
}

// isPlainPattern reports whether a regular expression is one that every engine
// understands.
func isPlainPattern(raw []byte) bool {
	var pattern string
	if json.Unmarshal(raw, &pattern) != nil || strings.Contains(pattern, "(?") || strings.Contains(pattern, `\p`) {
		return false
	}
	_, err := regexp.Compile(pattern)
	return err == nil
}

// isLocal reports whether a reference leads to a definition of the same schema.
func isLocal(raw []byte) bool {
	ref := string(raw)
	return ref == `"#"` || strings.HasPrefix(ref, `"#/$defs/`) || strings.HasPrefix(ref, `"#/definitions/`)
}

// alternatives writes the schemas of an anyOf. Where several could be meant,
// nobody could tell of which of them a null stands for an optional property.
func (s *stricter) alternatives(raw []byte, depth int) []byte {
	before, meant := s.nulls, 0
	out := &writer{}
	for _, e := range elements(raw) {
		out.item(s.schema(e, depth))
		if string(objectOf(e)["type"]) != null {
			meant++
		}
	}
	s.failIf(meant == 0 || meant > 1 && s.nulls > before)
	return out.array()
}

// null is the type of null.
const null = `"null"`

// object writes the properties of an object.
func (s *stricter) object(out *writer, of map[string]json.RawMessage, depth int) {
	given := members(of["properties"])
	closed := string(of["additionalProperties"]) == "false"
	s.failIf(!closed && of["additionalProperties"] != nil)
	s.failIf(!closed && len(given) == 0 && depth > 0) // it may have any
	s.properties += len(given)
	s.failIf(s.properties > maxProperties)

	required := namesIn(of["required"])
	properties, names := &writer{}, &writer{}
	for _, p := range given {
		property := s.schema(p.value, depth+1)
		if i := slices.Index(required, p.key); i < 0 {
			property = s.nullable(property)
		} else {
			required = slices.Delete(required, i, i+1)
		}
		properties.add(p.key, property)
		names.item(quoteJSON(p.key))
	}
	s.failIf(len(required) > 0) // of which nothing is said
	out.add("properties", properties.object())
	out.add("required", names.array())
	out.add("additionalProperties", []byte("false"))
}

// nullable returns a strict schema that takes null as well.
func (s *stricter) nullable(strict []byte) []byte {
	of := objectOf(strict)
	types := typesIn(of)
	if s.failed || slices.Contains(types, "null") || slices.ContainsFunc(elements(of["anyOf"]), isNull) {
		return strict
	}
	s.nulls++
	out := &writer{}
	if of["$ref"] != nil {
		both := &writer{}
		both.item(strict)
		both.item([]byte(`{"type":"null"}`))
		out.add("anyOf", both.array())
		return out.object()
	}
	for _, m := range members(strict) {
		switch m.key {
		case "type":
			m.value = typeWord(append(types, "null"))
		case "enum":
			m.value = slices.Concat(m.value[:len(m.value)-1], []byte(",null]"))
		case "anyOf":
			m.value = slices.Concat(m.value[:len(m.value)-1], []byte(`,{"type":"null"}]`))
		}
		out.add(m.key, m.value)
	}
	return out.object()
}

func isNull(schema []byte) bool { return string(objectOf(schema)["type"]) == null }
