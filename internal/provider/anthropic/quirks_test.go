package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

var hi = []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}

// request returns what is sent for req, as a server sees it.
func request(t *testing.T, cfg provider.Config, req ikigai.Request) (r *http.Request, body map[string]any) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, got *http.Request) {
		raw, _ := io.ReadAll(got.Body)
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Error(err)
		}
		r = got
		io.WriteString(w, `{"type":"message","content":[],"stop_reason":"end_turn"}`)
	}))
	defer server.Close()
	cfg.BaseURL = server.URL + "/v1"
	if reply := providertest.Collect(t, New(cfg), req); reply.Err != nil {
		t.Fatal(reply.Err)
	}
	return r, body
}

func TestHeaders(t *testing.T) {
	tests := []struct {
		name string
		cfg  provider.Config
		path string
		want map[string]string
	}{
		{"as usual", provider.Config{Key: "k"}, "/v1/messages",
			map[string]string{"X-Api-Key": "k", "Anthropic-Version": "2023-06-01", "Authorization": ""}},
		{"another header", provider.Config{Key: "k", Quirks: provider.Quirks{KeyHeader: "Authorization"}}, "/v1/messages",
			map[string]string{"X-Api-Key": "", "Authorization": "Bearer k"}},
		{"another version", provider.Config{Header: map[string]string{"Anthropic-Version": "2099-01-01", "anthropic-beta": "x"}}, "/v1/messages",
			map[string]string{"X-Api-Key": "", "Anthropic-Version": "2099-01-01", "Anthropic-Beta": "x"}},
		{"another path", provider.Config{Model: "claude-x", Quirks: provider.Quirks{Path: "publishers/anthropic/models/{model}:streamRawPredict"}},
			"/v1/publishers/anthropic/models/claude-x:streamRawPredict", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Name = "anthropic/claude-x"
			r, body := request(t, test.cfg, ikigai.Request{Messages: hi})
			if r.URL.Path != test.path || body["stream"] != true {
				t.Errorf("path %s, body %v", r.URL.Path, body)
			}
			for name, want := range test.want {
				if got := r.Header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestThinking(t *testing.T) {
	cfg := config
	cfg.Levels = map[ikigai.Level]ikigai.Thinking{
		ikigai.LevelNone: {Off: true}, ikigai.LevelMin: {Budget: 10}, ikigai.LevelLow: {Budget: 5000}, ikigai.LevelHigh: {Effort: "high"},
	}
	tools := []ikigai.ToolSpec{{Name: "f"}}
	tests := []struct {
		level  ikigai.Level
		limit  int
		forced bool
		want   string // thinking, effort, limit
	}{
		{ikigai.LevelDefault, 0, false, `null null 32000`},
		{ikigai.LevelMed, 0, false, `null null 32000`},
		{ikigai.LevelNone, 0, false, `{"type":"disabled"} null 32000`},
		{ikigai.LevelMin, 1024, false, `{"budget_tokens":1024,"type":"enabled"} null 2048`},
		{ikigai.LevelLow, 5001, false, `{"budget_tokens":5000,"type":"enabled"} null 5001`},
		{ikigai.LevelLow, 500, false, `{"budget_tokens":5000,"type":"enabled"} null 5500`},
		{ikigai.LevelLow, 500, true, `null null 500`},
		{ikigai.LevelHigh, 500, false, `{"display":"summarized","type":"adaptive"} {"effort":"high"} 500`},
		{ikigai.LevelHigh, 500, true, `null {"effort":"high"} 500`},
	}
	for _, test := range tests {
		req := ikigai.Request{Messages: hi, Tools: tools, Level: test.level, MaxOutput: test.limit}
		if test.forced {
			req.ToolChoice.Mode = ikigai.ToolChoiceRequired
		}
		_, body := request(t, cfg, req)
		thinking, _ := json.Marshal(body["thinking"])
		output, _ := json.Marshal(body["output_config"])
		if got := fmt.Sprintf("%s %s %v", thinking, output, body["max_tokens"]); got != test.want {
			t.Errorf("%q, %d, forced %v: %s, want %s", test.level, test.limit, test.forced, got, test.want)
		}
	}
}

// A turn goes on as it began, with thinking or without. P4.
func TestOpenTurn(t *testing.T) {
	cfg := config
	cfg.Levels = map[ikigai.Level]ikigai.Thinking{
		ikigai.LevelNone: {Off: true}, ikigai.LevelLow: {Budget: 2000}, ikigai.LevelHigh: {Effort: "high"},
	}
	state := json.RawMessage(`[{"own":{"type":"thinking","thinking":"hm","signature":"c2ln"}},{"call":1}]`)
	turn := func(owner string) []ikigai.Message {
		return []ikigai.Message{hi[0],
			{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "c1", Name: "f"}, Vendor: ikigai.VendorState{owner: state}},
			{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "c1", Name: "f", Output: "a", Success: true}}}
	}
	over := append(turn("other/model"), ikigai.Message{Kind: ikigai.KindAssistant, Content: "Done."}, hi[0])
	tests := []struct {
		name     string
		messages []ikigai.Message
		level    ikigai.Level
		want     any // thinking.type
	}{
		{"another's, budget", turn("other/model"), ikigai.LevelLow, nil},
		{"another's, effort", turn("other/model"), ikigai.LevelHigh, "adaptive"},
		{"another's, off", turn("other/model"), ikigai.LevelNone, "disabled"},
		{"own, budget", turn(config.Name), ikigai.LevelLow, "enabled"},
		{"own, off", turn(config.Name), ikigai.LevelNone, "enabled"},
		{"over, budget", over, ikigai.LevelLow, "enabled"},
	}
	for _, test := range tests {
		_, body := request(t, cfg, ikigai.Request{Messages: test.messages, Level: test.level})
		thinking, _ := body["thinking"].(map[string]any)
		if got := thinking["type"]; got != test.want {
			t.Errorf("%s: thinking is %v, want %v", test.name, got, test.want)
		}
	}
}

// What a model is held to is closed and says nothing that it does not
// understand.
func TestStrictSchema(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"nested", `{"type":"object","properties":{"b":{"type":"array","items":{"properties":{"x":{"type":["object","null"]}}}},"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"object","additionalProperties":true}}}`,
			`{"type":"object","properties":{"b":{"type":"array","items":{"properties":{"x":{"type":["object","null"],"additionalProperties":false}},"additionalProperties":false}},"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"object","additionalProperties":false}},"additionalProperties":false}`},
		{"demands", `{"$schema":"x","type":"integer","description":"Age.","minimum":1,"maximum":9}`,
			`{"description":"Age. Must fit {\"minimum\":1,\"maximum\":9}.","type":"integer"}`},
		{"choices", `{"oneOf":[{"type":"string","format":"uri","minLength":2},true],"minItems":1}`,
			`{"anyOf":[{"description":"Must fit {\"minLength\":2}.","type":"string","format":"uri"},true],"minItems":1}`},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, string(strictSchema(json.RawMessage(test.schema)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if isStrict(json.RawMessage(test.schema)) {
			t.Errorf("%s is said to be strict", test.name)
		}
		if !isStrict(json.RawMessage(test.want)) {
			t.Errorf("%s is not strict then", test.name)
		}
	}
	_, body := request(t, config, ikigai.Request{Messages: hi, Format: &ikigai.Format{Name: "a", Schema: json.RawMessage(`{"type":"object"}`)}})
	want := map[string]any{"format": map[string]any{"type": "json_schema", "schema": map[string]any{"type": "object", "additionalProperties": false}}}
	if diff := cmp.Diff(want, body["output_config"]); diff != "" {
		t.Error(diff)
	}
}

// The schema of a tool is an object's, whatever a foreign tool says.
func TestInputSchema(t *testing.T) {
	for schema, want := range map[string]string{
		``:     `{"type":"object","properties":{}}`,
		`null`: `{"type":"object","properties":{}}`,
		`{"anyOf":[{"required":["a"]}],"properties":{"a":{"oneOf":[{}]}}}`:                                         `{"type":"object","description":"Must fit {\"anyOf\":[{\"required\":[\"a\"]}]}.","properties":{"a":{"oneOf":[{}]}},"required":["a"]}`,
		`{"type":"object","properties":{"a[b]":{"type":"null"},"a.b-C_9":{"not":{}}},"not":{"$ref":"#/$defs/no"}}`: `{"type":"object","description":"More parameters: {\"a[b]\":{\"type\":\"null\"}}.","properties":{"a.b-C_9":{"not":{}}},"not":{}}`,
		`{"properties":{"a":{"type":"array"}},"type":"object","enum":[{}]}`:                                        `{"type":"object","properties":{"a":{"type":"array"}},"enum":[{}]}`,
	} {
		if got, _ := inputSchema(json.RawMessage(schema)); string(got) != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

// The message that the vendor names by its position is found in the
// conversation, of which the system prompt is no message on this wire.
func TestRefusedMessage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.0.tool_result: too odd"}}`)
	}))
	defer server.Close()
	cfg := config
	cfg.BaseURL = server.URL
	messages := []ikigai.Message{{Kind: ikigai.KindSystem, Content: "be brief"}, hi[0],
		{Kind: ikigai.KindAssistant, Content: "Looking."},
		{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "c1", Name: "f"}},
		{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "c1", Name: "f", Output: "a"}}, hi[0]}
	reply := providertest.Collect(t, New(cfg), ikigai.Request{Messages: messages})
	e, ok := reply.Err.(*ikigai.Error)
	if !ok || e.Message != 5 || !strings.Contains(e.What, "too odd") {
		t.Errorf("message %d of %v", e.Message, reply.Err)
	}
}
