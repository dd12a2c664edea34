package schema

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// clearTypes makes types of s that JSON Schema does not have into those that
// are meant, where that is known, and takes the others out. No value could have
// them, so that the tool could never be called.
func clearTypes(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.Type = knownType(s.Type)
	for i, t := range s.Types {
		s.Types[i] = knownType(t)
	}
	if slices.Contains(s.Types, "") {
		s.Types = nil
	}
	for _, all := range []map[string]*jsonschema.Schema{s.Properties, s.PatternProperties, s.Defs, s.Definitions, s.DependentSchemas, s.DependencySchemas} {
		for _, part := range all {
			clearTypes(part)
		}
	}
	for _, all := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems, s.ItemsArray} {
		for _, part := range all {
			clearTypes(part)
		}
	}
	for _, part := range []*jsonschema.Schema{s.Items, s.AdditionalItems, s.UnevaluatedItems, s.Contains, s.AdditionalProperties, s.PropertyNames,
		s.UnevaluatedProperties, s.Not, s.If, s.Then, s.Else, s.ContentSchema} {
		clearTypes(part)
	}
}

// knownType returns the type of JSON Schema that a name stands for, "" if that
// is not known.
func knownType(name string) string {
	switch name {
	case "null", "boolean", "object", "array", "number", "string", "integer":
		return name
	case "dict":
		return "object"
	case "list", "tuple":
		return "array"
	case "float", "double":
		return "number"
	case "int":
		return "integer"
	case "str":
		return "string"
	case "bool":
		return "boolean"
	}
	return ""
}
