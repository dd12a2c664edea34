// Package anthropic speaks Anthropic's Messages, also where Google's Vertex AI
// and Amazon's Bedrock serve them.
package anthropic

import (
	"maps"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
)

// New returns the model that cfg describes. It does no I/O.
func New(cfg provider.Config) ikigai.Model {
	cfg.Header = withVersion(cfg.Header)
	if cfg.Quirks.KeyHeader == "" {
		cfg.Quirks.KeyHeader = "x-api-key"
	}
	return &model{provider.NewModel(cfg, &wire{cfg}, false), cfg}
}

// withVersion returns header with the version of the interface that this
// package speaks, unless it names one itself.
func withVersion(header map[string]string) map[string]string {
	const name, version = "anthropic-version", "2023-06-01"
	all := map[string]string{name: version}
	for given := range header {
		if strings.EqualFold(given, name) {
			delete(all, name)
		}
	}
	maps.Copy(all, header)
	return all
}
