package toolkit

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// inputSchema returns the schema of an input, with what tags say of fields.
func inputSchema[In any]() *jsonschema.Schema {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		panic("toolkit: " + err.Error())
	}
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("toolkit: the input %s is no struct", t))
	}
	refine(s, t)
	return s
}

// refine adds what the tags of the fields of t say, which the library does not
// look at.
func refine(s *jsonschema.Schema, t reflect.Type) {
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = field.Name
		}
		p := s.Properties[name]
		if field.Anonymous || p == nil {
			continue
		}
		if value, ok := field.Tag.Lookup("default"); ok {
			p.Default = literal(p, value)
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
		}
		if value, ok := field.Tag.Lookup("enum"); ok {
			for _, word := range strings.Split(value, ",") {
				var v any
				if err := json.Unmarshal(literal(p, word), &v); err != nil {
					panic(fmt.Sprintf("toolkit: enum of %s: %v", name, err))
				}
				p.Enum = append(p.Enum, v)
			}
		}
		p.Minimum, p.Maximum = bound(field, "minimum"), bound(field, "maximum")
		if inner := field.Type; inner.Kind() == reflect.Struct && p.Type == "object" {
			refine(p, inner)
		}
	}
}

// literal returns a value as a tag has it as JSON: a string as it stands there.
func literal(p *jsonschema.Schema, value string) json.RawMessage {
	if p.Type != "string" && json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		panic("toolkit: " + err.Error())
	}
	return raw
}

func bound(field reflect.StructField, tag string) *float64 {
	value, ok := field.Tag.Lookup(tag)
	if !ok {
		return nil
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		panic(fmt.Sprintf("toolkit: %s of %s is no number", tag, field.Name))
	}
	return &n
}

// outputSchema returns the schema of an output, nil if it is no object that can
// be described. What Extra adds does not reach the model.
func outputSchema[Out any]() *jsonschema.Schema {
	s, err := jsonschema.For[Out](nil)
	if err != nil {
		panic("toolkit: " + err.Error())
	}
	if s.Type != "object" {
		panic(fmt.Sprintf("toolkit: the output %s is no object", reflect.TypeFor[Out]()))
	}
	private := func(name string) bool { return strings.HasPrefix(name, "_") }
	maps.DeleteFunc(s.Properties, func(name string, _ *jsonschema.Schema) bool { return private(name) })
	s.Required = slices.DeleteFunc(s.Required, private)
	s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, private)
	return s
}

// fit validates an input and fills in the defaults.
func (t *Tool) fit(resolved *jsonschema.Resolved, raw []byte) ([]byte, error) {
	var in map[string]any
	if err := json.Unmarshal(raw, &in); err != nil || in == nil {
		return nil, Failure("INVALID_PARAMS", "The input is no JSON object", "Send one, such as {\""+strings.Join(t.input.PropertyOrder, "\": …, \"")+"\": …}")
	}
	for name := range in {
		if t.input.Properties[name] == nil && t.input.AdditionalProperties != nil {
			return nil, Failure("INVALID_PARAMS", "There is no parameter "+name, "Use "+strings.Join(t.input.PropertyOrder, ", "))
		}
	}
	for _, name := range t.input.Required {
		if _, ok := in[name]; !ok {
			return nil, Failure("INVALID_PARAMS", "The parameter "+name+" is missing", "Add it")
		}
	}
	if err := resolved.ApplyDefaults(&in); err != nil {
		return nil, Failure("INVALID_PARAMS", "The defaults cannot be filled in: "+err.Error(), "Give all parameters")
	}
	if err := resolved.Validate(in); err != nil {
		return nil, t.misfit(in, err)
	}
	return json.Marshal(in)
}

// misfit says which parameter does not fit, and how.
func (t *Tool) misfit(in map[string]any, err error) error {
	for _, name := range t.input.PropertyOrder {
		value, ok := in[name]
		if !ok {
			continue
		}
		one, resolveErr := t.input.Properties[name].CloneSchemas().Resolve(nil)
		if resolveErr != nil {
			continue
		}
		if bad := one.Validate(value); bad != nil {
			return Failure("INVALID_PARAMS", fmt.Sprintf("The parameter %s does not fit: %s", name, why(value, bad)), "Send "+wanted(t.input.Properties[name]))
		}
	}
	return Failure("INVALID_PARAMS", "The input does not fit: "+reason(err), "Correct it")
}

// why says what is wrong with a value: the value itself, or what the library
// says of one that has parts.
func why(value any, err error) string {
	switch value.(type) {
	case map[string]any, []any:
		return reason(err)
	}
	text, _ := json.Marshal(value) // it was decoded
	if len(text) > 100 {
		return "it is too long, or has the wrong form"
	}
	return "it is " + string(text)
}

// reason returns the last clause of an error of the library.
func reason(err error) string {
	text := err.Error()
	if _, rest, ok := strings.Cut(text, "type: "); ok {
		return rest
	}
	return strings.TrimPrefix(text[max(0, strings.LastIndex(text, "validating ")):], "validating ")
}

// wanted says what a parameter takes.
func wanted(p *jsonschema.Schema) string {
	if len(p.Enum) > 0 {
		words := make([]string, len(p.Enum))
		for i, v := range p.Enum {
			words[i] = fmt.Sprint(v)
		}
		return "one of " + strings.Join(words, ", ")
	}
	text := "a value of type " + p.Type
	if p.Items != nil {
		text = "a list"
	}
	if p.Minimum != nil {
		text += fmt.Sprintf(" from %v", *p.Minimum)
	}
	if p.Maximum != nil {
		text += fmt.Sprintf(" to %v", *p.Maximum)
	}
	return text
}
