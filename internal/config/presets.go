package config

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"ikigai/internal/provider"
)

// preset is a vendor that needs no settings but a key.
type preset struct {
	name   string
	vendor Vendor
}

// presets lists the vendors that are known from the start, in the order in which
// a model is chosen when none is set. Each default model is one that answers
// with streamed tool calls. Vendors whose models people deploy or load themselves
// have none.
var presets = []preset{
	{"openai", Vendor{API: APIResponses, BaseURL: "https://api.openai.com/v1", Model: "gpt-5",
		KeyEnv: "OPENAI_API_KEY", Quirks: provider.Quirks{MaxOutput: "max_completion_tokens"}}},
	{"anthropic", Vendor{API: APIAnthropic, BaseURL: "https://api.anthropic.com/v1", Model: "claude-sonnet-5",
		KeyEnv: "ANTHROPIC_API_KEY", Quirks: provider.Quirks{NoCacheKey: true}}},
	{"google", Vendor{API: APIGemini, BaseURL: "https://generativelanguage.googleapis.com/v1beta", Model: "gemini-3.5-flash",
		KeyEnv: "GEMINI_API_KEY GOOGLE_API_KEY", Quirks: provider.Quirks{NoCacheKey: true}}},
	{"meta", Vendor{API: APIChat, BaseURL: "https://api.llama.com/compat/v1", Model: "Llama-4-Maverick-17B-128E-Instruct-FP8",
		KeyEnv: "LLAMA_API_KEY", Quirks: provider.Quirks{MaxOutput: "max_completion_tokens", NoCacheKey: true}}},
	{"xai", Vendor{API: APIChat, BaseURL: "https://api.x.ai/v1", Model: "grok-4-fast",
		KeyEnv: "XAI_API_KEY", Quirks: provider.Quirks{MaxOutput: "max_completion_tokens", NoCacheKey: true}}},
	{"groq", Vendor{API: APIChat, BaseURL: "https://api.groq.com/openai/v1", Model: "openai/gpt-oss-120b",
		KeyEnv: "GROQ_API_KEY", Quirks: provider.Quirks{MaxOutput: "max_completion_tokens", NoCacheKey: true}}},
	{"deepseek", Vendor{API: APIChat, BaseURL: "https://api.deepseek.com", Model: "deepseek-v4-flash",
		KeyEnv: "DEEPSEEK_API_KEY", Quirks: provider.Quirks{MaxOutput: "max_tokens", NoCacheKey: true,
			Replay: []string{"reasoning_content"}, Thinking: provider.ThinkingType, Format: provider.FormatObject}}},
	{"mistral", Vendor{API: APIChat, BaseURL: "https://api.mistral.ai/v1", Model: "mistral-medium-latest",
		KeyEnv: "MISTRAL_API_KEY", Quirks: provider.Quirks{MaxOutput: "max_tokens", CallIDLength: 9, Replay: []string{"content"}}}},
	{"cerebras", Vendor{API: APIChat, BaseURL: "https://api.cerebras.ai/v1", Model: "gpt-oss-120b",
		KeyEnv: "CEREBRAS_API_KEY", Quirks: provider.Quirks{MaxOutput: "max_completion_tokens", NoCacheKey: true}}},
	{"zai", Vendor{API: APIChat, BaseURL: "https://api.z.ai/api/paas/v4", Model: "glm-4.7",
		KeyEnv: "ZAI_API_KEY", Quirks: provider.Quirks{MaxOutput: "max_tokens", NoCacheKey: true,
			Replay: []string{"reasoning_content"}, Thinking: provider.ThinkingType, Format: provider.FormatObject}}},
	{"openrouter", Vendor{API: APIChat, BaseURL: "https://openrouter.ai/api/v1", Model: "anthropic/claude-haiku-4.5",
		KeyEnv: "OPENROUTER_API_KEY", KeyCheck: "key", // its list of models is for everybody
		Quirks: provider.Quirks{MaxOutput: "max_tokens", NoCacheKey: true,
			Replay: []string{"reasoning_details"}, Thinking: provider.ThinkingReasoning,
			Body: map[string]json.RawMessage{"cache_control": json.RawMessage(`{"type":"ephemeral"}`)}}}},

	// Clouds: the person's own part of the address comes from the environment.
	{"azure", Vendor{API: APIResponses, BaseURL: "{AZURE_OPENAI_ENDPOINT}/openai/v1",
		KeyEnv: "AZURE_OPENAI_API_KEY", Quirks: provider.Quirks{MaxOutput: "max_completion_tokens", KeyHeader: "api-key"}}},
	{"bedrock", Vendor{API: APIAnthropic, BaseURL: "https://bedrock-mantle." + awsRegion + ".api.aws/anthropic/v1", Model: "anthropic.claude-haiku-4-5",
		KeyEnv: "AWS_BEARER_TOKEN_BEDROCK", Auth: AuthAWS, Quirks: provider.Quirks{NoCacheKey: true, KeyHeader: "Authorization", CacheMarks: true}}},
	{"bedrock-open", Vendor{API: APIChat, BaseURL: "https://bedrock-mantle." + awsRegion + ".api.aws/v1", Model: "openai.gpt-oss-120b",
		KeyEnv: "AWS_BEARER_TOKEN_BEDROCK", Auth: AuthAWS, Catalog: "bedrock", Quirks: provider.Quirks{MaxOutput: "max_completion_tokens", NoCacheKey: true}}},
	{"vertex", Vendor{API: APIGemini, BaseURL: google + "v1beta1" + project + "/publishers/google", Model: "gemini-3-flash-preview",
		Auth: AuthGoogle, Quirks: provider.Quirks{NoCacheKey: true, KeyHeader: "Authorization"}}},
	{"vertex-claude", Vendor{API: APIAnthropic, BaseURL: google + "v1" + project + "/publishers/anthropic",
		Auth: AuthGoogle, Catalog: "vertex", Quirks: provider.Quirks{NoCacheKey: true, KeyHeader: "Authorization", NoModel: true, CacheMarks: true,
			Path: "/models/{model}:streamRawPredict", Body: map[string]json.RawMessage{"anthropic_version": json.RawMessage(`"vertex-2023-10-16"`)}}}},

	// Servers on this machine: they need no key, and so are chosen by name alone.
	{"ollama", local("11434", "")},
	{"llamacpp", local("8080", "any")},
	{"vllm", local("8000", "")},
	{"lmstudio", local("1234", "")},
}

const (
	awsRegion = "{AWS_REGION|AWS_DEFAULT_REGION}"
	google    = "https://aiplatform.googleapis.com/"
	project   = "/projects/{GOOGLE_CLOUD_PROJECT}/locations/global"
)

// local is a server on this machine.
func local(port, model string) Vendor {
	return Vendor{API: APIChat, BaseURL: "http://127.0.0.1:" + port + "/v1", Model: model,
		Quirks: provider.Quirks{MaxOutput: "max_tokens", NoCacheKey: true}}
}

// VendorKeyVariables returns the names, sorted, of all variables that hold keys
// of vendors: what the environment of a child process is to be rid of. The
// credentials of a cloud's own tools are not among them: a person who has the
// model run those tools wants them to work.
func (s *Settings) VendorKeyVariables() []string {
	names := make(map[string]bool)
	for _, p := range presets {
		for _, name := range keyVariables(p.vendor) {
			names[name] = true
		}
	}
	for _, v := range s.Vendors {
		for _, name := range keyVariables(v) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func keyVariables(v Vendor) []string { return strings.Fields(v.KeyEnv) }
