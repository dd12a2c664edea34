package responses_test

import (
	"flag"
	"testing"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/provider/responses"
	"ikigai/internal/providertest"
)

var update = flag.Bool("update", false, "write what is sent and decoded into the cases")

// P41: the key is in no error, not even where the vendor repeats it.
const secret = "sk-secret-key"

// Among the cases are replies without an end (cut-*, P30), errors in whatever
// place (error-*, failed-*, P31), and a call that the limit of the output has
// cut, which ends with that reason and not as a call (length-call, P32).
func TestCases(t *testing.T) {
	providertest.Suite{
		Dir:    "testdata",
		Update: *update,
		New: func(baseURL string) ikigai.Model {
			return responses.New(provider.Config{
				Name: "openai/gpt-x", Model: "gpt-x", BaseURL: baseURL,
				Key: secret, KeySource: "OPENAI_API_KEY", MaxAttempts: 1,
			})
		},
	}.Run(t)
}
