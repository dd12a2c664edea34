package oracle

import (
	"bytes"
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

	"cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genai"
	"google.golang.org/protobuf/encoding/protojson"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/provider/gemini"
	"ikigai/internal/providertest"
)

// geminiOpinion is what a client makes of a reply.
type geminiOpinion struct {
	Text, Thinking string
	Calls          []string // name, ID if the vendor gave one, arguments with sorted names
	Signatures     int
	Stop           ikigai.StopReason
	Input, Output  int64
	Failed         bool
}

// Google's own library reads every recorded reply as we do, less what it is
// known to leave out.
func TestGeminiAgainstTheSDK(t *testing.T) {
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) }))
	defer server.Close()
	model := gemini.New(provider.Config{Name: "google/x", Model: "x", BaseURL: server.URL, MaxAttempts: 1})
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: "none", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: server.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	agreed, excused, skipped := 0, map[string]int{}, map[string]int{}
	for _, api := range []string{"gemini.stream", "gemini.generate"} {
		for _, rec := range providertest.Recordings(t, api) {
			if why := unasked(rec); why != "" {
				skipped[why]++
				continue
			}
			body = rec.Body
			ours, theirs := ourGeminiOpinion(t, model), theirGeminiOpinion(t, client, rec.Stream)
			if reason := excuseGemini(ours, &theirs); reason != "" {
				excused[reason]++
			}
			if diff := cmp.Diff(theirs, ours); diff != "" {
				t.Errorf("%s (-SDK +ours):\n%s", rec.Name, diff)
				continue
			}
			agreed++
		}
	}
	t.Logf("%d replies; where the SDK differs: %v; not compared: %v", agreed, excused, skipped)
	if providertest.Known(t) && agreed < 380 {
		t.Errorf("%d replies", agreed)
	}
}

// unasked says why the SDK cannot be asked about a recording, "" where it can.
func unasked(rec providertest.Recording) string {
	switch {
	case rec.Status != http.StatusOK:
		return "a refusal with a status"
	case strings.HasPrefix(rec.Body, "["):
		return "a stream as a list, which the SDK does not read"
	case strings.Contains(rec.URL, "enum-encoding%3Dint"):
		return "reasons as numbers, for which the recorder had asked"
	case !strings.Contains(rec.Body, `"candidates"`) && !strings.Contains(rec.Body, `"promptFeedback"`):
		return "the answer to another question"
	}
	return ""
}

func ourGeminiOpinion(t *testing.T, model ikigai.Model) geminiOpinion {
	r := providertest.Collect(t, model, ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}})
	o := geminiOpinion{Text: r.Text, Thinking: r.Thinking, Stop: r.Stop, Failed: r.Err != nil}
	for _, c := range r.Calls {
		var args map[string]any
		_ = json.Unmarshal([]byte(c.Arguments), &args)
		id := c.ID
		if len(id) == len("call_")+26 { // made up
			id = ""
		}
		o.call(c.Name, id, args)
	}
	var layout provider.Layout
	_ = json.Unmarshal(r.Vendor["google/x"], &layout)
	for _, b := range layout {
		if own := string(b.Own); strings.HasPrefix(own, `"`) || strings.Contains(own, `"thoughtSignature"`) {
			o.Signatures++
		}
	}
	if r.Usage != nil {
		o.Input, o.Output = r.Usage.Input, r.Usage.Output
	}
	return o
}

func (o *geminiOpinion) call(name, id string, args map[string]any) {
	if args == nil {
		args = map[string]any{}
	}
	raw, _ := json.Marshal(args)
	o.Calls = append(o.Calls, fmt.Sprintf("%s %q %s", name, id, raw))
}

// theirGeminiOpinion joins what the SDK reads, of a stream or of a whole reply.
func theirGeminiOpinion(t *testing.T, client *genai.Client, stream bool) geminiOpinion {
	var o geminiOpinion
	contents := genai.Text("hi")
	if !stream {
		r, err := client.Models.GenerateContent(t.Context(), "x", contents, nil)
		o.add(r, err)
		return o
	}
	for r, err := range client.Models.GenerateContentStream(t.Context(), "x", contents, nil) {
		o.add(r, err)
	}
	return o
}

func (o *geminiOpinion) add(r *genai.GenerateContentResponse, err error) {
	if err != nil || r == nil {
		o.Failed = true
		return
	}
	if u := r.UsageMetadata; u != nil {
		if n := int64(u.PromptTokenCount + u.ToolUsePromptTokenCount); n > 0 {
			o.Input = n
		}
		if n := int64(u.CandidatesTokenCount + u.ThoughtsTokenCount); n > 0 {
			o.Output = n
		}
	}
	for _, c := range r.Candidates {
		if c.FinishReason != "" {
			o.Stop = geminiStops[c.FinishReason]
		}
		if c.Content == nil {
			continue
		}
		for _, p := range c.Content.Parts {
			o.part(p)
		}
	}
}

func (o *geminiOpinion) part(p *genai.Part) {
	if len(p.ThoughtSignature) > 0 {
		o.Signatures++
	}
	switch {
	case p.FunctionCall != nil:
		o.call(p.FunctionCall.Name, p.FunctionCall.ID, p.FunctionCall.Args)
	case p.Thought:
		o.Thinking += p.Text
	default:
		o.Text += p.Text
	}
}

var geminiStops = map[genai.FinishReason]ikigai.StopReason{
	genai.FinishReasonStop: ikigai.StopEnd, genai.FinishReasonMaxTokens: ikigai.StopLength, "MODEL_ARMOR": ikigai.StopFilter,
}

// excuseGemini makes theirs agree with ours where the SDK is known to differ,
// and says where that is.
func excuseGemini(ours geminiOpinion, theirs *geminiOpinion) string {
	switch {
	case ours.Failed && !theirs.Failed && theirs.Stop == "":
		*theirs = ours
		return "a reply without an end, or with one that leaves nothing whole, is no error to it"
	case ours.Failed && slices.Contains(theirs.Calls, ` "" {}`):
		*theirs = ours
		return "each piece of arguments is a call of nothing to it"
	case theirs.Output < ours.Output:
		theirs.Output = ours.Output
		return "what only an earlier chunk has counted does not count"
	case len(ours.Calls) > 0 && theirs.Stop == ikigai.StopEnd:
		theirs.Stop = ikigai.StopToolCalls
		return "it has no reason of its own for a reply with calls"
	}
	return ""
}

// unknownToProtobuf are members that the published protocol buffers, of early
// 2025, do not know yet.
var unknownToProtobuf = []string{
	"id", "thoughtSignature", "parametersJsonSchema", "responseJsonSchema", "thinkingConfig", "parts in functionResponse",
}

// Every request that is built is one that Google's protocol buffers take in, as
// far as they know it: those of the cases, and those of random conversations.
func TestGeminiRequestsAreProtobuf(t *testing.T) {
	dropped := map[string]int{}
	check := func(name string, body []byte) {
		t.Helper()
		var v map[string]any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		known, _ := json.Marshal(withoutUnknown(v, "", dropped))
		if err := protojson.Unmarshal(known, new(generativelanguagepb.GenerateContentRequest)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, body)
		}
	}
	files, _ := filepath.Glob("../provider/gemini/testdata/*.txtar")
	before3, _ := filepath.Glob("../provider/gemini/testdata/*/*.txtar")
	files = append(files, before3...)
	if len(files) < 40 {
		t.Fatalf("%d cases", len(files))
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), "-- request.json --\n")
		request, _, _ := strings.Cut(rest, "\n")
		check(file, []byte(request))
	}
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		io.WriteString(w, `{"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}]}`)
	}))
	defer server.Close()
	random := rand.New(rand.NewPCG(7, 11))
	for i := range 2000 {
		name := []string{"gemini-3-x", "gemini-2.5-x"}[i%2]
		model := gemini.New(provider.Config{Name: "google/" + name, Model: name, BaseURL: server.URL, Levels: map[ikigai.Level]ikigai.Thinking{"": {}}})
		req := providertest.RandomRequest(random)
		if i%3 == 0 {
			req.Format = &ikigai.Format{Name: "answer", Schema: json.RawMessage(`{"type":"object"}`)}
		}
		providertest.Collect(t, model, req)
		check("random", body)
	}
	t.Logf("left out: %v", dropped)
	if got := slices.Sorted(maps.Keys(dropped)); !slices.Equal(got, slices.Sorted(slices.Values(unknownToProtobuf))) {
		t.Errorf("left out %q", got)
	}
}

// withoutUnknown returns v without what the protocol buffers do not know. What a
// schema or a function says is not looked into.
func withoutUnknown(v any, in string, dropped map[string]int) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutUnknown(v[i], in, dropped)
		}
	case map[string]any:
		for name, value := range v {
			member := name
			if in == "functionResponse" && name == "parts" {
				member = "parts in functionResponse"
			}
			switch {
			case slices.Contains(unknownToProtobuf, member):
				dropped[member]++
				delete(v, name)
			case name != "args" && name != "response":
				v[name] = withoutUnknown(value, name, dropped)
			}
		}
	}
	return v
}

// What is none is refused, or the test above would prove nothing.
func TestProtobufRefuses(t *testing.T) {
	for _, body := range []string{
		`{"contents":[{"role":"user","parts":[{"txt":"x"}]}]}`,
		`{"contents":[{"role":"user","parts":[{"text":"x","inlineData":{}}]}]}`,
		`{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"*"}}]}]}`,
		`{"contents":[{"parts":[{"functionResponse":{"name":"f","response":"x"}}]}]}`,
		`{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"a":1,"a":2}}}]}]}`,
		`{"contents":[{"parts":[{"functionCall":{"name":"f","args":{"n":1e999}}}]}]}`,
		`{"contents":[],"toolConfig":{"functionCallingConfig":{"mode":"SOMETIMES"}}}`,
		`{"contents":[],"generationConfig":{"maxOutputTokens":"many"}}`,
	} {
		if protojson.Unmarshal([]byte(body), new(generativelanguagepb.GenerateContentRequest)) == nil {
			t.Errorf("accepted: %s", body)
		}
	}
}

// BenchmarkGemini reads a stream of 10,000 events of text, as we do and as the
// SDK does.
func BenchmarkGemini(b *testing.B) {
	var stream bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&stream, `data: {"candidates": [{"content": {"parts": [{"text": "line %05d of a reply, \"quoted\", with a line feed\n"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 1290,"candidatesTokenCount": %d,"totalTokenCount": %d,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 1290}]},"modelVersion": "m","responseId": "r"}`+"\r\n\r\n", i, i, i)
	}
	stream.WriteString(`data: {"candidates": [{"finishReason": "STOP"}]}` + "\r\n\r\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(stream.Bytes()) }))
	defer server.Close()
	b.Run("ours", func(b *testing.B) {
		model := gemini.New(provider.Config{Name: "google/x", Model: "x", BaseURL: server.URL})
		b.SetBytes(int64(stream.Len()))
		for b.Loop() {
			text := 0
			for d, err := range model.Stream(b.Context(), ikigai.Request{}) {
				if err != nil {
					b.Fatal(err)
				}
				text += len(d.Text)
			}
			if text != 10_000*50 {
				b.Fatal(text)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		client, err := genai.NewClient(b.Context(), &genai.ClientConfig{
			APIKey: "none", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: server.URL},
		})
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(stream.Len()))
		for b.Loop() {
			text := 0
			for r, err := range client.Models.GenerateContentStream(b.Context(), "x", genai.Text("hi"), nil) {
				if err != nil {
					b.Fatal(err)
				}
				text += len(r.Text())
			}
			if text != 10_000*50 {
				b.Fatal(text)
			}
		}
	})
}
