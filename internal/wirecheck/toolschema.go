package wirecheck

import (
	"slices"
	"strconv"
	"strings"
)

// toolSchema refuses what is no JSON Schema: vendors hold it against the schema
// of schemas. Bounds as draft 4 has them, types that are none and references
// that lead nowhere ("reference to undefined schema at properties.a") are
// what servers of tools send (google-gemini/gemini-cli #13326, anomalyco/opencode #2082).
func (r *report) toolSchema(at string, v *value) {
	if v != nil {
		r.subschema(at, v, v)
	}
}

func (r *report) subschema(at string, v, root *value) {
	if v.kind == boolean {
		return
	}
	if v.kind != object {
		r.refuse(at, "JSON schema is invalid: %s is not of type 'object', 'boolean'", v)
		return
	}
	for i, name := range v.names {
		r.schemaWord(at+"."+name, name, &v.items[i], root)
	}
}

// schemaWord checks a keyword of a schema.
func (r *report) schemaWord(at, name string, v, root *value) {
	switch name {
	case "type":
		types := v.list()
		if v.kind == text {
			types = []value{*v}
		}
		for _, t := range types {
			r.oneOf(at, &t, "null", "boolean", "object", "array", "number", "string", "integer")
		}
		if len(types) == 0 {
			r.refuse(at, "JSON schema is invalid: %s is not valid under any of the given schemas", v)
		}
	case "$ref":
		if !leads(root, v.string()) {
			r.refuse(at, "reference to undefined schema %s", v)
		}
	case "enum":
		if len(v.list()) == 0 {
			r.refuse(at, "JSON schema is invalid: %s should be non-empty", v)
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems":
		if v.kind != number {
			r.refuse(at, "must be a number, not %s", v)
		}
	case "title", "description", "pattern", "format":
		r.want(at, v, text)
	case "required":
		r.required(at, v)
	case "properties", "patternProperties", "$defs", "definitions":
		if r.want(at, v, object) {
			for i := range v.items {
				r.subschema(at+"."+v.names[i], &v.items[i], root)
			}
		}
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
		r.subschema(at, v, root)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		if len(v.list()) == 0 {
			r.refuse(at, "JSON schema is invalid: %s should be non-empty", v)
		}
		for i := range v.list() {
			r.subschema(at+"."+strconv.Itoa(i), &v.items[i], root)
		}
	}
}

func (r *report) required(at string, v *value) {
	if !r.want(at, v, array) {
		return
	}
	for i, name := range v.items {
		if name.kind != text || slices.ContainsFunc(v.items[:i], func(other value) bool { return other.text == name.text }) {
			r.refuse(at, "JSON schema is invalid: the items of required must be strings, each once")
		}
	}
}

// leads reports whether a reference names a part of the schema. One to a name,
// or to another document, is believed.
func leads(v *value, ref string) bool {
	if ref != "#" && !strings.HasPrefix(ref, "#/") {
		return ref != ""
	}
	plain := strings.NewReplacer("~1", "/", "~0", "~", "%25", "%", "%20", " ")
	for _, step := range strings.Split(ref, "/")[1:] {
		step = plain.Replace(step)
		n, err := strconv.Atoi(step)
		switch {
		case v.is(object):
			v = v.get(step)
		case v.is(array) && err == nil && 0 <= n && n < len(v.items):
			v = &v.items[n]
		default:
			return false
		}
	}
	return v != nil
}

// functionSchema checks the schema of a function's parameters as OpenAI does.
// All of this are its answers (langchain-ai/langchainjs #9804,
// spacelift-io/spacectl #402, pleaseai/shunt #488).
func (r *report) functionSchema(at, name string, v *value) {
	r.toolSchema(at, v)
	if len(v.keys()) == 0 {
		return
	}
	for _, word := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if v.get(word) != nil {
			r.refuse(at, "Invalid schema for function '%s': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.", name)
		}
	}
	r.listsAndPatterns(at, name, "", v)
}

// listsAndPatterns demands that lists say what they hold, and patterns that
// Python can compile.
func (r *report) listsAndPatterns(at, name, context string, v *value) {
	if v == nil || v.kind != object {
		return
	}
	if (v.str("type") == "array" || slices.ContainsFunc(v.get("type").list(), func(t value) bool { return t.text == "array" })) && v.get("items") == nil {
		r.refuse(at, "Invalid schema for function '%s': In context=(%s), array schema missing items.", name, context)
	}
	if p := v.str("pattern"); strings.Contains(p, `\p{`) || strings.Contains(p, `\P{`) || strings.Contains(p, `\u{`) {
		r.refuse(at, "Invalid schema for function '%s': '%s' is not a 'regex'.", name, p)
	}
	inside := func(v *value, steps ...string) {
		r.listsAndPatterns(at, name, strings.TrimPrefix(context+", '"+strings.Join(steps, "', '")+"'", ", "), v)
	}
	for _, word := range []string{"properties", "$defs", "definitions"} {
		for _, key := range v.get(word).keys() {
			inside(v.get(word).get(key), word, key)
		}
	}
	for _, word := range []string{"items", "additionalProperties", "not"} {
		inside(v.get(word), word)
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		for i := range v.get(word).list() {
			inside(&v.get(word).items[i], word, strconv.Itoa(i))
		}
	}
}
