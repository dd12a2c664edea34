package exttool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ikigai"
)

// The protocol of Amp's toolboxes: the variable says what is wanted. The input
// comes on standard input, in the form in which the tool has described itself.
const (
	toolboxDescribe = "TOOLBOX_ACTION=describe"
	toolboxExecute  = "TOOLBOX_ACTION=execute"
)

// parseToolbox reads what an executable of a toolbox says of itself, JSON or
// lines.
func parseToolbox(raw []byte) (spec, *ikigai.Error) {
	raw = clean(raw)
	all, ok := members(raw)
	if !ok {
		return parseLines(string(raw))
	}
	s := spec{Stdin: true}
	var parameters json.RawMessage
	for _, m := range all {
		switch m.name {
		case "name":
			s.Name = toolboxName(asText(m.value))
		case "description":
			s.Description = strings.TrimSpace(asText(m.value))
		case "inputSchema", "parameters":
			parameters = m.value
		case "args":
			args, ok := members(m.value)
			if !ok {
				return s, fault("args is no JSON object", "Make it a map from name to [type, description]")
			}
			for i, a := range args {
				args[i] = field(a.name, argument(a.value))
			}
			parameters = object(args)
		}
	}
	return s.complete(parameters, nil, nil)
}

// argument returns a parameter given as [type, description] in the flat form.
func argument(raw json.RawMessage) json.RawMessage {
	var pair []string
	if json.Unmarshal(raw, &pair) != nil || len(pair) == 0 {
		return raw
	}
	return parameter(pair[0], strings.Join(pair[1:], " "))
}

// parameter returns a parameter in the flat form. One is optional if its type
// ends in a question mark, or its description says so first.
func parameter(kind, description string) json.RawMessage {
	kind, optional := strings.CutSuffix(kind, "?")
	for _, mark := range []string{"(optional)", "optional"} {
		if rest, ok := strings.CutPrefix(description, mark); ok {
			description, optional = strings.TrimSpace(rest), true
			break
		}
	}
	return encode(struct {
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
		Required    bool   `json:"required"`
	}{kind, description, !optional})
}

// parseLines reads a description in the form of lines: name, description, and
// a line "NAME: TYPE DESCRIPTION" for each parameter.
func parseLines(text string) (spec, *ikigai.Error) {
	s := spec{Stdin: true, Lines: true}
	var parameters []member
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		key, value = strings.TrimSpace(strings.TrimPrefix(key, "- ")), strings.TrimSpace(value)
		switch {
		case !ok && strings.TrimSpace(line) == "":
		case !ok:
			return s, fault("TOOLBOX_ACTION=describe answered with a line that is no `name: value`: "+excerpt([]byte(line), 100), "Correct it, or answer with a JSON object")
		case key == "name":
			s.Name = toolboxName(value)
		case key == "description":
			s.Description = strings.TrimSpace(s.Description + "\n" + value)
		default:
			kind, description, _ := strings.Cut(value, " ")
			if !slices.Contains(types(), strings.TrimSuffix(kind, "?")) {
				kind, description = "string", value
			}
			parameters = append(parameters, field(key, parameter(kind, strings.TrimSpace(description))))
		}
	}
	return s.complete(object(parameters), nil, nil)
}

// toolboxName makes a name that models can call of one that Amp takes.
func toolboxName(name string) string {
	return strings.Map(func(r rune) rune {
		if LegalName(string(r)) {
			return r
		}
		return '_'
	}, name)
}

// inputLines returns an input, a JSON object, as lines. A line break within a
// value cannot be told from the next parameter.
func inputLines(args json.RawMessage) ([]byte, *ikigai.Error) {
	all, _ := members(args)
	var b bytes.Buffer
	for _, m := range all {
		value := asText(m.value)
		if strings.ContainsAny(value, "\r\n") {
			return nil, fault(fmt.Sprintf("The parameter %s has a line break, which the form of input of this tool cannot hold", m.name), "Send it on one line")
		}
		fmt.Fprintf(&b, "%s: %s\n", m.name, value)
	}
	return b.Bytes(), nil
}
