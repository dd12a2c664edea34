package dbschema

import (
	"encoding/json"
	"io"
	"strings"
	"unicode"
)

// value is what JSON text says.
type value struct {
	all    []string // every name, text and number, in order
	values []string // the same without names
	files  []string // texts, a line each, under a name that stands for a path or URL
}

// readValue reads JSON text. whole is false if s is no object or array of
// JSON, with what could be read.
func readValue(s string) (v value, whole bool) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return value{}, false
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var r valueReader
	for {
		token, err := d.Token()
		if err != nil {
			return r.value, err == io.EOF
		}
		r.take(token)
	}
}

// valueReader collects a value from tokens.
type valueReader struct {
	value
	open []container
}

// container is an object or an array that is being read.
type container struct {
	object bool
	named  bool   // the name of the next value was read
	name   string // of the value, for an array its own
}

func (r *valueReader) take(token json.Token) {
	switch t := token.(type) {
	case json.Delim:
		r.delim(t)
		return
	case string:
		if top := r.top(); top.object && !top.named {
			top.named, top.name = true, t
			r.all = append(r.all, t)
			return
		}
		r.add(t)
		if isFileName(r.top().name) {
			r.files = append(r.files, line(t))
		}
	case json.Number:
		r.add(t.String())
	}
	r.top().named = false
}

func (r *valueReader) delim(d json.Delim) {
	switch d {
	case '{':
		r.open = append(r.open, container{object: true})
	case '[':
		r.open = append(r.open, container{name: r.top().name})
	default:
		r.open = r.open[:len(r.open)-1]
		r.top().named = false
	}
}

// top returns the innermost container.
func (r *valueReader) top() *container {
	if len(r.open) == 0 {
		return &container{}
	}
	return &r.open[len(r.open)-1]
}

func (r *valueReader) add(s string) {
	r.all = append(r.all, s)
	r.values = append(r.values, s)
}

// isFileName reports whether a field of this name holds a path or a URL.
func isFileName(name string) bool {
	switch strings.ToLower(name) {
	case "path", "paths", "file", "files", "file_path", "filepath", "filename", "file_name", "uri", "url":
		return true
	}
	return false
}

// foldCase returns s in a form that is the same for all cases of its letters.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s)
}
