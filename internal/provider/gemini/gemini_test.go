package gemini_test

import (
	"flag"
	"testing"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/provider/gemini"
	"ikigai/internal/providertest"
)

var update = flag.Bool("update", false, "write what is sent and decoded into the cases")

// P41: the key is in no error, not even where the vendor repeats it.
const secret = "AIza-secret-key"

func TestCases(t *testing.T) {
	for dir, model := range map[string]string{"testdata": "gemini-3-x", "testdata/older": "gemini-2.5-x"} {
		t.Run(model, func(t *testing.T) {
			providertest.Suite{
				Dir:    dir,
				Update: *update,
				New: func(baseURL string) ikigai.Model {
					return gemini.New(provider.Config{
						Name: "google/" + model, Model: model, BaseURL: baseURL,
						Key: secret, KeySource: "GEMINI_API_KEY", MaxAttempts: 1,
					})
				},
			}.Run(t)
		})
	}
}
