package schema

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

// leadsSomewhere reports whether the value of $ref names a schema of the same
// document. Where parts of it have names, one that is no path is believed.
func (f *fitter) leadsSomewhere(ref []byte) bool {
	var to string
	if ref[0] != '"' || json.Unmarshal(ref, &to) != nil {
		return false
	}
	if isPath(to) {
		leads, known := f.leads[to]
		if !known {
			target := find(f.root, to[1:])
			leads = target != nil && isSchema(target)
			if f.leads == nil {
				f.leads = map[string]bool{}
			}
			f.leads[to] = leads
		}
		return leads
	}
	return bytes.Contains(f.root, []byte(`"$id"`)) || bytes.Contains(f.root, []byte(`"$anchor"`))
}

// isPath reports whether a reference is the path of a part of the document.
func isPath(ref string) bool { return ref == "#" || strings.HasPrefix(ref, "#/") }

// find returns the part of a document that a JSON pointer names, nil if there is
// none.
func find(raw []byte, pointer string) []byte {
	if text, err := url.PathUnescape(pointer); err == nil {
		pointer = text
	}
	plain := strings.NewReplacer("~1", "/", "~0", "~")
	for pointer != "" && raw != nil {
		var step string
		step, pointer, _ = strings.Cut(pointer[1:], "/")
		if pointer != "" {
			pointer = "/" + pointer
		}
		raw = get(raw, plain.Replace(step))
	}
	return raw
}

// get returns the value of a member of an object, or an item of a list by its
// number; nil if there is none.
func get(raw []byte, key string) (value []byte) {
	if raw[0] == '[' {
		all := elements(raw)
		if n, err := strconv.Atoi(key); err == nil && n >= 0 && n < len(all) {
			return all[n]
		}
		return nil
	}
	for i := 1; raw[0] == '{'; i++ { // past a comma
		if i = space(raw, i); i >= len(raw) || raw[i] != '"' {
			break
		}
		end := valueEnd(raw, i)
		name := plainKey(raw[i:end])
		i = space(raw, space(raw, end)+1) // past the colon
		end = valueEnd(raw, i)
		if string(name) == key {
			value = raw[i:end]
		}
		i = space(raw, end)
	}
	return value
}
