// Package responses speaks OpenAI's Responses, the interface that its reasoning
// models are made for: what a model has thought goes back to it, encrypted, so
// that nothing of the conversation is kept at the vendor.
package responses

import (
	"ikigai"
	"ikigai/internal/provider"
)

// New returns the model that cfg describes. It does no I/O.
func New(cfg provider.Config) ikigai.Model {
	return provider.NewModel(cfg, &wire{cfg}, true)
}
