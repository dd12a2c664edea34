package config

import (
	"maps"
	"slices"
)

// preset is a vendor that needs no settings but a key.
type preset struct {
	name   string
	vendor Vendor
}

// presets lists the vendors that are known from the start, in the order in which
// a model is chosen when none is set. Each default model is one that answers
// with streamed tool calls.
var presets = []preset{
	{"openai", Vendor{API: APIChat, BaseURL: "https://api.openai.com/v1", Model: "gpt-5",
		KeyEnv: "OPENAI_API_KEY", MaxTokensField: "max_completion_tokens"}},
	{"xai", Vendor{API: APIChat, BaseURL: "https://api.x.ai/v1", Model: "grok-4-fast",
		KeyEnv: "XAI_API_KEY", MaxTokensField: "max_completion_tokens"}},
	{"groq", Vendor{API: APIChat, BaseURL: "https://api.groq.com/openai/v1", Model: "openai/gpt-oss-120b",
		KeyEnv: "GROQ_API_KEY", MaxTokensField: "max_completion_tokens"}},
	{"deepseek", Vendor{API: APIChat, BaseURL: "https://api.deepseek.com", Model: "deepseek-v4-flash",
		KeyEnv: "DEEPSEEK_API_KEY", MaxTokensField: "max_tokens", Replay: []string{"reasoning_content"}}},
	{"mistral", Vendor{API: APIChat, BaseURL: "https://api.mistral.ai/v1", Model: "mistral-medium-latest",
		KeyEnv: "MISTRAL_API_KEY", MaxTokensField: "max_tokens", CallIDLength: 9}},
	{"openrouter", Vendor{API: APIChat, BaseURL: "https://openrouter.ai/api/v1", Model: "anthropic/claude-haiku-4.5",
		KeyEnv: "OPENROUTER_API_KEY", MaxTokensField: "max_tokens", Replay: []string{"reasoning_details"}}},
}

// VendorKeyVariables returns the names, sorted, of all variables that hold keys
// of vendors: what the environment of a child process is to be rid of.
func (s *Settings) VendorKeyVariables() []string {
	names := make(map[string]bool)
	for _, p := range presets {
		names[p.vendor.KeyEnv] = true
	}
	for _, v := range s.Vendors {
		names[v.KeyEnv] = true
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}
