// Package openai speaks OpenAI's Chat Completions, the dialect that most
// vendors and local servers of language models understand.
package openai

import (
	"ikigai"
	"ikigai/internal/provider"
)

// New returns the model that cfg describes. It does no I/O.
func New(cfg provider.Config) ikigai.Model {
	return provider.NewModel(cfg, &wire{cfg}, true)
}
