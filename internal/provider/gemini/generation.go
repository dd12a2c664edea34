package gemini

import (
	"slices"
	"strings"
)

// older lists how the names of models before Gemini 3 begin.
var older = []string{"gemini-1.", "gemini-2.", "gemma-", "learnlm-"}

// since3 reports whether the model is of Gemini 3 or later, which
//
//   - refuses a reply whose first call bears no signature,
//   - tells results apart by the IDs of their calls,
//   - takes images and files inside of a result,
//   - takes a schema for its answer beside tools.
//
// Models before it need no signatures, and on Vertex AI refuse IDs. A name that
// says nothing is taken for a new one.
func (w *wire) since3() bool {
	name := w.cfg.Model[strings.LastIndexByte(w.cfg.Model, '/')+1:]
	return !slices.ContainsFunc(older, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// anySignature is what the vendor takes in place of a signature for a call that
// is none of the model's own.
const anySignature = `"skip_thought_signature_validator"`
