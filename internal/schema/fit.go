package schema

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"ikigai"
)

// Rules are what a vendor demands of a tool's schema beyond what all of them
// do. One schema that a vendor does not take has it refuse the whole request.
type Rules struct {
	// Object has the schema be of the type object, and say its properties.
	Object bool

	// Top are the keywords that must not stand at the top of the schema. What
	// they say of properties is taken to those of the schema itself, and they
	// are put into its description, unless they are long.
	Top []string

	// Items has every schema of a list say what it holds.
	Items bool

	// Python has patterns be such as Python can compile.
	Python bool

	// Name reports whether a parameter may have a name; nil takes any. One
	// that may not have its name is told of in the description, for the model
	// can pass it all the same.
	Name func(string) bool
}

// OpenAI returns the rules of OpenAI, which those follow who speak as it does.
// "Schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not'
// at the top level", "array schema missing items", "object schema missing
// properties" and "is not a 'regex'" are its answers.
func OpenAI() Rules {
	return Rules{Object: true, Top: []string{"oneOf", "anyOf", "allOf", "enum", "not", "$ref"}, Items: true, Python: true}
}

// Fit returns the schema of a tool as a vendor with these rules takes it: a
// valid JSON Schema, without the keywords that are no good where they stand.
// whole reports whether nothing had to be left out that says of what form the
// input is. A schema that is fine is returned as it is, byte for byte, less white
// space around it; none at all is {}. Fit of what it returns is the same again.
//
// It is for telling a model of a tool: input is judged by the schema as it was,
// which Checker does.
func (r Rules) Fit(schema json.RawMessage) (fitted json.RawMessage, whole bool) {
	f := fitter{rules: r}
	if len(schema) == 0 {
		schema = json.RawMessage("{}")
	} else if !json.Valid(schema) {
		schema, f.lost = json.RawMessage("{}"), true
	}
	fitted = bytes.TrimSpace(f.clean(schema))
	// What is left out may have been referred to, hence again.
	for range maxPasses {
		f.changed = false
		fitted = f.top(f.valid(fitted))
		if !f.changed {
			return fitted, !f.lost
		}
	}
	return json.RawMessage(`{"type":"object","properties":{}}`), false
}

const (
	maxPasses = 20
	maxNested = 64 // schemas within each other, which no vendor takes more of
)

// fitter makes one schema valid. It writes the schema anew, and what it has
// written counts where something changed.
type fitter struct {
	rules   Rules
	root    []byte          // that references begin from
	b       []byte          // what is written
	leads   map[string]bool // paths that are the value of $ref, and whether something is there
	stack   []pair          // the members of the objects around, to be allocated once
	changed bool
	lost    bool // something was left out
}

// pair is a member of an object. Its key has the bytes between the quotation
// marks.
type pair struct{ key, value []byte }

// valid returns a valid schema of what raw says.
func (f *fitter) valid(raw []byte) []byte {
	f.root, f.leads, f.stack = raw, nil, make([]pair, 0, 32)
	f.b = make([]byte, 0, len(raw))
	if raw[0] != '{' { // true, which says nothing, or what is no schema
		raw = []byte("{}")
		f.changed, f.lost = true, true
	}
	f.schema(raw, 0)
	if !f.changed {
		return f.root
	}
	return f.b
}

// clean returns raw less what no vendor takes in any text.
func (f *fitter) clean(raw []byte) []byte {
	if clean := ikigai.CleanJSON(ikigai.CleanText(string(raw))); clean != string(raw) {
		f.lost = true
		return []byte(clean)
	}
	return raw
}

// leave notes that something is left out, and returns false.
func (f *fitter) leave() bool {
	f.changed, f.lost = true, true
	return false
}

// leaveWord notes that a keyword is left out. It is no loss if it says nothing of
// a value's form: Strict leaves it out as well.
func (f *fitter) leaveWord(key string) {
	f.changed = true
	f.lost = f.lost || key != "pattern" && !slices.Contains(leftOut, key)
}

// push puts the members of an object onto the stack, the last of those with one
// name, and returns where they begin.
func (f *fitter) push(raw []byte) (base int) {
	base = len(f.stack)
	for i := space(raw, 1); i < len(raw) && raw[i] == '"'; {
		end := valueEnd(raw, i)
		p := pair{key: plainKey(raw[i:end])}
		i = space(raw, space(raw, end)+1) // past the colon
		end = valueEnd(raw, i)
		p.value = raw[i:end]
		if same := slices.IndexFunc(f.stack[base:], func(q pair) bool { return bytes.Equal(p.key, q.key) }); same >= 0 {
			f.stack[base+same] = p
			f.leave()
		} else {
			f.stack = append(f.stack, p)
		}
		if i = space(raw, end); raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
	return base
}

// plainKey returns what stands between the quotation marks, with no escapes but
// those that are needed.
func plainKey(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		var key string
		_ = json.Unmarshal(quoted, &key) // it is a string
		quoted = quoteJSON(key)
	}
	return quoted[1 : len(quoted)-1]
}

// among returns the value of a member that is on the stack from base on, nil if
// there is none.
func (f *fitter) among(base int, key string) []byte {
	for _, p := range f.stack[base:] {
		if string(p.key) == key {
			return p.value
		}
	}
	return nil
}

// name writes what stands before a member's value.
func (f *fitter) name(key []byte) {
	f.comma('{')
	f.b = append(append(append(f.b, '"'), key...), `":`...)
}

// comma writes what stands before a value, unless it is the first behind open.
func (f *fitter) comma(open byte) {
	if f.b[len(f.b)-1] != open {
		f.b = append(f.b, ',')
	}
}

// schema writes a schema. What is none says nothing: {}.
func (f *fitter) schema(raw []byte, depth int) {
	if raw[0] != '{' && isSchema(raw) {
		f.b = append(f.b, raw...)
		return
	}
	f.b = append(f.b, '{')
	if raw[0] == '{' && depth <= maxNested {
		base := f.push(raw)
		for i := base; i < len(f.stack); i++ {
			mark := len(f.b)
			if !f.keyword(f.stack[i], base, depth) {
				f.b = f.b[:mark]
				f.leaveWord(string(f.stack[i].key))
			}
		}
		f.items(base)
		f.stack = f.stack[:base]
	} else {
		f.leave()
	}
	f.b = append(f.b, '}')
}

// isSchema reports whether a value can be a schema.
func isSchema(raw []byte) bool {
	return raw[0] == '{' || string(raw) == "true" || string(raw) == "false"
}

// items writes what a list holds where the vendor must be told.
func (f *fitter) items(base int) {
	if f.rules.Items && f.among(base, "items") == nil && namesArray(f.among(base, "type")) {
		f.name([]byte("items"))
		f.b = append(f.b, "{}"...)
		f.changed = true
	}
}

// namesArray reports whether a list is among the types that a schema names.
func namesArray(types []byte) bool {
	if len(types) > 0 && types[0] == '[' {
		return slices.ContainsFunc(elements(types), namesArray)
	}
	return len(types) > 0 && types[0] == '"' && knownType(string(plainKey(types))) == "array"
}

// keyword writes a keyword of a schema, whose members are on the stack from base
// on. It returns false if the keyword is to be left out.
func (f *fitter) keyword(p pair, base, depth int) bool {
	key, value := string(p.key), p.value
	switch key {
	case "items", "additionalItems":
		if list := f.among(base, "items"); list != nil && list[0] == '[' {
			return f.tuple(key, value, base, depth)
		}
	case "minimum":
		if string(f.among(base, "exclusiveMinimum")) == "true" { // of draft 4
			return false // the other word says it
		}
	case "maximum":
		if string(f.among(base, "exclusiveMaximum")) == "true" {
			return false
		}
	case "exclusiveMinimum":
		value = f.bound(value, base, "minimum")
	case "exclusiveMaximum":
		value = f.bound(value, base, "maximum")
	}
	f.name(p.key)
	switch key {
	case "type":
		return f.types(value)
	case "$ref":
		if !f.leadsSomewhere(value) {
			return false
		}
	case "pattern":
		if value[0] != '"' || f.rules.Python && !isPython(value) {
			return false
		}
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return f.schemas(key, value, depth)
	case "items", "additionalItems", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains", "propertyNames",
		"not", "if", "then", "else", "contentSchema":
		if isSchema(value) {
			f.schema(value, depth+1)
			return true
		}
		return false
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return f.list(value, func(e []byte) bool {
			if isSchema(e) {
				f.schema(e, depth+1)
			}
			return isSchema(e)
		})
	case "required":
		return f.strings(value) || string(value) == "[]"
	default:
		if !hasForm(key, value) {
			return false
		}
	}
	f.b = append(f.b, value...)
	return true
}

// bound returns the bound that a keyword of draft 4, which is true, makes an
// exclusive one; the keyword's own value where that is anything else.
func (f *fitter) bound(value []byte, base int, inclusive string) []byte {
	if bound := f.among(base, inclusive); string(value) == "true" && bound != nil {
		return bound
	}
	return value
}

// hasForm reports whether a keyword that holds no schema has a value of the kind
// that it must have.
func hasForm(key string, value []byte) bool {
	switch key {
	case "title", "description", "$comment", "format", "$schema", "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "contentEncoding", "contentMediaType":
		return value[0] == '"'
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		return string(value) == "true" || string(value) == "false"
	case "examples":
		return value[0] == '['
	case "enum":
		return len(elements(value)) > 0
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return isNumber(value)
	case "multipleOf":
		n, err := strconv.ParseFloat(string(value), 64)
		return isNumber(value) && err == nil && n > 0
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		n, err := strconv.ParseFloat(string(value), 64)
		return isNumber(value) && err == nil && n >= 0 && n == math.Trunc(n)
	case "dependentRequired":
		return value[0] == '{' && !slices.ContainsFunc(members(value), func(m member) bool { return m.value[0] != '[' || len(namesIn(m.value)) < len(elements(m.value)) })
	}
	return true
}

func isNumber(raw []byte) bool { return raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9' }

// types writes the value of the keyword type.
func (f *fitter) types(value []byte) bool {
	if value[0] != '[' {
		return f.typeName(value)
	}
	var had []string // each stands there once
	return f.list(value, func(e []byte) bool {
		if e[0] != '"' {
			return false
		}
		name := knownType(string(plainKey(e)))
		if slices.Contains(had, name) {
			return false
		}
		had = append(had, name)
		return f.typeName(e)
	})
}

// typeName writes the type that a name stands for.
func (f *fitter) typeName(value []byte) bool {
	if value[0] != '"' {
		return false
	}
	name := plainKey(value)
	known := knownType(string(name))
	if known == "" {
		return false
	}
	if known != string(name) {
		f.leave()
		value = quoteJSON(known)
	}
	f.b = append(f.b, value...)
	return true
}

// strings writes the strings of a list, each once.
func (f *fitter) strings(value []byte) bool {
	var had [][]byte
	return f.list(value, func(e []byte) bool {
		if e[0] != '"' || slices.ContainsFunc(had, func(h []byte) bool { return bytes.Equal(h, e) }) {
			return false
		}
		had = append(had, e)
		f.b = append(f.b, e...)
		return true
	})
}

// list writes what write takes of a list, and returns false if that is nothing.
func (f *fitter) list(value []byte, write func(element []byte) bool) bool {
	f.b = append(f.b, '[')
	start := len(f.b)
	for _, e := range elements(value) {
		mark := len(f.b)
		f.comma('[')
		if !write(e) {
			f.b = f.b[:mark]
			f.leave()
		}
	}
	f.b = append(f.b, ']')
	return len(f.b) > start+1
}

// schemas writes an object of schemas.
func (f *fitter) schemas(key string, value []byte, depth int) bool {
	if value[0] != '{' {
		return false
	}
	f.b = append(f.b, '{')
	base := f.push(value)
	for i := base; i < len(f.stack); i++ {
		p, mark := f.stack[i], len(f.b)
		f.name(p.key)
		switch {
		case key == "patternProperties" && f.rules.Python && !isPython(slices.Concat([]byte(`"`), p.key, []byte(`"`))),
			!isSchema(p.value) && !(key == "dependencies" && f.strings(p.value)):
			f.b = f.b[:mark]
			f.leave()
		case isSchema(p.value):
			f.schema(p.value, depth+1)
		}
	}
	f.stack = f.stack[:base]
	f.b = append(f.b, '}')
	return true
}

// tuple writes a list of schemas under items, as older drafts have it, in the
// words of the newest.
func (f *fitter) tuple(key string, value []byte, base, depth int) bool {
	if key == "additionalItems" {
		return false // written behind the items
	}
	f.changed = true
	f.name([]byte("prefixItems"))
	if f.among(base, "prefixItems") != nil || !f.list(value, func(e []byte) bool {
		if isSchema(e) {
			f.schema(e, depth+1)
		}
		return isSchema(e)
	}) {
		return false
	}
	if rest := f.among(base, "additionalItems"); rest != nil && isSchema(rest) {
		f.name([]byte("items"))
		f.schema(rest, depth+1)
	}
	return true
}
