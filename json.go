package ikigai

import (
	"bytes"
	"encoding/json"
)

// marshal is json.Marshal without the escapes for HTML, which cost tokens and
// make logs hard to read.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
