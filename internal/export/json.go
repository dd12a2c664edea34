package export

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// encoded returns v as JSON text on one line.
func encoded(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("export: %T as JSON: %v", v, err)) // raw parts are valid, the rest is text and numbers
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// redactJSON returns JSON text in which every string, decoded, has passed
// through redact, so that it stays JSON however a secret is spelled.
func redactJSON(data []byte, redact func(string) string) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(data); i++ {
		if data[i] != '"' {
			continue
		}
		end := i + 1
		for ; end < len(data) && data[end] != '"'; end++ {
			if data[end] == '\\' {
				end++
			}
		}
		end = min(end+1, len(data))
		var s string
		if json.Unmarshal(data[i:end], &s) == nil {
			if clean := redact(s); clean != s {
				out = append(append(out, data[done:i]...), encoded(clean)...)
				done = end
			}
		}
		i = end - 1
	}
	if done == 0 {
		return data
	}
	return append(out, data[done:]...)
}
