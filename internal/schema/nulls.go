package schema

import (
	"bytes"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// withoutNulls returns args without the members that stand for nothing: a null
// for an optional property whose schema does not take null. Models in strict
// mode must send one where they leave the property out. What stays keeps its
// bytes; args itself is returned where nothing is left out.
func (c *checker) withoutNulls(args []byte) []byte {
	if !bytes.Contains(args, []byte("null")) {
		return args
	}
	return c.prune(c.root, args)
}

// prune returns a value without such members.
func (c *checker) prune(s *jsonschema.Schema, raw []byte) []byte {
	s = c.meant(s)
	if s == nil || !bytes.Contains(raw, []byte("null")) {
		return raw
	}
	changed := false
	out := &writer{}
	pruned := func(s *jsonschema.Schema, value []byte) []byte {
		less := c.prune(s, value)
		changed = changed || len(less) != len(value)
		return less
	}
	if list := elements(raw); list != nil {
		for _, e := range list {
			out.item(pruned(s.Items, e))
		}
		if changed {
			return out.array()
		}
		return raw
	}
	for _, m := range members(raw) {
		property := s.Properties[m.key]
		if string(m.value) == "null" && property != nil && !slices.Contains(s.Required, m.key) && !c.takesNull(property, 0) {
			changed = true
			continue
		}
		out.add(m.key, pruned(property, m.value))
	}
	if changed {
		return out.object()
	}
	return raw
}

// meant returns the schema that s comes down to: what it refers to, or the only
// one of its alternatives that is not null.
func (c *checker) meant(s *jsonschema.Schema) *jsonschema.Schema {
	for range maxReferences {
		switch {
		case s == nil:
			return nil
		case s.Ref != "":
			s = c.target(s.Ref)
		case len(s.AnyOf) > 0 || len(s.OneOf) > 0:
			all := slices.DeleteFunc(slices.Concat(s.AnyOf, s.OneOf), func(a *jsonschema.Schema) bool { return a.Type == "null" })
			if len(all) != 1 {
				return nil
			}
			s = all[0]
		default:
			return s
		}
	}
	return nil
}

// maxReferences is how many references are followed to one schema.
const maxReferences = 20

// target returns the definition that a reference within the schema names, nil
// if it is none.
func (c *checker) target(ref string) *jsonschema.Schema {
	if ref == "#" {
		return c.root
	}
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return c.root.Defs[name]
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return c.root.Definitions[name]
	}
	return nil
}

// takesNull reports whether s takes null, or may.
func (c *checker) takesNull(s *jsonschema.Schema, depth int) bool {
	if depth > maxReferences {
		return true
	}
	takes := func(s *jsonschema.Schema) bool { return c.takesNull(s, depth+1) }
	if types := typesOf(s); len(types) > 0 && !slices.Contains(types, "null") {
		return false
	}
	if s.Enum != nil && !slices.Contains(s.Enum, nil) || s.Const != nil && *s.Const != nil {
		return false
	}
	if s.Ref != "" {
		target := c.target(s.Ref)
		return target == nil || takes(target)
	}
	for _, any := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(any) > 0 && !slices.ContainsFunc(any, takes) {
			return false
		}
	}
	return !slices.ContainsFunc(s.AllOf, func(s *jsonschema.Schema) bool { return !takes(s) })
}
