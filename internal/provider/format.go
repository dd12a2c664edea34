package provider

import (
	"ikigai"
	"ikigai/internal/wirejson"
)

// FormatInWords returns what the system prompt has to say of the form of the
// answer, where the server is not told by a schema.
func FormatInWords(f *ikigai.Format) string {
	return "Answer with one JSON object and nothing else. It must fit this JSON Schema:\n" + string(wirejson.AppendJSON(nil, f.Schema))
}
