package gemini

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

// settings returns what the body of a request says beside tools and one short
// message.
func settings(t *testing.T, cfg provider.Config, req ikigai.Request) string {
	t.Helper()
	req.Messages = []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}
	body, _ := provider.Encode(cfg.Name, &wire{cfg}, req)
	raw := string(bytes.Join(body, nil))
	if !json.Valid([]byte(raw)) {
		t.Fatalf("no JSON: %s", raw)
	}
	_, raw, _ = strings.Cut(raw, `"parametersJsonSchema":{}}]}],`)
	raw, ok := strings.CutSuffix(raw, `,"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`)
	if !ok {
		t.Fatalf("got %s", raw)
	}
	return raw
}

var oneTool = []ikigai.ToolSpec{{Name: "f", Description: "F.", Schema: json.RawMessage(`{}`)}}

// How much to think is told in tokens or in words, whichever the model knows,
// and what it thinks is shown. A model that is not known to think is told
// nothing.
func TestThinking(t *testing.T) {
	levels := map[ikigai.Level]ikigai.Thinking{
		ikigai.LevelNone: {Off: true}, ikigai.LevelLow: {Effort: "low"}, ikigai.LevelHigh: {Budget: 9000},
	}
	for _, tt := range []struct {
		levels map[ikigai.Level]ikigai.Thinking
		level  ikigai.Level
		want   string
	}{
		{levels, ikigai.LevelDefault, `{"thinkingConfig":{"includeThoughts":true}}`},
		{levels, ikigai.LevelMed, `{"thinkingConfig":{"includeThoughts":true}}`},
		{levels, ikigai.LevelNone, `{"thinkingConfig":{"thinkingBudget":0}}`},
		{levels, ikigai.LevelLow, `{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"low"}}`},
		{levels, ikigai.LevelHigh, `{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":9000}}`},
		{nil, ikigai.LevelHigh, `{}`},
	} {
		cfg := config
		cfg.Levels = tt.levels
		got := settings(t, cfg, ikigai.Request{Level: tt.level, Tools: oneTool})
		if want := `"generationConfig":` + tt.want; got != want {
			t.Errorf("%q: got %s, want %s", tt.level, got, want)
		}
	}
}

// The form of the answer is told by a schema; in words where the model takes no
// schema beside tools, or the settings say so.
func TestFormat(t *testing.T) {
	format := &ikigai.Format{Name: "answer", Schema: json.RawMessage(`{ "type": "object" }`)}
	const (
		bySchema = `"generationConfig":{"responseJsonSchema":{"type":"object"},"responseMimeType":"application/json"}`
		byWords  = `"systemInstruction":{"parts":[{"text":"Answer with one JSON object and nothing else. It must fit this JSON Schema:\n{\"type\":\"object\"}"}]},"generationConfig":{}`
	)
	words := config
	words.Quirks.Format = provider.FormatWords
	for _, tt := range []struct {
		name string
		cfg  provider.Config
		want string
	}{{"since 3", config, bySchema}, {"before 3", before3, byWords}, {"words", words, byWords}} {
		if got := settings(t, tt.cfg, ikigai.Request{Format: format, Tools: oneTool}); got != tt.want {
			t.Errorf("%s: got %s", tt.name, got)
		}
	}
	body, _ := provider.Encode("x", &wire{before3}, ikigai.Request{Format: format, Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}})
	if raw := string(bytes.Join(body, nil)); !strings.Contains(raw, bySchema) {
		t.Errorf("before 3, without tools: %s", raw)
	}
}

// Settings add members to the body and to its generationConfig.
func TestQuirksOfRequests(t *testing.T) {
	cfg := config
	cfg.Quirks.Strict = true
	cfg.Quirks.Body = map[string]json.RawMessage{
		"generationConfig": json.RawMessage(`{"temperature": 0, "topK": 1}`), "safetySettings": json.RawMessage(`[]`),
	}
	got := settings(t, cfg, ikigai.Request{MaxOutput: 9, Tools: oneTool})
	want := `"generationConfig":{"maxOutputTokens":9,"temperature":0,"topK":1},"safetySettings":[],"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED"}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What is no JSON Schema is left out of the schema of a tool, and nothing else.
func TestToolSchema(t *testing.T) {
	for schema, want := range map[string]string{
		`{"anyOf":[{"required":["a"]}],"properties":{"a":{"type":"array"}}}`:                                  `{"anyOf":[{"required":["a"]}],"properties":{"a":{"type":"array"}}}`,
		`{"type":"object","properties":{"a":{"minimum":1,"exclusiveMinimum":true},"b":{"$ref":"#/$defs/b"}}}`: `{"type":"object","properties":{"a":{"exclusiveMinimum":1},"b":{}}}`,
	} {
		got := string(appendTools(nil, []ikigai.ToolSpec{{Name: "f", Schema: json.RawMessage(schema)}}))
		if want = `"tools":[{"functionDeclarations":[{"name":"f","description":"","parametersJsonSchema":` + want + `}]}],`; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// What is known of a model's generation comes from its name.
func TestGenerations(t *testing.T) {
	for name, want := range map[string]bool{
		"gemini-1.5-pro": false, "gemini-2.0-flash": false, "gemini-2.5-flash-lite": false, "models/gemini-2.5-pro": false, "gemma-3-27b-it": false,
		"gemini-3-pro-preview": true, "gemini-3.5-flash": true, "gemini-flash-latest": true, "my-model": true,
	} {
		w := &wire{provider.Config{Model: name}}
		if got := w.since3(); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Where requests go, and how the key is carried.
func TestAddress(t *testing.T) {
	for _, tt := range []struct {
		base, key string
		quirks    provider.Quirks
		want      string
	}{
		{"/v1beta", "k", provider.Quirks{}, "/v1beta/models/gemini-3-x:streamGenerateContent?alt=sse k "},
		{"/v1beta1/projects/p/locations/global/publishers/google", "k", provider.Quirks{KeyHeader: "Authorization"},
			"/v1beta1/projects/p/locations/global/publishers/google/models/gemini-3-x:streamGenerateContent?alt=sse  Bearer k"},
		{"/v1", "", provider.Quirks{Path: "endpoints/7:streamGenerateContent"}, "/v1/endpoints/7:streamGenerateContent  "},
	} {
		var got string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.URL.String() + " " + r.Header.Get("x-goog-api-key") + " " + r.Header.Get("Authorization")
			io.WriteString(w, `{"candidates":[{"finishReason":"STOP"}]}`)
		}))
		cfg := config
		cfg.BaseURL, cfg.Key, cfg.Quirks, cfg.MaxAttempts = server.URL+tt.base, tt.key, tt.quirks, 1
		providertest.Collect(t, New(cfg), ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}})
		server.Close()
		if got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

// A message that the vendor refuses by its position is found again: the system
// prompt is none, all results of a round are one.
func TestRefusedPosition(t *testing.T) {
	messages := []ikigai.Message{
		{Kind: ikigai.KindSystem, Content: "s"},
		{Kind: ikigai.KindUser, Content: "u"},
		{Kind: ikigai.KindAssistant, Content: "a"},
		{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "1", Name: "f"}},
		{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "2", Name: "f"}},
		{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "1", Name: "f", Output: "{}"}},
		{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "2", Name: "f", Output: "{}"}},
		{Kind: ikigai.KindUser, Content: "u"},
	}
	for at, want := range []int{2, 5, 7, 8} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
				"code": 400, "status": "INVALID_ARGUMENT", "message": "Invalid value at 'contents[" + string(rune('0'+at)) + "].parts[0].text'",
			}})
		}))
		cfg := config
		cfg.BaseURL, cfg.MaxAttempts = server.URL, 1
		r := providertest.Collect(t, New(cfg), ikigai.Request{Messages: messages})
		server.Close()
		if e, ok := r.Err.(*ikigai.Error); !ok || e.Message != want {
			t.Errorf("contents[%d]: message %+v, want %d", at, r.Err, want)
		}
	}
}

func TestPrepare(t *testing.T) {
	for given, want := range map[string]string{"": "x-goog-api-key", "Authorization": "Authorization"} {
		if got := Prepare(provider.Config{Quirks: provider.Quirks{KeyHeader: given}}).Quirks.KeyHeader; got != want {
			t.Errorf("%q: the key in %q", given, got)
		}
	}
}
