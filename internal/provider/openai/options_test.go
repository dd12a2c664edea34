package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
)

// body returns the body of a request of one short message.
func body(cfg provider.Config, req ikigai.Request) string {
	if len(req.Messages) == 0 {
		req.Messages = []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}
	}
	b, _ := provider.Encode("acme/x", &wire{cfg}, req)
	var s strings.Builder
	for _, p := range b {
		s.Write(p)
	}
	return s.String()
}

// middle returns what stands in a body between what all have.
func middle(t *testing.T, body string) string {
	t.Helper()
	if !json.Valid([]byte(body)) {
		t.Fatalf("no JSON: %s", body)
	}
	rest, begins := strings.CutPrefix(body, `{"model":"x","stream":true`)
	rest, ends := strings.CutSuffix(rest, `,"messages":[{"role":"user","content":"hi"}]}`)
	if !begins || !ends {
		t.Fatalf("got %s", body)
	}
	return rest
}

// How much to think is told in the form that the server knows, and not at all
// where the model has no such level.
func TestThinking(t *testing.T) {
	levels := map[ikigai.Level]ikigai.Thinking{
		ikigai.LevelNone: {Off: true},
		ikigai.LevelLow:  {Effort: "low"},
		ikigai.LevelHigh: {Budget: 9000},
		ikigai.LevelMin:  {}, // a level of which the settings say nothing
	}
	for _, tt := range []struct {
		form  string
		level ikigai.Level
		want  string
	}{
		{"", ikigai.LevelDefault, ``},
		{"", ikigai.LevelMed, ``},
		{"", ikigai.LevelNone, `,"reasoning_effort":"none"`},
		{"", ikigai.LevelLow, `,"reasoning_effort":"low"`},
		{"", ikigai.LevelHigh, ``}, // there is no word for a number of tokens
		{provider.ThinkingReasoning, ikigai.LevelDefault, ``},
		{provider.ThinkingReasoning, ikigai.LevelMin, ``},
		{provider.ThinkingReasoning, ikigai.LevelNone, `,"reasoning":{"effort":"none"}`},
		{provider.ThinkingReasoning, ikigai.LevelLow, `,"reasoning":{"effort":"low"}`},
		{provider.ThinkingReasoning, ikigai.LevelHigh, `,"reasoning":{"max_tokens":9000}`},
		{provider.ThinkingType, ikigai.LevelNone, `,"thinking":{"type":"disabled"}`},
		{provider.ThinkingType, ikigai.LevelLow, `,"thinking":{"type":"enabled"},"reasoning_effort":"low"`},
		{provider.ThinkingType, ikigai.LevelHigh, `,"thinking":{"budget_tokens":9000,"type":"enabled"}`},
		{provider.ThinkingEnable, ikigai.LevelNone, `,"enable_thinking":false`},
		{provider.ThinkingEnable, ikigai.LevelLow, `,"enable_thinking":true`},
		{provider.ThinkingEnable, ikigai.LevelHigh, `,"enable_thinking":true,"thinking_budget":9000`},
		{provider.ThinkingTemplateKwargs, ikigai.LevelNone, `,"chat_template_kwargs":{"enable_thinking":false}`},
		{provider.ThinkingTemplateKwargs, ikigai.LevelLow, `,"chat_template_kwargs":{"enable_thinking":true}`},
	} {
		cfg := provider.Config{Model: "x", Levels: levels, Quirks: provider.Quirks{Thinking: tt.form, NoUsageOption: true}}
		if got := middle(t, body(cfg, ikigai.Request{Level: tt.level})); got != tt.want {
			t.Errorf("%q at %q: got %s, want %s", tt.form, tt.level, got, tt.want)
		}
	}
}

func TestOptions(t *testing.T) {
	for name, tt := range map[string]struct {
		cfg  provider.Config
		req  ikigai.Request
		want string
	}{
		"cache key":              {provider.Config{}, ikigai.Request{CacheKey: "k1"}, `,"prompt_cache_key":"k1"`},
		"no cache key":           {provider.Config{Quirks: provider.Quirks{NoCacheKey: true}}, ikigai.Request{CacheKey: "k1"}, ``},
		"no limit":               {provider.Config{MaxOutput: 9}, ikigai.Request{}, ``},
		"a limit that is told":   {provider.Config{MaxOutput: 9, Quirks: provider.Quirks{TellMaxOutput: true}}, ikigai.Request{}, `,"max_completion_tokens":9`},
		"a limit by default":     {provider.Config{Quirks: provider.Quirks{TellMaxOutput: true}}, ikigai.Request{}, `,"max_completion_tokens":32000`},
		"the limit of a request": {provider.Config{MaxOutput: 9, Quirks: provider.Quirks{TellMaxOutput: true}}, ikigai.Request{MaxOutput: 5}, `,"max_completion_tokens":5`},
	} {
		tt.cfg.Model, tt.cfg.Quirks.NoUsageOption = "x", true
		if got := middle(t, body(tt.cfg, tt.req)); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
	// A path that names the model makes the name in the body needless.
	cfg := provider.Config{Model: "x", Quirks: provider.Quirks{NoModel: true, NoUsageOption: true, Path: "deployments/{model}/chat/completions?v=1"}}
	if got := body(cfg, ikigai.Request{}); got != `{"stream":true,"messages":[{"role":"user","content":"hi"}]}` {
		t.Errorf("without the model: %s", got)
	}
	if got := (&wire{cfg}).Path(ikigai.Request{}); got != "deployments/x/chat/completions?v=1" {
		t.Errorf("path %s", got)
	}
}

// The form of an answer is a schema where the server takes one, and otherwise
// stands in words at the end of the system prompt.
func TestFormat(t *testing.T) {
	format := &ikigai.Format{Name: "answer", Schema: json.RawMessage(`{"type": "object"}`)}
	const words = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n{\"type\":\"object\"}`
	const user = `{"role":"user","content":"hi"}]}`
	for _, tt := range []struct{ quirk, system, want string }{
		{"", "Be terse.", `,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}},"messages":[{"role":"system","content":"Be terse."},` + user},
		{provider.FormatObject, "Be terse.", `,"response_format":{"type":"json_object"},"messages":[{"role":"system","content":"Be terse.\n\n` + words + `"},` + user},
		{provider.FormatWords, "Be terse.", `,"messages":[{"role":"system","content":"Be terse.\n\n` + words + `"},` + user},
		{provider.FormatWords, "", `,"messages":[{"role":"system","content":"` + words + `"},` + user},
	} {
		cfg := provider.Config{Model: "x", Quirks: provider.Quirks{Format: tt.quirk, NoUsageOption: true}}
		req := ikigai.Request{Format: format, Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}}
		if tt.system != "" {
			req.Messages = append([]ikigai.Message{{Kind: ikigai.KindSystem, Content: tt.system}}, req.Messages...)
		}
		if diff := cmp.Diff(`{"model":"x","stream":true`+tt.want, body(cfg, req)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.quirk, diff)
		}
	}
}

// A schema is to be followed to the letter where the server can and the schema
// allows it. Of an answer nobody takes out the nulls for what was left out.
func TestStrict(t *testing.T) {
	const (
		whole    = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		optional = `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`
		nullable = `{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`
		open     = `{"type":"object","additionalProperties":{"type":"string"}}`
	)
	for _, tt := range []struct{ schema, tool, answer string }{
		{whole, `"strict":true,"parameters":` + whole, `"strict":true,"schema":` + whole},
		{optional, `"strict":true,"parameters":` + nullable, `"schema":` + optional},
		{open, `"parameters":{"type":"object","additionalProperties":{"type":"string"},"properties":{}}`, `"schema":` + open},
		{`{"type":"object","properties":{"a":{"minimum":1,"exclusiveMinimum":true,"type":"integer"}},"anyOf":[{"required":["a"]}]}`, // null would not be taken back
			`"parameters":{"description":"Must fit {\"anyOf\":[{\"required\":[\"a\"]}]}.","type":"object","properties":{"a":{"exclusiveMinimum":1,"type":"integer"}},"required":["a"]}`,
			`"schema":{"type":"object","properties":{"a":{"minimum":1,"exclusiveMinimum":true,"type":"integer"}},"anyOf":[{"required":["a"]}]}`},
	} {
		cfg := provider.Config{Model: "x", Quirks: provider.Quirks{Strict: true, NoUsageOption: true}}
		got := middle(t, body(cfg, ikigai.Request{
			Tools:  []ikigai.ToolSpec{{Name: "f", Description: "F", Schema: json.RawMessage(tt.schema)}},
			Format: &ikigai.Format{Name: "answer", Schema: json.RawMessage(tt.schema)},
		}))
		want := `,"tools":[{"type":"function","function":{"name":"f","description":"F",` + tt.tool + `}}]` +
			`,"response_format":{"type":"json_schema","json_schema":{"name":"answer",` + tt.answer + `}}`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A word stands for each image and file that the model does not take, in the
// text itself: a list of parts is only for what is no text.
func TestLeftOut(t *testing.T) {
	parts := []ikigai.Part{
		{Type: ikigai.PartImage, Media: "image/png", Name: "a.png", Bytes: []byte("x")},
		{Type: ikigai.PartFile, Media: "application/pdf", Name: "b.pdf", Bytes: []byte("y")},
	}
	req := ikigai.Request{Messages: []ikigai.Message{
		{Kind: ikigai.KindUser, Content: "See.", Parts: parts},
		{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "1", Name: "f"}},
		{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "1", Name: "f", Output: "{}", Parts: parts[:1]}},
	}}
	got := body(provider.Config{Model: "x", NoImages: true, NoFiles: true}, req)
	for _, want := range []string{
		`{"role":"user","content":"See.\n(image a.png is left out: this model takes no images)\n(file b.pdf is left out: this model takes no files)"}`,
		`{"role":"tool","tool_call_id":"1","content":"{}\n(image a.png is left out: this model takes no images)"}]}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if got := body(provider.Config{Model: "x", NoImages: true}, req); !strings.Contains(got, `takes no images)"},{"type":"file","file":{"filename":"b.pdf"`) {
		t.Errorf("got %s", got)
	}
	nameless := ikigai.Part{Type: ikigai.PartFile, Media: "application/pdf", Bytes: []byte("y")}
	req.Messages = []ikigai.Message{{Kind: ikigai.KindUser, Parts: []ikigai.Part{nameless}}}
	if got := body(provider.Config{Model: "x"}, req); !strings.Contains(got, `"filename":"file.pdf"`) {
		t.Errorf("a file without a name: %s", got)
	}
	if parts[0].Type != ikigai.PartImage {
		t.Error("the conversation was changed") // S2.34
	}
}
