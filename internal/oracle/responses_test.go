package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	api "github.com/openai/openai-go/v3/responses"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/provider/responses"
	"ikigai/internal/providertest"
)

// response is what a client makes of a reply of Responses.
type response struct {
	ID, Model, Text, Thinking, Refusal string
	Calls                              []ikigai.ToolCall
	Usage                              ikigai.Usage
	Stop                               ikigai.StopReason // "" where it failed
}

// OpenAI's own library reads every recorded reply as we do, less what it is
// known to read otherwise.
func TestResponsesAgainstTheSDK(t *testing.T) {
	var rec providertest.Recording
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", map[bool]string{true: "text/event-stream", false: "application/json"}[isStream(rec)])
		w.WriteHeader(rec.Status)
		io.WriteString(w, rec.Body)
	}))
	defer server.Close()
	model := responses.New(provider.Config{Name: "openai/x", Model: "x", BaseURL: server.URL, MaxAttempts: 1})
	client := sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("none"), option.WithMaxRetries(0))

	agreed, excused := 0, map[string]int{}
	for _, rec = range providertest.Recordings(t, "openai.responses") {
		ours := ourResponse(t, model)
		theirs := theirResponse(t.Context(), &client, isStream(rec))
		if reason := excuseResponse(rec, ours, &theirs); reason != "" {
			excused[reason]++
		}
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("%s, %d (-SDK +ours):\n%s", rec.Name, rec.Status, diff)
			continue
		}
		agreed++
	}
	t.Logf("%d replies agree", agreed)
	for _, reason := range slices.Sorted(maps.Keys(excused)) {
		t.Logf("the SDK differs in %d: %s", excused[reason], reason)
	}
	if providertest.Known(t) && agreed < 550 {
		t.Errorf("%d replies", agreed)
	}
}

func isStream(rec providertest.Recording) bool {
	return !strings.HasPrefix(strings.TrimSpace(rec.Body), "{")
}

func ourResponse(t *testing.T, model ikigai.Model) response {
	r := providertest.Collect(t, model, ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}})
	if r.Err != nil {
		return response{}
	}
	out := response{ID: r.ResponseID, Model: r.ServedBy, Text: r.Text, Thinking: plainThinking(r.Thinking), Refusal: r.Refusal, Calls: r.Calls, Stop: r.Stop}
	if r.Usage != nil {
		out.Usage = *r.Usage
	}
	return out
}

// plainThinking returns thinking without what stands between its parts, of
// which the SDK says nothing.
func plainThinking(s string) string { return strings.ReplaceAll(s, "\n\n", "") }

// theirResponse returns what the SDK reads, {} where it fails.
func theirResponse(ctx context.Context, client *sdk.Client, stream bool) response {
	params := api.ResponseNewParams{Model: "x", Input: api.ResponseNewParamsInputUnion{OfString: sdk.String("hi")}}
	var out response
	if !stream {
		whole, err := client.Responses.New(ctx, params)
		if err != nil {
			return response{}
		}
		for _, item := range whole.Output {
			out.item(item)
		}
		out.end(*whole)
		return out.told()
	}
	events := client.Responses.NewStreaming(ctx, params)
	defer events.Close()
	for events.Next() {
		switch e := events.Current().AsAny().(type) {
		case api.ResponseTextDeltaEvent:
			out.Text += e.Delta
		case api.ResponseRefusalDeltaEvent:
			out.Refusal += e.Delta
		case api.ResponseReasoningSummaryTextDeltaEvent:
			out.Thinking += e.Delta
		case api.ResponseReasoningTextDeltaEvent:
			out.Thinking += e.Delta
		case api.ResponseOutputItemDoneEvent:
			if e.Item.Type == "function_call" {
				out.item(e.Item)
			}
		case api.ResponseCompletedEvent:
			out.end(e.Response)
		case api.ResponseIncompleteEvent:
			out.end(e.Response)
		case api.ResponseFailedEvent, api.ResponseErrorEvent:
			return response{}
		}
	}
	if events.Err() != nil {
		return response{}
	}
	return out.told()
}

// item takes in an item as a whole.
func (r *response) item(item api.ResponseOutputItemUnion) {
	switch item := item.AsAny().(type) {
	case api.ResponseOutputMessage:
		for _, p := range item.Content {
			r.Text += p.Text
			r.Refusal += p.Refusal
		}
	case api.ResponseReasoningItem:
		for _, p := range item.Summary {
			r.Thinking += p.Text
		}
		for _, p := range item.Content {
			if len(item.Summary) == 0 {
				r.Thinking += p.Text
			}
		}
	case api.ResponseFunctionToolCall:
		r.Calls = append(r.Calls, ikigai.ToolCall{ID: item.CallID, Name: item.Name, Arguments: item.Arguments})
	}
}

func (r *response) end(whole api.Response) {
	u := whole.Usage
	r.ID, r.Model, r.Thinking = whole.ID, string(whole.Model), plainThinking(r.Thinking)
	r.Usage = ikigai.Usage{
		Input: u.InputTokens, Output: u.OutputTokens, Reasoning: u.OutputTokensDetails.ReasoningTokens,
		CacheRead: u.InputTokensDetails.CachedTokens, CacheWrite: u.InputTokensDetails.CacheWriteTokens,
	}
	switch {
	case whole.Status == api.ResponseStatusIncomplete && whole.IncompleteDetails.Reason == "content_filter":
		r.Stop = ikigai.StopFilter
	case whole.Status == api.ResponseStatusIncomplete:
		r.Stop = ikigai.StopLength
	case whole.Status == api.ResponseStatusCompleted && len(r.Calls) > 0:
		r.Stop = ikigai.StopToolCalls
	case whole.Status == api.ResponseStatusCompleted:
		r.Stop = ikigai.StopEnd
	}
}

// told returns r, or nothing if it has no end.
func (r response) told() response {
	if r.Stop == "" {
		return response{}
	}
	return r
}

// excuseResponse makes theirs agree with ours where the SDK is known to differ,
// and says where that is.
func excuseResponse(rec providertest.Recording, ours response, theirs *response) string {
	if strings.Count(rec.Body, `"type":"response.completed"`) == 2 && theirs.ID != ours.ID {
		*theirs = ours
		return "it reads on behind the end, where another reply follows"
	}
	return ""
}

// There is no description of the requests that those which the vendor accepts
// would fit, so the SDK's types are held against ours instead: it reads each
// request as one of its own, knows every member, and writes the same. It is not
// strict about blocks of content and about what is missing; wirecheck is, and
// the recorded requests that are built again in the package itself.
func TestResponsesRequestsAgainstTheSDK(t *testing.T) {
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		io.WriteString(w, `{"object":"response","status":"completed"}`)
	}))
	defer server.Close()
	model := responses.New(provider.Config{Name: "openai/x", Model: "x", BaseURL: server.URL})
	files, _ := filepath.Glob("../provider/responses/testdata/*.txtar")
	if len(files) < 50 {
		t.Fatalf("%d cases", len(files))
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), "-- request.json --\n")
		request, _, _ := strings.Cut(rest, "\n")
		checkAgainstSDK(t, file, []byte(request))
	}
	random := rand.New(rand.NewPCG(7, 11))
	for range 300 {
		providertest.Collect(t, model, providertest.RandomRequest(random))
		checkAgainstSDK(t, "random", body)
	}
}

func checkAgainstSDK(t *testing.T, name string, body []byte) {
	t.Helper()
	if diff := againstSDK(t, body); diff != "" {
		t.Errorf("%s (-ours +SDK):\n%s", name, diff)
	}
}

// againstSDK returns how a request changes when the SDK reads and writes it.
func againstSDK(t *testing.T, body []byte) string {
	t.Helper()
	var whole map[string]json.RawMessage
	var input, tools []json.RawMessage
	if json.Unmarshal(body, &whole) != nil || json.Unmarshal(whole["input"], &input) != nil {
		t.Fatalf("%s", body)
	}
	_ = json.Unmarshal(whole["tools"], &tools) // there may be none
	for _, raw := range input {
		if diff := itemAgain(raw); diff != "" {
			return diff
		}
	}
	for _, raw := range tools {
		if diff := again[api.FunctionToolParam](raw); diff != "" {
			return diff
		}
	}
	delete(whole, "input") // unions of other forms, which the SDK does not read
	delete(whole, "tool_choice")
	delete(whole, "stream") // which it adds when it sends
	rest, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return again[api.ResponseNewParams](rest)
}

// What is no item is changed or refused, or the test above would prove nothing.
func TestTheSDKChangesWhatIsWrong(t *testing.T) {
	for _, item := range []string{
		`{"role":"user","content":7}`,
		`{"role":"user","content":[{"type":"input_text","text":{}}]}`,
		`{"role":"user","content":"x","extra":1}`,
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":7,"annotations":[]}]}`,
		`{"type":"function_call","call_id":"1","arguments":"{}"}`,
		`{"type":"function_call","call_id":"1","name":"f","arguments":{}}`,
		`{"type":"function_call_output","call_id":1,"output":"x"}`,
		`{"type":"function_call_output","tool_call_id":"1","output":"x"}`,
		`{"type":"reasoning","encrypted_content":"x"}`,
	} {
		if itemAgain(json.RawMessage(item)) == "" {
			t.Errorf("unchanged: %s", item)
		}
	}
}

// itemAgain is again for an item of the input.
func itemAgain(raw json.RawMessage) string {
	var item struct{ Type string }
	_ = json.Unmarshal(raw, &item) // what is no object has no type
	switch item.Type {
	case "":
		return again[api.EasyInputMessageParam](raw)
	case "message":
		return again[api.ResponseOutputMessageParam](raw)
	case "function_call":
		return again[api.ResponseFunctionToolCallParam](raw)
	case "function_call_output":
		return again[api.ResponseInputItemFunctionCallOutputParam](raw)
	case "reasoning":
		return again[api.ResponseReasoningItemParam](raw)
	case "web_search_call":
		return again[api.ResponseFunctionWebSearchParam](raw)
	}
	return "an item of the type " + item.Type
}

// again returns how JSON changes when the SDK reads it as a P and writes it.
func again[P any](raw []byte) string {
	var params P
	if err := json.Unmarshal(raw, &params); err != nil {
		return err.Error()
	}
	written, err := json.Marshal(params)
	if err != nil {
		return err.Error()
	}
	var want, got any
	if json.Unmarshal(raw, &want) != nil || json.Unmarshal(written, &got) != nil {
		return string(raw) + " is read as " + string(written)
	}
	return cmp.Diff(want, got)
}

// BenchmarkResponses reads one stream of 10,000 events with each of the two,
// the whole way from a server on the loopback.
func BenchmarkResponses(b *testing.B) {
	var stream strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&stream, `event: response.output_text.delta
data: {"type":"response.output_text.delta","sequence_number":%d,"item_id":"msg_1","output_index":0,"content_index":0,"delta":" word %d","logprobs":[],"obfuscation":"gSUpjIn0Zhu"}

`, i, i)
	}
	stream.WriteString(`data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, stream.String())
	}))
	defer server.Close()
	b.Run("ours", func(b *testing.B) {
		model := responses.New(provider.Config{Name: "openai/x", Model: "x", BaseURL: server.URL})
		b.SetBytes(int64(stream.Len()))
		for b.Loop() {
			for _, err := range model.Stream(b.Context(), ikigai.Request{}) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		client := sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("none"))
		b.SetBytes(int64(stream.Len()))
		for b.Loop() {
			theirResponse(b.Context(), &client, true)
		}
	})
}
