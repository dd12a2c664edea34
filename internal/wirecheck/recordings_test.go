package wirecheck_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ikigai/internal/providertest"
	"ikigai/internal/wirecheck"
)

// elided stands for long data in recordings.
var elided = regexp.MustCompile(`RUxJREVE[0-9]+`)

// recorded is which requests were recorded, and how many at least are accepted.
var recorded = []struct {
	api   string
	check func([]byte) error
	least int
}{
	{"openai.chat", wirecheck.Chat, 700},
	{"anthropic.messages", wirecheck.Messages, 350},
	{"vertex.anthropic", wirecheck.Messages, 5},
	{"openai.responses", wirecheck.Responses, 450},
	{"gemini.generate", wirecheck.Gemini, 270},
	{"gemini.stream", wirecheck.Gemini, 100},
}

// lenient is what one vendor has accepted and others of its dialect refuse.
var lenient = []struct{ api, provider, refusal string }{
	{"openai.chat", "deepseek", "A system message stands behind others"},
	{"openai.chat", "mistral", "Missing required parameter: the type of a tool"},
	{"openai.chat", "huggingface", "The list of tools is empty"},
	{"openai.chat", "mistral", "The list of tool_calls is empty"},
	{"openai.chat", "openai", "has neither text nor tool_calls"},
	{"openai.chat", "openai", "The text of a content part is empty"},
	{"openai.chat", "openrouter", "'additionalProperties' is required"},
	{"openai.chat", "openrouter", `A tool message has no content of type "image_url"`},
	{"openai.chat", "", `A tool message has no content of type "image_url"`},
	{"openai.responses", "openai", "The message is empty"},
	{"openai.responses", "openai", "The text of a content part is empty"},
	{"openai.responses", "xai", "string too long"},
	{"openai.responses", "deepseek", "Expected an ID that begins with 'rs'"},
	{"openai.responses", "deepseek", "without its required following item"},
	{"gemini.generate", "google", "an empty text parameter"},
	{"gemini.stream", "google", "an empty text parameter"},
}

// What a vendor has accepted is valid, unless another vendor refuses it.
func TestAccepted(t *testing.T) {
	met, total := make([]bool, len(lenient)), 0
	for _, kind := range recorded {
		t.Run(kind.api, func(t *testing.T) {
			n, excused := 0, 0
			for _, r := range providertest.Recordings(t, kind.api) {
				if r.Status != http.StatusOK || r.Request == "" {
					continue
				}
				n, total = n+1, total+1
				err := kind.check(elided.ReplaceAll([]byte(r.Request), []byte("AAAA")))
				if err == nil {
					continue
				}
				i := slices.IndexFunc(lenient, func(l struct{ api, provider, refusal string }) bool {
					return l.api == kind.api && l.provider == r.Provider && strings.Contains(err.Error(), l.refusal)
				})
				if i < 0 {
					t.Errorf("%s (%s): %v", r.Name, r.Provider, err)
					continue
				}
				met[i] = true
				excused++
			}
			if t.Logf("%d requests, %d of them to lenient vendors", n, excused); providertest.Known(t) && n < kind.least {
				t.Errorf("only %d of at least %d", n, kind.least)
			}
		})
	}
	for i, m := range met {
		if !m && total > 0 && providertest.Known(t) {
			t.Errorf("no recording shows %q", lenient[i])
		}
	}
}

// What a vendor has refused for its form is refused, in the same words.
func TestRefusedByVendor(t *testing.T) {
	const sayings = 2
	met := map[string]bool{}
	for _, r := range providertest.Recordings(t, "openai.responses") {
		for answer, want := range map[string]string{
			"without its required following item": "without its required following item",
			"Invalid schema for function":         "Missing 'unit'",
		} {
			if r.Status != http.StatusBadRequest || !strings.Contains(r.Body, answer) {
				continue
			}
			met[answer] = true
			if err := wirecheck.Responses([]byte(r.Request)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(r.Body, want) {
				t.Errorf("%s: %v, and the vendor said %s", r.Name, err, r.Body)
			}
		}
	}
	if providertest.Known(t) && len(met) != sayings {
		t.Errorf("recorded are only %v", met)
	}
}
