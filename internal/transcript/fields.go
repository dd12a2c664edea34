package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// fields returns the keys of a JSON object in the order they stand in, and
// nil if text is no JSON object. A key that stands there twice is there twice.
func fields(text string) []Field {
	dec := json.NewDecoder(strings.NewReader(text))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	all := []Field{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil
		}
		f := Field{Name: name.(string)}
		if err := dec.Decode(&f.Value); err != nil {
			return nil
		}
		all = append(all, f)
	}
	if _, err := dec.Token(); err != nil {
		return nil // the closing brace is missing
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil
	}
	return all
}

// added returns the fields of executed that received has not, or has with
// another value.
func added(executed, received []Field) []Field {
	had := make(map[string]json.RawMessage, len(received))
	for _, f := range received {
		had[f.Name] = f.Value
	}
	var more []Field
	for _, f := range executed {
		if old, ok := had[f.Name]; !ok || !bytes.Equal(compact(old), compact(f.Value)) {
			more = append(more, f)
		}
	}
	return more
}

func compact(v json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return v
	}
	return b.Bytes()
}
