package exttool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ikigai"
)

// types are the types that JSON Schema has.
func types() []string {
	return []string{"string", "integer", "number", "boolean", "array", "object", "null"}
}

// checkSchema says what is wrong with the schema of an object, nil if nothing
// is. One that vendors refuse would cost every request of a session.
func checkSchema(raw json.RawMessage) *ikigai.Error {
	if bad := checkPart(raw, ""); bad != nil {
		return bad
	}
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, s); err != nil {
		return fault("The parameters are no JSON Schema: "+strings.TrimPrefix(err.Error(), "json: "), "Correct it")
	}
	if s.Type != "object" {
		return fault("The parameters are not those of an object", `Give the schema "type": "object"`)
	}
	for _, name := range s.Required {
		if s.Properties[name] == nil {
			return fault(fmt.Sprintf("%s is required, but no parameter", name), "Describe it under properties, or take it out of required")
		}
	}
	return nil
}

// checkPart looks at a schema and at those within it. at is the way to it.
func checkPart(raw json.RawMessage, at string) *ikigai.Error {
	all, ok := members(raw)
	if !ok {
		if s := string(raw); s == "true" || s == "false" {
			return nil
		}
		return fault("The schema"+of(at)+" is no object", `Write it as {"type": "string", "description": …}`)
	}
	for _, m := range all {
		bad := checkMember(m, at)
		if bad != nil {
			return bad
		}
	}
	return nil
}

func checkMember(m member, at string) *ikigai.Error {
	switch m.name {
	case "type":
		return checkType(m.value, at)
	case "properties", "$defs", "definitions", "patternProperties":
		parts, ok := members(m.value)
		if !ok {
			return fault(m.name+of(at)+" is no object", "Make it a map from name to schema")
		}
		for _, p := range parts {
			if bad := checkPart(p.value, strings.TrimPrefix(at+"."+p.name, ".")); bad != nil {
				return bad
			}
		}
	case "items", "additionalProperties", "not":
		if m.value[0] == '[' {
			return nil // a tuple of draft 7
		}
		return checkPart(m.value, at+"[]")
	case "anyOf", "oneOf", "allOf", "prefixItems":
		var parts []json.RawMessage
		if json.Unmarshal(m.value, &parts) != nil {
			return fault(m.name+of(at)+" is no list", "Make it a list of schemas")
		}
		for _, p := range parts {
			if bad := checkPart(p, at); bad != nil {
				return bad
			}
		}
	case "required":
		var names []string
		if json.Unmarshal(m.value, &names) != nil {
			return fault("required"+of(at)+" is no list of names", `Write it as "required": ["name"] beside properties`)
		}
	case "description":
		if m.value[0] != '"' {
			return fault("The description"+of(at)+" is no text", "Make it a string")
		}
	}
	return nil
}

func checkType(raw json.RawMessage, at string) *ikigai.Error {
	var one string
	var list []string
	if json.Unmarshal(raw, &one) == nil {
		list = []string{one}
	} else if json.Unmarshal(raw, &list) != nil {
		return fault("The type"+of(at)+" is no name", "Use one of "+strings.Join(types(), ", "))
	}
	for _, t := range list {
		if !slices.Contains(types(), t) {
			return fault(fmt.Sprintf("The type %q%s is none of JSON Schema", t, of(at)), "Use one of "+strings.Join(types(), ", "))
		}
	}
	return nil
}

func of(at string) string {
	if at == "" {
		return ""
	}
	return " of " + at
}
