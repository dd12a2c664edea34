package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

const (
	maxWords   = 2000 // bytes of keywords that a description repeats
	maxLooks   = 1000 // parameters, and schemas that are looked at for more
	maxMembers = 20   // schemas that one parameter may have, of which any will do
)

// top returns a valid schema with a top as the vendor takes it.
func (f *fitter) top(raw []byte) []byte {
	if f.isTop(raw) {
		return raw
	}
	f.changed = true
	f.root = raw
	t := topOf{fitter: f}
	t.take(raw)
	return t.write(raw)
}

// isTop reports whether the vendor takes the top of a valid schema.
func (f *fitter) isTop(raw []byte) bool {
	for _, key := range f.rules.Top {
		if get(raw, key) != nil {
			return false
		}
	}
	properties := get(raw, "properties")
	if f.rules.Object && (string(get(raw, "type")) != `"object"` || properties == nil) {
		return false
	}
	if f.rules.Name == nil || properties == nil {
		return true
	}
	f.stack = f.stack[:0]
	f.push(properties)
	return !slices.ContainsFunc(f.stack, func(p pair) bool { return !f.rules.Name(keyText(p.key)) })
}

// keyText returns the text of a key.
func keyText(key []byte) string {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key)
	}
	var text string
	_ = json.Unmarshal(slices.Concat([]byte(`"`), key, []byte(`"`)), &text) // it is a string
	return text
}

// topOf is the top of a schema in the making.
type topOf struct {
	*fitter
	words      []string // for the description
	properties writer
	required   []string
	odd        bool // parameters are told of in words alone
}

// take takes in what the top says of parameters.
func (t *topOf) take(raw []byte) {
	taken, lost := &writer{}, &writer{}
	looks := maxLooks
	all, required := t.parameters(raw, t.rules.Top, &looks)
	var needed []string
	for _, p := range all {
		if t.rules.Name != nil && !t.rules.Name(p.name) {
			lost.add(p.name, p.schema())
			if slices.Contains(required, p.name) {
				needed = append(needed, p.name)
			}
			continue
		}
		t.properties.add(p.name, p.schema())
	}
	t.required = slices.DeleteFunc(required, func(name string) bool { return slices.Contains(needed, name) })
	for _, m := range members(raw) {
		if slices.Contains(t.rules.Top, m.key) {
			t.lost = true
			if m.key != "$ref" { // all of which is here now
				taken.add(m.key, m.value)
			}
		}
	}
	if n := len(taken.b); n > 0 && n <= maxWords {
		t.words = append(t.words, "Must fit "+string(taken.object())+".")
	}
	if t.odd = len(lost.b) > 0; t.odd {
		t.lost = true
		words := "More parameters: " + string(lost.object())
		if len(needed) > 0 {
			words += ", required of them: " + strings.Join(needed, ", ")
		}
		t.words = append(t.words, words+".")
	}
}

// write returns the schema with its new top. Its keywords keep their order.
func (t *topOf) write(raw []byte) []byte {
	out := &writer{}
	given := objectOf(raw)
	if t.rules.Object && given["type"] == nil {
		out.add("type", []byte(`"object"`))
	}
	if given["description"] == nil && len(t.words) > 0 {
		out.add("description", t.description(nil))
	}
	for _, m := range members(raw) {
		switch {
		case slices.Contains(t.rules.Top, m.key):
		case m.key == "type" && t.rules.Object:
			t.lost = t.lost || string(m.value) != `"object"`
			out.add(m.key, []byte(`"object"`))
		case m.key == "description" && len(t.words) > 0:
			out.add(m.key, t.description(m.value))
		case m.key == "properties":
			out.add(m.key, t.properties.object())
		case m.key == "required":
			t.addRequired(out)
		case t.odd && (m.key == "additionalProperties" || m.key == "unevaluatedProperties"): // they may be there
		default:
			out.add(m.key, m.value)
		}
	}
	if given["properties"] == nil && (t.rules.Object || len(t.properties.b) > 0) {
		out.add("properties", t.properties.object())
	}
	if given["required"] == nil {
		t.addRequired(out)
	}
	return out.object()
}

func (t *topOf) addRequired(out *writer) {
	if len(t.required) == 0 {
		return
	}
	names := &writer{}
	for _, name := range t.required {
		names.item(quoteJSON(name))
	}
	out.add("required", names.array())
}

// description returns a description, which may be nil, with what else is to be
// said in it.
func (t *topOf) description(given []byte) []byte {
	var text string
	if given != nil {
		_ = json.Unmarshal(given, &text) // it is a string
	}
	return quoteText(strings.TrimSpace(text + " " + strings.Join(t.words, " ")))
}

// quoteText is quoteJSON that leaves the characters of HTML as they are.
func quoteText(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("schema: a string that cannot be encoded: " + err.Error())
	}
	return bytes.TrimSpace(b.Bytes())
}

// parameter is a property of the object that is the input.
type parameter struct {
	name  string
	forms [][]byte // schemas, of which any will do
}

// schema returns the schema of the parameter.
func (p parameter) schema() []byte {
	if len(p.forms) == 1 {
		return p.forms[0]
	}
	forms := &writer{}
	for _, form := range p.forms[:min(len(p.forms), maxMembers)] {
		forms.item(form)
	}
	out := &writer{}
	out.add("anyOf", forms.array())
	return out.object()
}

// parameters returns what an object's schema says of parameters, itself and by
// those of the given keywords that join schemas, and the names of those that
// must be there. looks is how much is still looked at: references lead to the
// same schemas again and again.
func (t *topOf) parameters(raw []byte, joins []string, looks *int) (all []parameter, required []string) {
	if *looks <= 0 || raw[0] != '{' {
		return nil, nil
	}
	of := objectOf(raw)
	for _, m := range members(of["properties"]) {
		all = append(all, parameter{m.key, [][]byte{m.value}})
	}
	*looks -= 1 + len(all)
	required = namesIn(of["required"])
	for key := range of {
		if !slices.Contains(joins, key) {
			delete(of, key)
		}
	}
	whole := elements(of["allOf"])
	var ref string
	if json.Unmarshal(of["$ref"], &ref) == nil && isPath(ref) {
		if target := find(t.root, ref[1:]); target != nil {
			whole = append(whole, target)
		}
	}
	for _, part := range whole {
		more, needed := t.parameters(part, joining, looks)
		all, required = add(all, more), union(required, needed)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		more, needed := t.either(elements(of[key]), looks)
		all, required = add(all, more), union(required, needed)
	}
	return all, required
}

// joining are the keywords that join schemas of one value.
var joining = []string{"$ref", "allOf", "anyOf", "oneOf"}

// either returns the parameters of all of several schemas, and the names that
// each of them requires.
func (t *topOf) either(schemas [][]byte, looks *int) (all []parameter, required []string) {
	for i, s := range schemas {
		more, needed := t.parameters(s, joining, looks)
		if i == 0 {
			required = needed
		}
		required = slices.DeleteFunc(required, func(name string) bool { return !slices.Contains(needed, name) })
		for _, p := range more {
			at := slices.IndexFunc(all, func(q parameter) bool { return q.name == p.name })
			if at < 0 {
				all = append(all, p)
				continue
			}
			for _, form := range p.forms {
				if !slices.ContainsFunc(all[at].forms, func(had []byte) bool { return bytes.Equal(had, form) }) {
					all[at].forms = append(all[at].forms, form)
				}
			}
		}
	}
	return all, required
}

// add returns all, and those of more whose names are new.
func add(all, more []parameter) []parameter {
	for _, p := range more {
		if !slices.ContainsFunc(all, func(q parameter) bool { return q.name == p.name }) {
			all = append(all, p)
		}
	}
	return all
}

// union returns the names in a and b.
func union(a, b []string) []string {
	for _, name := range b {
		if !slices.Contains(a, name) {
			a = append(a, name)
		}
	}
	return a
}
