package gemini

import (
	"encoding/json"
	"io"
	"strings"

	"ikigai"
	"ikigai/internal/wirejson"
)

// appendObject appends text as a JSON object: the one that it is, or one whose
// member of the given name it is.
func appendObject(b []byte, text, name string) []byte {
	if isStruct(text) {
		return wirejson.AppendJSON(b, json.RawMessage(ikigai.CleanJSON(text)))
	}
	b = wirejson.AppendString(append(b, '{'), name)
	b = append(b, ':')
	b = wirejson.AppendString(b, text)
	return append(b, '}')
}

// maxDepth is how deep an object may nest. The vendor's parser takes a hundred
// levels of its own, of which one of JSON costs three.
const maxDepth = 24

// isStruct reports whether text is a JSON object that the vendor can take in,
// which it does as a protobuf Struct: no name comes twice in an object, numbers
// fit a float64, and it is not too deep.
func isStruct(text string) bool {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return false
	}
	d := json.NewDecoder(strings.NewReader(text))
	if !takeValue(d, 1) {
		return false
	}
	_, err := d.Token()
	return err == io.EOF
}

// takeValue reads a value, and reports whether it fits.
func takeValue(d *json.Decoder, depth int) bool {
	token, err := d.Token()
	if err != nil || depth > maxDepth {
		return false
	}
	open, nested := token.(json.Delim)
	if !nested {
		return true
	}
	names := map[string]bool{}
	for d.More() {
		if open == '{' {
			name, err := d.Token()
			s, ok := name.(string)
			if err != nil || !ok || names[s] {
				return false
			}
			names[s] = true
		}
		if !takeValue(d, depth+1) {
			return false
		}
	}
	_, err = d.Token()
	return err == nil
}
