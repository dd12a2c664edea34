package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/provider/anthropic"
	"ikigai/internal/providertest"
)

// message is what a client makes of a reply of Anthropic's Messages.
type message struct {
	ID, Model, Text, Thinking string
	Calls                     []ikigai.ToolCall
	Usage                     ikigai.Usage
	Stop                      ikigai.StopReason // "" where the client reports none
	Failed                    bool
}

// Anthropic's own library reads every recorded reply as we do, less what it is
// known to leave out.
func TestMessagesAgainstTheSDK(t *testing.T) {
	var rec providertest.Recording
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isPlain(rec) {
			w.Header().Set("Content-Type", "application/json")
		} else {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		w.WriteHeader(rec.Status)
		io.WriteString(w, rec.Body)
	}))
	defer server.Close()
	model := anthropic.New(provider.Config{Name: "anthropic/x", Model: "x", BaseURL: server.URL, MaxAttempts: 1})
	client := sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("none"), option.WithMaxRetries(0))

	agreed, excused := 0, map[string]int{}
	for _, rec = range append(providertest.Recordings(t, "anthropic.messages"), providertest.Recordings(t, "vertex.anthropic")...) {
		rec.Body = named(rec.Body)
		ours, theirs := ourMessage(t, model), theirMessage(t, &client, rec)
		if reason := excuseMessage(rec, ours, &theirs); reason != "" {
			excused[reason]++
		}
		if diff := cmp.Diff(theirs, ours, cmp.Comparer(sameCall)); diff != "" {
			t.Errorf("%s (-SDK +ours):\n%s", rec.Name, diff)
			continue
		}
		agreed++
	}
	t.Logf("%d replies agree; where the SDK differs: %v", agreed, excused)
	if providertest.Known(t) && agreed < 433 {
		t.Errorf("%d replies", agreed)
	}
}

func isPlain(rec providertest.Recording) bool {
	return strings.HasPrefix(strings.TrimSpace(rec.Body), "{")
}

// named gives events that were stored without it the name by which the SDK
// knows them.
func named(body string) string {
	if strings.Contains(body, "event: ") {
		return body
	}
	var b strings.Builder
	for line := range strings.Lines(body) {
		var e struct{ Type string }
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &e) == nil {
			fmt.Fprintf(&b, "event: %s\n", e.Type)
		}
		b.WriteString(line)
	}
	return b.String()
}

func sameCall(a, b ikigai.ToolCall) bool {
	var x, y any
	same := a.Arguments == b.Arguments ||
		json.Unmarshal([]byte(a.Arguments), &x) == nil && json.Unmarshal([]byte(b.Arguments), &y) == nil && cmp.Equal(x, y)
	return same && a.ID == b.ID && a.Name == b.Name
}

func ourMessage(t *testing.T, model ikigai.Model) message {
	r := providertest.Collect(t, model, ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}})
	m := message{ID: r.ResponseID, Model: r.ServedBy, Text: r.Text, Thinking: r.Thinking, Calls: r.Calls, Stop: r.Stop, Failed: r.Err != nil}
	if r.Usage != nil {
		m.Usage = *r.Usage
	}
	return m
}

func theirMessage(t *testing.T, client *sdk.Client, rec providertest.Recording) message {
	params := sdk.MessageNewParams{Model: "x", MaxTokens: 9, Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("hi"))}}
	if isPlain(rec) {
		m, err := client.Messages.New(t.Context(), params)
		if err != nil {
			return message{Failed: true}
		}
		return messageOf(m)
	}
	stream := client.Messages.NewStreaming(t.Context(), params)
	defer stream.Close()
	var m sdk.Message
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			return message{Failed: true}
		}
	}
	if stream.Err() != nil {
		return message{Failed: true}
	}
	return messageOf(&m)
}

func messageOf(m *sdk.Message) message {
	out := message{ID: m.ID, Model: string(m.Model), Usage: ikigai.Usage{
		Input:  m.Usage.InputTokens + m.Usage.CacheCreationInputTokens + m.Usage.CacheReadInputTokens,
		Output: m.Usage.OutputTokens, CacheRead: m.Usage.CacheReadInputTokens, CacheWrite: m.Usage.CacheCreationInputTokens,
		Reasoning: m.Usage.OutputTokensDetails.ThinkingTokens,
	}}
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			out.Text += b.Text
		case "thinking":
			out.Thinking += b.Thinking
		case "tool_use":
			out.Calls = append(out.Calls, ikigai.ToolCall{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
		}
	}
	out.Stop = map[sdk.StopReason]ikigai.StopReason{
		"end_turn": ikigai.StopEnd, "stop_sequence": ikigai.StopEnd, "tool_use": ikigai.StopToolCalls,
		"max_tokens": ikigai.StopLength, "pause_turn": ikigai.StopLength, "refusal": ikigai.StopFilter,
	}[m.StopReason]
	return out
}

// excuseMessage makes theirs agree with ours where the SDK is known to differ,
// and says where that is.
func excuseMessage(rec providertest.Recording, ours message, theirs *message) string {
	if ours.Failed && strings.Count(rec.Body, `"type":"message_start"`) > 1 { // P28
		*theirs = ours
		return "the second of two replies that were joined is whole to it"
	}
	return ""
}

// Every request that is built fits the published description: those of the
// cases, and those of random conversations.
func TestMessagesFitTheSpecification(t *testing.T) {
	schema := specification(t, "anthropic/openapi.tryagi.yaml", "BetaCreateMessageParams")
	files, _ := filepath.Glob("../provider/anthropic/testdata/*.txtar")
	more, _ := filepath.Glob("../provider/anthropic/testdata/*/*.txtar")
	if files = append(files, more...); len(files) < 40 {
		t.Fatalf("%d cases", len(files))
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), "-- request.json --\n")
		request, _, _ := strings.Cut(rest, "\n")
		checkMessages(t, schema, file, []byte(request))
	}
	random := rand.New(rand.NewPCG(7, 11))
	levels := map[ikigai.Level]ikigai.Thinking{ikigai.LevelNone: {Off: true}, ikigai.LevelLow: {Budget: 1}, ikigai.LevelHigh: {Effort: "high"}}
	for i := range 2000 {
		req := providertest.RandomRequest(random)
		req.Level = []ikigai.Level{"", ikigai.LevelNone, ikigai.LevelLow, ikigai.LevelHigh}[i%4]
		if i%3 == 0 {
			req.Format = &ikigai.Format{Name: "answer", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)}
		}
		cfg := provider.Config{Name: "anthropic/x", Model: "x", Levels: levels}
		cfg.Quirks.CacheMarks, cfg.Quirks.Strict = i%5 == 0, i%2 == 0
		var body []byte
		req.Sending = func(s ikigai.Sent) { body = bytes.Join(append(s.Head, s.Conversation...), nil) }
		for range anthropic.New(cfg).Stream(t.Context(), req) { // ends at once: there is no address
		}
		checkMessages(t, schema, fmt.Sprintf("random %d", i), body)
	}
}

// checkMessages checks a body, as it is without what Bedrock has in another
// place.
func checkMessages(t *testing.T, schema *jsonschema.Resolved, name string, body []byte) {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	if delete(v, "anthropic_version"); v["model"] == nil {
		v["model"] = "x"
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s: %v\n%s", name, err, body)
	}
}

// What does not fit is refused, or the test above would prove nothing.
func TestTheSpecificationOfMessagesRefuses(t *testing.T) {
	schema := specification(t, "anthropic/openapi.tryagi.yaml", "BetaCreateMessageParams")
	for _, rest := range []string{
		`"messages":[]`,
		`"max_tokens":1,"messages":[{"role":"system","content":"x"}]`,
		`"max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":""}]}]`,
		`"max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a.b"}]}]`,
		`"max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":"{}"}]}]`,
		`"max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"x"}]}]`,
		`"max_tokens":1,"messages":[],"thinking":{"type":"enabled","budget_tokens":1023}`,
		`"max_tokens":1,"messages":[],"tools":[{"name":"a b","input_schema":{"type":"object"}}]`,
		`"max_tokens":1,"messages":[],"top":1`,
	} {
		var v any
		if err := json.Unmarshal([]byte(`{"model":"m",`+rest+`}`), &v); err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("accepted: %s", rest)
		}
	}
}

// BenchmarkMessagesSDK has the SDK decode what BenchmarkDecode of our package
// does.
func BenchmarkMessagesSDK(b *testing.B) {
	const n = 10000
	var stream bytes.Buffer
	send := func(kind, rest string) {
		fmt.Fprintf(&stream, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest)
	}
	send("message_start", `,"message":{"id":"msg_1","model":"claude-x","usage":{"input_tokens":9,"output_tokens":1}}`)
	send("content_block_start", `,"index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"file_write","input":{}}`)
	for i := range n {
		send("content_block_delta", fmt.Sprintf(`,"index":0,"delta":{"type":"input_json_delta","partial_json":"line %05d of \"text\"\\n"}%s`, i, "          "[:i%10]))
	}
	send("content_block_stop", `,"index":0`)
	send("message_delta", `,"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}`)
	send("message_stop", "")
	b.SetBytes(int64(stream.Len()))
	b.ReportAllocs()
	for b.Loop() {
		events := ssestream.NewStream[sdk.MessageStreamEventUnion](ssestream.NewDecoder(&http.Response{
			Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(stream.Bytes())),
		}), nil)
		var m sdk.Message
		for events.Next() {
			if err := m.Accumulate(events.Current()); err != nil {
				b.Fatal(err)
			}
		}
		if events.Err() != nil || m.StopReason != "tool_use" {
			b.Fatal(events.Err())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
}
