package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// endless reports whether validating against the schema might not end: whether
// a reference leads back to itself without going deeper into the value. The
// library would then exhaust the stack, which cannot be recovered from. A
// reference of a form that is not followed here counts as endless.
func endless(root any) bool {
	w := walker{root: root, open: map[string]bool{}, done: map[string]bool{}, moved: named(root, 0)}
	return w.everywhere(root, "")
}

type walker struct {
	root       any
	open, done map[string]bool // places by JSON pointer
	moved      bool            // references may begin elsewhere than at the root
}

// named reports whether a part of the document has an address of its own, from
// which its references begin.
func named(node any, depth int) bool {
	if object, ok := node.(map[string]any); ok && depth > 0 {
		if _, ok := object["$id"].(string); ok {
			return true
		}
	}
	for _, child := range children(node) {
		if named(child.node, depth+1) {
			return true
		}
	}
	return false
}

// everywhere looks from every place of the document that could be a schema.
func (w *walker) everywhere(node any, pointer string) bool {
	if w.endless(node, pointer) {
		return true
	}
	for _, child := range children(node) {
		if w.everywhere(child.node, pointer+child.step) {
			return true
		}
	}
	return false
}

// endless follows the keywords that apply to the same value as the schema
// that they stand in.
func (w *walker) endless(node any, pointer string) bool {
	object, ok := node.(map[string]any)
	if !ok || w.done[pointer] {
		return false
	}
	if w.open[pointer] {
		return true
	}
	w.open[pointer] = true
	defer func() { delete(w.open, pointer); w.done[pointer] = true }()
	if w.reference(object) {
		return true
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"} {
		part, at := object[key], pointer+"/"+key
		if (key == "not" || key == "if" || key == "then" || key == "else") && w.endless(part, at) {
			return true
		}
		for _, child := range children(part) {
			if w.endless(child.node, at+child.step) {
				return true
			}
		}
	}
	return false
}

func (w *walker) reference(object map[string]any) bool {
	if _, ok := object["$dynamicRef"].(string); ok {
		return true
	}
	ref, ok := object["$ref"].(string)
	if !ok {
		return false
	}
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || w.moved || pointer != "" && pointer[0] != '/' {
		return true
	}
	target, pointer, ok := lookup(w.root, pointer)
	return ok && w.endless(target, pointer)
}

// lookup follows a JSON pointer as it stands in a reference, and returns the
// pointer in the form that children builds.
func lookup(node any, pointer string) (any, string, bool) {
	if text, err := url.PathUnescape(pointer); err == nil {
		pointer = text
	}
	at := ""
	for _, step := range strings.Split(pointer, "/")[1:] {
		found := false
		for _, child := range children(node) {
			if child.step == "/"+step {
				node, at, found = child.node, at+child.step, true
				break
			}
		}
		if !found {
			return nil, "", false
		}
	}
	return node, at, true
}

type child struct {
	step string
	node any
}

func children(node any) []child {
	var all []child
	switch node := node.(type) {
	case map[string]any:
		escape := strings.NewReplacer("~", "~0", "/", "~1")
		for key, v := range node {
			all = append(all, child{"/" + escape.Replace(key), v})
		}
	case []any:
		for i, v := range node {
			all = append(all, child{"/" + strconv.Itoa(i), v})
		}
	}
	return all
}
