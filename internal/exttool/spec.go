package exttool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ikigai"
)

// spec is what a tool says of itself, in one form whichever it was said in.
type spec struct {
	ikigai.ToolSpec
	ReadOnly bool              `json:"read_only,omitempty"`
	Timeout  float64           `json:"timeout,omitempty"` // seconds; 0 for the usual limit
	Stdin    bool              `json:"stdin,omitempty"`   // takes its input from standard input alone
	Lines    bool              `json:"lines,omitempty"`   // takes it as lines, NAME: VALUE (toolboxes)
	Examples []json.RawMessage `json:"examples,omitempty"`
}

// Limits of what a tool may say of itself.
const (
	maxDescription = 1 << 20 // bytes of an answer to --schema
	maxTimeout     = 24 * time.Hour
	defaultTimeout = 30 * time.Second
)

// limit returns how long a call may take that does not say so itself.
func (s spec) limit() time.Duration { return seconds(s.Timeout, defaultTimeout) }

// seconds returns n seconds, or usual if n is none, in the limits of sense.
func seconds(n float64, usual time.Duration) time.Duration {
	switch {
	case !(n > 0):
		return usual
	case n > maxTimeout.Seconds():
		return maxTimeout
	}
	return time.Duration(n * float64(time.Second))
}

// DefaultTimeout returns the default of a parameter "timeout", in seconds, which
// every call has that does not give it; 0 if there is none.
func DefaultTimeout(schema json.RawMessage) time.Duration {
	var s struct {
		Properties struct {
			Timeout struct {
				Default float64 `json:"default"`
			} `json:"timeout"`
		} `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return 0
	}
	return seconds(s.Properties.Timeout.Default, 0)
}

// fault is why a tool cannot be used: two sentences without their full stops.
func fault(what, do string) *ikigai.Error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: what, Do: do}
}

// parseSpec reads the answer of a tool to --schema.
func parseSpec(raw []byte) (spec, *ikigai.Error) {
	raw = clean(raw)
	if _, ok := members(raw); !ok {
		return spec{}, fault("--schema answered with something that is no JSON object: "+excerpt(raw, 200), "Print one JSON object and nothing else")
	}
	var said struct {
		Name         string            `json:"name"`
		Description  string            `json:"description"`
		Parameters   json.RawMessage   `json:"parameters"`
		Returns      json.RawMessage   `json:"returns"`
		OutputLimits json.RawMessage   `json:"output_limits"`
		Usage        string            `json:"usage"`
		ReadOnly     bool              `json:"read_only"`
		Timeout      float64           `json:"timeout"`
		Input        string            `json:"input"`
		Examples     []json.RawMessage `json:"examples"`
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return spec{}, fault("A member of the schema has the wrong type: "+strings.TrimPrefix(err.Error(), "json: "), "Correct it")
	}
	s := spec{ToolSpec: ikigai.ToolSpec{Name: said.Name, Description: strings.TrimSpace(said.Description), Usage: strings.TrimSpace(said.Usage)},
		ReadOnly: said.ReadOnly, Timeout: said.Timeout, Examples: said.Examples}
	if said.Timeout < 0 {
		return s, fault("The timeout is negative", "Give it in seconds, or leave it out for 30")
	}
	switch said.Input {
	case "stdin":
		s.Stdin = true
	case "", "argument":
	default:
		return s, fault(fmt.Sprintf("The input is %q", said.Input), `Write "stdin", or leave it out`)
	}
	return s.complete(said.Parameters, said.Returns, said.OutputLimits)
}

// complete takes in the members that have several forms, and checks what a
// model, or its vendor, would stumble over.
func (s spec) complete(parameters, returns, limits json.RawMessage) (spec, *ikigai.Error) {
	if !LegalName(s.Name) {
		return s, fault(fmt.Sprintf("The name %q is no name of a tool", s.Name), "Use 1 to 64 letters, digits, - and _")
	}
	if s.Description == "" {
		return s, fault("There is no description", "Say what the tool does: the model chooses by it")
	}
	var bad *ikigai.Error
	if s.Schema, bad = parameterSchema(parameters, true); bad != nil {
		return s, bad
	}
	if len(returns) > 0 && string(returns) != "null" {
		if s.Returns, bad = parameterSchema(returns, false); bad != nil {
			bad.What = "In returns: " + bad.What
			return s, bad
		}
	}
	s.OutputLimits, bad = outputLimits(limits)
	return s, bad
}

// LegalName reports whether vendors take a name of a tool.
func LegalName(name string) bool {
	return len(name) >= 1 && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	})
}

// outputLimits takes a sentence, a list of them, or an object of one for each
// member of the output.
func outputLimits(raw json.RawMessage) ([]string, *ikigai.Error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var one string
	var list []string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	if json.Unmarshal(raw, &list) == nil {
		return list, nil
	}
	all, ok := members(raw)
	if !ok {
		return nil, fault("output_limits is neither a list of sentences nor an object of them", `Write it as ["stdout: 10KB max"]`)
	}
	for _, m := range all {
		list = append(list, m.name+": "+asText(m.value))
	}
	return list, nil
}

// parameterSchema returns a JSON Schema of an object, which raw is, or of which
// raw has the properties: a flat map from name to {type, description, required,
// default}. The properties keep their order. A flat map of parameters is all
// that there are; nothing may be added.
func parameterSchema(raw json.RawMessage, closed bool) (json.RawMessage, *ikigai.Error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	all, ok := members(raw)
	if !ok {
		return nil, fault("The parameters are no JSON object", "Write them as a JSON Schema, or as a map from name to {type, description, required, default}")
	}
	if isSchema(all) {
		if !has(all, "type") {
			all = slices.Insert(all, 0, field("type", json.RawMessage(`"object"`)))
		}
		if !has(all, "properties") {
			all = append(all, field("properties", json.RawMessage("{}")))
		}
		schema := compact(object(all))
		return schema, checkSchema(schema)
	}
	schema, bad := fromFlat(all, closed)
	if bad != nil {
		return nil, bad
	}
	return schema, checkSchema(schema)
}

// isSchema tells a JSON Schema from a flat map, which may have parameters of
// the names that a schema has.
func isSchema(all []member) bool {
	for _, m := range all {
		switch m.name {
		case "type":
			if m.value[0] == '"' || m.value[0] == '[' {
				return true
			}
		case "$schema", "$ref", "allOf", "anyOf", "oneOf":
			return true
		case "properties":
			if properties, ok := members(m.value); ok && !slices.ContainsFunc(properties, func(p member) bool { return p.value[0] != '{' }) {
				return true
			}
		}
	}
	return false
}

// fromFlat returns the schema that a flat map stands for.
func fromFlat(all []member, closed bool) (json.RawMessage, *ikigai.Error) {
	var properties []member
	var required []string
	for _, m := range all {
		of, ok := members(m.value)
		if !ok {
			return nil, fault(fmt.Sprintf("The parameter %s is no object", m.name), `Write it as {"type": "string", "description": …}`)
		}
		var rest []member
		for _, p := range of {
			switch {
			case p.name != "required" || p.value[0] == '[':
				rest = append(rest, p)
			case string(p.value) == "true":
				required = append(required, m.name)
			}
		}
		properties = append(properties, field(m.name, object(rest)))
	}
	schema := []member{field("type", json.RawMessage(`"object"`)), field("properties", object(properties))}
	if len(required) > 0 {
		schema = append(schema, field("required", encode(required)))
	}
	if closed {
		schema = append(schema, field("additionalProperties", json.RawMessage("false")))
	}
	return compact(object(schema)), nil
}
