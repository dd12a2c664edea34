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
	cfg = Prepare(cfg)
	return &model{provider.NewModel(cfg, &wire{cfg}, false), cfg}
}

// Prepare returns cfg with the headers that every request to the vendor has,
// such as one for the list of its models.
func Prepare(cfg provider.Config) provider.Config {
	cfg.Header = withVersion(cfg.Header)
	if cfg.Quirks.KeyHeader == "" {
		cfg.Quirks.KeyHeader = "x-api-key"
	}
	return cfg
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
