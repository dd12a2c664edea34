package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// objectOf returns the members of an object by their keys; none of anything
// else.
func objectOf(raw []byte) map[string]json.RawMessage {
	of := map[string]json.RawMessage{}
	for _, m := range members(raw) {
		of[m.key] = m.value
	}
	return of
}

// namesIn returns the strings in a list.
func namesIn(raw []byte) []string {
	var names []string
	for _, e := range elements(raw) {
		var name string
		if json.Unmarshal(e, &name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// typesIn returns the types that a schema names, or shows by other keywords.
func typesIn(of map[string]json.RawMessage) []string {
	var one string
	switch {
	case json.Unmarshal(of["type"], &one) == nil:
		return []string{one}
	case of["type"] != nil:
		return namesIn(of["type"])
	case of["properties"] != nil:
		return []string{"object"}
	case of["items"] != nil:
		return []string{"array"}
	}
	values := elements(of["enum"])
	if of["const"] != nil {
		values = append(values, of["const"])
	}
	var types []string
	for _, v := range values {
		if t := typeOfValue(v); !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types
}

// typeOfValue returns the type of a valid JSON text.
func typeOfValue(raw []byte) string {
	_, t, _ := strings.Cut(kindOf(raw), " ")
	if t == "" {
		return "null"
	}
	return t
}

// typeWord returns the value of the keyword type.
func typeWord(types []string) []byte {
	if len(types) == 1 {
		return quoteJSON(types[0])
	}
	list := &writer{}
	for _, t := range types {
		list.item(quoteJSON(t))
	}
	return list.array()
}

// writer writes an object or a list, without white space.
type writer struct{ b []byte }

func (w *writer) add(key string, value []byte) {
	w.item(slices.Concat(quoteJSON(key), []byte(":"), value))
}

func (w *writer) item(value []byte) {
	if len(w.b) > 0 {
		w.b = append(w.b, ',')
	}
	w.b = append(w.b, value...)
}

func (w *writer) object() []byte { return slices.Concat([]byte("{"), w.b, []byte("}")) }
func (w *writer) array() []byte  { return slices.Concat([]byte("["), w.b, []byte("]")) }
