// Package gemini speaks generateContent, Google's own interface to its Gemini
// models: in the Gemini API, where a key opens it, and on Vertex AI.
package gemini

import (
	"ikigai"
	"ikigai/internal/provider"
)

// New returns the model that cfg describes. It does no I/O.
func New(cfg provider.Config) ikigai.Model {
	cfg = Prepare(cfg)
	return provider.NewModel(cfg, &wire{cfg}, false)
}

// Prepare returns cfg with the header that carries the key in every request to
// the vendor, such as one for the list of its models.
func Prepare(cfg provider.Config) provider.Config {
	if cfg.Quirks.KeyHeader == "" {
		cfg.Quirks.KeyHeader = "x-goog-api-key"
	}
	return cfg
}
