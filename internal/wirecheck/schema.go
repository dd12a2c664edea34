package wirecheck

import "slices"

// strictSchema refuses what OpenAI does not take of a schema that arguments, or
// the answer, must follow to the letter: "'required' is required to be supplied
// and to be an array including every key in properties" is a recorded answer.
func (r *report) strictSchema(at string, v *value) {
	if v == nil || v.kind != object {
		return
	}
	if t := v.str("type"); t == "object" || v.get("properties") != nil {
		if extra := v.get("additionalProperties"); extra == nil || extra.text != "false" {
			r.refuse(at, "Invalid schema: 'additionalProperties' is required to be supplied and to be false.")
		}
		required := v.get("required")
		for _, name := range v.get("properties").keys() {
			if !slices.ContainsFunc(required.list(), func(s value) bool { return s.text == name }) {
				r.refuse(at, "Invalid schema: 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", name)
			}
		}
	}
	for _, within := range []string{"properties", "$defs", "definitions"} {
		inner := v.get(within)
		for _, name := range inner.keys() {
			r.strictSchema(at, inner.get(name))
		}
	}
	r.strictSchema(at, v.get("items"))
	for i := range v.get("anyOf").list() {
		r.strictSchema(at, &v.get("anyOf").items[i])
	}
}

// keys returns the names of an object's members.
func (v *value) keys() []string {
	if v == nil || v.kind != object {
		return nil
	}
	return v.names
}
