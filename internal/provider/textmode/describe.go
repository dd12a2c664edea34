package textmode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/wirejson"
)

const opening = "You have access to the following tools:\n"

// How tools are called.
const (
	howTo = "## Calling tools\n" +
		"To call tools, answer with JSON alone, on a line of its own:\n\n" +
		"```json\n" +
		`{"reasoning": "why", "tool_calls": [{"tool": "NAME", "params": {"PARAMETER": "VALUE"}}]}` + "\n" +
		"```\n\n" +
		"Then stop: results come in the next message, each as `{\"tool\": \"NAME\", \"result\": …}`. " +
		"Never write a result yourself. "

	howToCompact = "To call tools, answer with JSON alone, then wait for the results: " +
		`{"reasoning": "why", "tool_calls": [{"tool": "NAME", "params": {}}]}. `

	howToAnswer = "When you need no more tools, answer in plain text."
	howToFormat = "When you need no more tools, answer with one JSON object alone, which fits this JSON Schema:\n"
)

// describe returns what the system prompt says of the tools of a request, and of
// the form of its answer, which is not to keep the model from calling them. It
// is "" if there are no tools.
func describe(req ikigai.Request, o Options) string {
	if len(req.Tools) == 0 {
		return ""
	}
	section, how := describeTool, howTo
	if o.Compact {
		section, how = describeCompact, howToCompact
	}
	var b strings.Builder
	b.WriteString(opening)
	for _, t := range req.Tools {
		b.WriteString("\n" + section(t))
	}
	b.WriteString("\n" + how)
	if req.Format == nil {
		b.WriteString(howToAnswer)
	} else {
		b.WriteString(howToFormat)
		b.Write(wirejson.AppendJSON(nil, req.Format.Schema))
	}
	return b.String()
}

// Section returns what a model is told of one tool where tools are presented as
// text.
func Section(t ikigai.ToolSpec) string { return describeTool(t) }

// describeTool returns the section of one tool.
func describeTool(t ikigai.ToolSpec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n%s\n", t.Name, strings.TrimSpace(t.Description))
	block := func(name string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\n**%s:**\n%s\n", name, strings.Join(lines, "\n"))
		}
	}
	parameters := properties(t.Schema, func(p property) string {
		return fmt.Sprintf("- `%s` (%s, %s)%s", p.name, p.kind, p.need(), p.words(": "))
	})
	block("Parameters", append(parameters, definitions(t.Schema)...))
	block("Returns", properties(t.Returns, func(p property) string {
		return fmt.Sprintf("- `%s` (%s)%s", p.name, p.kind, p.words(": "))
	}))
	var limits []string
	for _, l := range t.OutputLimits {
		limits = append(limits, "- "+l)
	}
	block("Output limits", limits)
	if usage := strings.TrimSpace(t.Usage); usage != "" {
		block("Usage", []string{usage})
	}
	return b.String()
}

// describeCompact returns the section of one tool in few words.
func describeCompact(t ikigai.ToolSpec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n%s\n", t.Name, strings.TrimSpace(t.Description))
	parameters := properties(t.Schema, func(p property) string {
		return fmt.Sprintf("- %s: %s%s%s", p.name, p.kind, p.needCompact(), p.words(", "))
	})
	for _, line := range append(parameters, definitions(t.Schema)...) {
		b.WriteString(line + "\n")
	}
	if names := properties(t.Returns, func(p property) string { return p.name }); len(names) > 0 {
		fmt.Fprintf(&b, "Returns: %s\n", strings.Join(names, ", "))
	}
	return b.String()
}

// property is a member of an object, as a schema describes it.
type property struct {
	name     string
	kind     string // its type, in words
	required bool
	schema   propertySchema
	raw      json.RawMessage
}

type propertySchema struct {
	Type        json.RawMessage   `json:"type"`
	Description string            `json:"description"`
	Default     json.RawMessage   `json:"default"`
	Enum        []json.RawMessage `json:"enum"`
	Items       json.RawMessage   `json:"items"`
	Minimum     json.RawMessage   `json:"minimum"`
	Maximum     json.RawMessage   `json:"maximum"`
}

// properties returns a line for each property of the object that a schema
// describes, in the order of the schema.
func properties(schema json.RawMessage, line func(property) string) []string {
	var object struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(schema, &object) != nil {
		return nil
	}
	var lines []string
	for _, p := range members(object.Properties) {
		if json.Unmarshal(p.raw, &p.schema) != nil {
			p.schema = propertySchema{}
		}
		p.kind = kindOf(p.schema)
		p.required = slices.Contains(object.Required, p.name)
		lines = append(lines, line(p))
	}
	return lines
}

// definitions returns a line on what the schemas within a schema refer to.
func definitions(schema json.RawMessage) (lines []string) {
	if !bytes.Contains(schema, []byte(`"$ref"`)) {
		return nil
	}
	for _, m := range members(schema) {
		if m.name == "$defs" || m.name == "definitions" {
			lines = append(lines, "- where "+m.name+" is "+string(wirejson.AppendJSON(nil, m.raw)))
		}
	}
	return lines
}

// members returns the members of an object in their order.
func members(object json.RawMessage) (all []property) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		var raw json.RawMessage
		if err != nil || d.Decode(&raw) != nil {
			return all
		}
		all = append(all, property{name: name.(string), raw: raw})
	}
	return all
}

// kindOf returns a type in words: "string", "string or null", "array of string".
func kindOf(s propertySchema) string {
	var one string
	var several []string
	switch {
	case json.Unmarshal(s.Type, &one) == nil && one == "array" && s.Items != nil:
		var items propertySchema
		if json.Unmarshal(s.Items, &items) == nil {
			return "array of " + kindOf(items)
		}
		return one
	case one != "":
		return one
	case json.Unmarshal(s.Type, &several) == nil && len(several) > 0:
		return strings.Join(several, " or ")
	}
	return "any"
}

func (p property) need() string {
	switch {
	case p.required:
		return "required"
	case len(p.schema.Default) > 0:
		return "optional, default: " + string(wirejson.AppendJSON(nil, p.schema.Default))
	}
	return "optional"
}

func (p property) needCompact() string {
	if p.required {
		return ""
	}
	return " (optional)"
}

// words returns what there is to say of a property, behind lead: its
// description, the values and bounds it may have, and the whole schema of what is nested.
func (p property) words(lead string) string {
	words := p.schema.Description
	add := func(s string) {
		if words != "" {
			words = strings.TrimRight(words, ".") + ". "
		}
		words += s
	}
	if len(p.schema.Enum) > 0 {
		var values []string
		for _, v := range p.schema.Enum {
			values = append(values, string(wirejson.AppendJSON(nil, v)))
		}
		add("One of: " + strings.Join(values, ", "))
	}
	if bounds := p.schema.bounds(); bounds != "" {
		add(bounds)
	}
	if isNested(p.raw) {
		add("JSON Schema: " + string(wirejson.AppendJSON(nil, p.raw)))
	}
	if words == "" {
		return ""
	}
	return lead + words
}

func (s propertySchema) bounds() string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("From %s to %s", s.Minimum, s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("From %s", s.Minimum)
	case s.Maximum != nil:
		return fmt.Sprintf("Up to %s", s.Maximum)
	}
	return ""
}

// isNested reports whether a schema describes objects inside a property, or has
// alternatives, which do not fit a line.
func isNested(raw json.RawMessage) bool {
	for _, key := range []string{`"properties"`, `"anyOf"`, `"oneOf"`, `"allOf"`, `"$ref"`} {
		if bytes.Contains(raw, []byte(key)) {
			return true
		}
	}
	return false
}
