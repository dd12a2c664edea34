// Package schema holds the input of tools against their JSON Schema and says
// in words what is wrong with it. It also writes such a schema in the forms that
// vendors take.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"ikigai"
)

// Checker returns a function that validates input against schema, a JSON
// Schema of an object, and returns the input to run with: args with the
// defaults of missing optional parameters added at its end, or args itself when
// there is nothing to add. A null for an optional property that does not take
// null counts as missing, and is left out. Empty input is the empty object, and what it returns
// is valid JSON in valid UTF-8. The error is an *ikigai.Error that names every
// parameter at fault.
//
// The schema is compiled when the function is first called. One that cannot be
// compiled (a pattern with lookahead, a remote reference), or would take too long
// to validate against, accepts any object, since the tool itself still decides. The function may be called from several
// goroutines.
func Checker(schema json.RawMessage) func(json.RawMessage) (json.RawMessage, error) {
	compiled := sync.OnceValue(func() *checker { return compile(schema) })
	return func(args json.RawMessage) (json.RawMessage, error) { return compiled().check(args) }
}

// checker is a compiled schema. The zero checker accepts any object.
type checker struct {
	root     *jsonschema.Schema
	resolved *jsonschema.Resolved // nil: everything is accepted
	names    []string             // of the parameters, in the order of the schema

	deepest int // that input may be to be validated; -1 for any depth

	// opaque names the parameters that may be any string, unless something
	// beside the schema of the parameter looks at its value. They are not
	// decoded.
	opaque map[string]bool
}

func compile(raw json.RawMessage) (c *checker) {
	defer func() {
		if recover() != nil { // a fault of the library must not cost the tool
			c = &checker{}
		}
	}()
	root, document := new(jsonschema.Schema), any(nil)
	if json.Unmarshal(raw, root) != nil || json.Unmarshal(raw, &document) != nil || !setDraft(root) || endless(document) {
		return &checker{}
	}
	price := costOf(document)
	if price.tooHigh() {
		return &checker{}
	}
	clearTypes(root)
	resolved, err := root.Resolve(nil)
	if err != nil {
		return &checker{}
	}
	c = &checker{root: root, resolved: resolved, opaque: opaque(root), deepest: price.deepest()}
	for _, m := range members(raw) {
		if m.key == "properties" {
			c.names = keys(members(m.value))
		}
	}
	return c
}

// setDraft writes the version of JSON Schema that s names as the library knows
// it, and reports whether it is one that the library validates.
func setDraft(s *jsonschema.Schema) bool {
	switch {
	case s.Schema == "":
	case strings.Contains(s.Schema, "/draft-07/"):
		s.Schema = "http://json-schema.org/draft-07/schema#"
	case strings.Contains(s.Schema, "/2020-12/"):
		s.Schema = "https://json-schema.org/draft/2020-12/schema"
	default:
		return false
	}
	return true
}

// opaque returns the names of the properties of s that may be any string, none
// if s looks at the values of its properties elsewhere than in "properties".
func opaque(s *jsonschema.Schema) map[string]bool {
	rest := *s
	rest.Schema, rest.ID, rest.Properties, rest.Required, rest.AdditionalProperties = "", "", nil, nil, nil
	if rest.Type, rest.Types = "", nil; !unconditional(rest) {
		return nil
	}
	names := map[string]bool{}
	for name, p := range s.Properties {
		rest := *p
		rest.Type = ""
		names[name] = p.Type == "string" && unconditional(rest)
	}
	return names
}

// unconditional reports whether s accepts everything.
func unconditional(s jsonschema.Schema) bool {
	s.Comment, s.Title, s.Description, s.Default, s.Examples, s.Extra = "", "", "", nil, nil, nil
	text, err := json.Marshal(s)
	return err == nil && (string(text) == "{}" || string(text) == "true")
}

func (c *checker) check(args json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	if !utf8.Valid(args) {
		args = bytes.ToValidUTF8(args, []byte("\uFFFD"))
	}
	if err := valid(args); err != nil {
		return nil, err
	}
	if kind := kindOf(args); kind != "an object" {
		return nil, &ikigai.Error{Kind: ikigai.ErrorUsage,
			What: fmt.Sprintf("Invalid arguments: they are %s, not an object", kind), Do: c.usage()}
	}
	if c.resolved == nil || c.deepest >= 0 && depthOf(args) > c.deepest {
		return args, nil
	}
	args = c.withoutNulls(args)
	given := members(args)
	instance := c.instance(given)
	if c.validate(instance) != nil {
		return nil, c.refusal(instance)
	}
	return c.fill(args, given), nil
}

// valid returns an error that names the place where args stops being JSON.
func valid(args []byte) error {
	if json.Valid(args) {
		return nil
	}
	var raw json.RawMessage
	err := json.Unmarshal(args, &raw)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		syntax = &json.SyntaxError{Offset: int64(len(args))}
	}
	if strings.Contains(err.Error(), "unexpected end") {
		return &ikigai.Error{Kind: ikigai.ErrorUsage,
			What: fmt.Sprintf("Invalid arguments: the JSON ends too early, after byte %d", len(args)),
			Do:   "Send the whole object; when it was cut off for its length, send less at a time"}
	}
	return &ikigai.Error{Kind: ikigai.ErrorUsage,
		What: fmt.Sprintf("Invalid arguments: not JSON at byte %d, %s", syntax.Offset, err),
		Do:   `Send one JSON object, with " \ and line breaks escaped inside strings`}
}

// instance returns the arguments as the values that the library validates.
func (c *checker) instance(given []member) map[string]any {
	values := make(map[string]any, len(given))
	for _, m := range given {
		if m.value[0] == '"' && c.opaque[m.key] {
			values[m.key] = ""
			continue
		}
		values[m.key] = decode(m.value)
	}
	return values
}

// decode returns valid JSON text as the library takes it: whole numbers
// exactly where they fit, and no number that is infinite.
func decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return numbers(v)
}

func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return min(max(f, -math.MaxFloat64), math.MaxFloat64)
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

func (c *checker) validate(instance map[string]any) (err error) {
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	return c.resolved.Validate(instance)
}

// fill returns args with the defaults of the optional parameters that are not
// given. What was given keeps its bytes.
func (c *checker) fill(args []byte, given []member) json.RawMessage {
	var add []byte
	for _, name := range c.names {
		p := c.root.Properties[name]
		if p == nil || len(p.Default) == 0 || string(p.Default) == "null" || !json.Valid(p.Default) ||
			slices.Contains(c.root.Required, name) ||
			slices.ContainsFunc(given, func(m member) bool { return m.key == name }) {
			continue
		}
		add = append(add, ',')
		add = append(add, quoteJSON(name)...)
		add = append(add, ':')
		add = append(add, p.Default...)
	}
	if len(add) == 0 {
		return args
	}
	end := bytes.LastIndexByte(args, '}')
	if len(given) == 0 {
		add = add[1:]
	}
	return slices.Concat(args[:end], add, args[end:])
}

func quoteJSON(s string) []byte {
	raw, err := json.Marshal(s)
	if err != nil {
		panic("schema: a string that cannot be encoded: " + err.Error())
	}
	return raw
}
