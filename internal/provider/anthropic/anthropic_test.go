package anthropic_test

import (
	"encoding/json"
	"flag"
	"testing"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/provider/anthropic"
	"ikigai/internal/providertest"
)

var update = flag.Bool("update", false, "write what is sent and decoded into the cases")

func TestCases(t *testing.T) {
	cases(t, "testdata", func(*provider.Config) {})
}

// Models that think by a budget.
func TestCasesWithBudget(t *testing.T) {
	cases(t, "testdata/budget", func(cfg *provider.Config) {
		cfg.Levels = map[ikigai.Level]ikigai.Thinking{ikigai.LevelDefault: {Budget: 2000}}
	})
}

// The wire as Vertex speaks it, with marks of what is to be cached, and with
// arguments that follow their schema.
func TestCasesWithMarks(t *testing.T) {
	cases(t, "testdata/marks", func(cfg *provider.Config) {
		cfg.MaxOutput = 4000
		cfg.NoImages = true
		cfg.NoFiles = true
		cfg.Quirks = provider.Quirks{
			Path: "/models/{model}:streamRawPredict", NoModel: true, CacheMarks: true, Strict: true, KeyHeader: "Authorization",
			Body: map[string]json.RawMessage{"anthropic_version": json.RawMessage(`"vertex-2023-10-16"`)},
		}
	})
}

// P41: the key is in no error, not even where the vendor repeats it.
const secret = "sk-secret-key"

func cases(t *testing.T, dir string, change func(*provider.Config)) {
	providertest.Suite{
		Dir:    dir,
		Update: *update,
		New: func(baseURL string) ikigai.Model {
			cfg := provider.Config{
				Name: "anthropic/claude-x", Model: "claude-x", BaseURL: baseURL,
				Key: secret, KeySource: "ANTHROPIC_API_KEY", MaxAttempts: 1,
			}
			change(&cfg)
			return anthropic.New(cfg)
		},
	}.Run(t)
}
