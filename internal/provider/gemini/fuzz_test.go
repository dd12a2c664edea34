package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
	"ikigai/internal/wirecheck"
)

var (
	config  = provider.Config{Name: "google/gemini-3-x", Model: "gemini-3-x"}
	before3 = provider.Config{Name: "google/gemini-2.5-x", Model: "gemini-2.5-x"}
)

// FuzzRequest holds that a request with a memo has the same bytes as one
// without, whatever was sent before, that it is valid JSON, and that what is
// told of it is true. S2.34, P27.
func FuzzRequest(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		providertest.CheckGrowth(t, a, b, encode)
		random := providertest.RandomRequest(rand.New(rand.NewPCG(a, b)))
		if ends := random.Messages[len(random.Messages)-1].Kind; ends != ikigai.KindUser && ends != ikigai.KindToolResult {
			return // no request ends with a reply
		}
		checkAccepted(t, config, random, wirecheck.GeminiSigned)
		checkAccepted(t, before3, random, wirecheck.Gemini)
	})
}

// checkAccepted holds that the vendor takes the request for the model.
func checkAccepted(t *testing.T, cfg provider.Config, req ikigai.Request, check func([]byte) error) {
	t.Helper()
	body, _ := provider.Encode(cfg.Name, &wire{cfg}, req)
	raw := bytes.Join(body, nil)
	if err := check(raw); err != nil {
		t.Errorf("%s: %v\n%s", cfg.Name, err, raw)
	}
}

func encode(req ikigai.Request) ([]byte, ikigai.Sent) {
	body, sent := provider.Encode(config.Name, &wire{config}, req)
	return bytes.Join(body, nil), sent
}

// FuzzObject holds that whatever text becomes an object that the vendor takes,
// and that nothing of the text is lost.
func FuzzObject(f *testing.F) {
	for _, s := range []string{
		`{"a":1}`, ` { "a" : [ {}, null, "\u00e9" ] } `, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, `{"a":1e999}`, `{"a":1}x`, `{"a":1} {}`,
		`[1]`, `"s"`, `{`, "", "text", `{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]}`, `{"a":1,}`, `{1:2}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw := appendObject(nil, text, "output")
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil || !isStruct(string(raw)) {
			t.Fatalf("%q became %s: %v", text, raw, err)
		}
		want := map[string]any{"output": text}
		if isStruct(text) {
			want = nil
			_ = json.Unmarshal([]byte(text), &want)
		}
		if utf8.ValidString(text) && !cmp.Equal(want, got) {
			t.Fatalf("%q became %s", text, raw)
		}
	})
}

// An object that is too deep for the vendor goes as text.
func TestDepth(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for n, want := range map[int]bool{1: true, maxDepth - 1: true, maxDepth: false, 200: false} {
		if got := isStruct(deep(n)); got != want {
			t.Errorf("%d levels: %t", n, got)
		}
	}
}

// outcome is what a decoder makes of some chunks.
type outcome struct {
	Deltas []ikigai.Delta
	Layout provider.Layout
	Err    string
	Usage  usage
	Finish string
}

// chunks decodes chunks one after the other, the fast way or the plain one.
func chunks(plain bool, all ...string) outcome {
	cfg := config
	var o outcome
	d := &decoder{cfg: &cfg, plain: plain, newID: madeUp, yield: func(d ikigai.Delta) bool { o.Deltas = append(o.Deltas, d); return true }}
	for _, c := range all {
		if err := d.chunk([]byte(c)); err != nil {
			o.Err = err.Error()
			break
		}
	}
	o.Usage, o.Finish, o.Layout = d.usage, d.finish, d.layout
	return o
}

func madeUp() string { return "made up" }

const opening = `{"candidates":[{"content":{"parts":[{"text":"x"}]}}],"usageMetadata":{"promptTokenCount":7}}`

// FuzzFast holds that the fast way through a chunk, where it is taken, leads
// to the same deltas as encoding/json.
func FuzzFast(f *testing.F) {
	for _, s := range fastChunks {
		f.Add(s)
	}
	for _, s := range []string{
		opening, `{}`, `{"candidates":[]}`, `{"candidates":null}`, `{"usageMetadata":{}}`, `{"responseId":"a"}`,
		`{"candidates":[{"content":{"parts":[{"text":"a","thought":false}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b"}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":""}]}}]}`, `{"candidates":[{"content":{"parts":[{"thought":true}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":null}]}}]}`, `{"candidates":[{"content":{"parts":[{"text":"a","Text":"b"}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a","text":"b"}]}}]}`, `{"candidates":[{"content":{"parts":[{"text":"a\u0000\ud800"}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a","thoughtSignature":"AAAA"}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1.5}}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]},"index":1}]}`, `{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"error":null}`,
		`{"usageMetadata":{"promptTokenCount":1,"promptTokenCount":2,"promptTokensDetails":[]}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, chunk string) {
		if diff := cmp.Diff(chunks(true, opening, chunk, chunk), chunks(false, opening, chunk, chunk)); diff != "" {
			t.Fatalf("(-plain +fast):\n%s", diff)
		}
	})
}

// fastChunks are chunks as the vendor sends them most: in the Gemini API, on
// Vertex AI, and without spaces.
var fastChunks = []string{
	`{"candidates": [{"content": {"parts": [{"text": "t have \"access\"\n"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 29,"candidatesTokenCount": 61,"totalTokenCount": 289,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 29},{"modality": "IMAGE","tokenCount": 2}],"thoughtsTokenCount": 199},"modelVersion": "gemini-2.5-flash","responseId": "w"}`,
	`{"candidates": [{"content": {"parts": [{"text": "**Plan**\n\n\n","thought": true}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 34,"cachedContentTokenCount": 30,"toolUsePromptTokenCount": 3,"totalTokenCount": 102,"cacheTokensDetails": [{"modality": "TEXT","tokenCount": 30}],"thoughtsTokenCount": 68,"serviceTier": "standard"},"modelVersion": "gemini-2.5-pro","responseId": "b"}`,
	`{"candidates": [{"content": {"role": "model","parts": [{"text": "Olá 日本"}]}}],"usageMetadata": {"trafficType": "ON_DEMAND"},"modelVersion": "gemini-2.5-pro","createTime": "2026-03-12T18:06:15.185613Z","responseId": "l"}`,
	`{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"index":0}],"modelVersion":"m","responseId":"r"}`,
}

// The fast way is taken where it matters.
func TestFastIsTaken(t *testing.T) {
	for _, c := range fastChunks {
		if _, ok := fast([]byte(c)); !ok {
			t.Errorf("not taken: %s", c)
		}
	}
}

// FuzzStream holds that decoding never panics, that it does not matter in what
// pieces a stream comes, that the deltas keep to the contract, and that the
// reply can be sent back.
func FuzzStream(f *testing.F) {
	f.Add("data: "+opening+"\r\n\r\ndata: "+fastChunks[0]+"\r\n\r\ndata: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\r\n\r\n", 20)
	f.Add(`[{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"},"thoughtSignature":"AAAA"},{"text":"a","thoughtSignature":"BB"},{"x":1}]},"finishReason":"STOP"}]}]`, 3)
	f.Add("event: error\ndata: {}\n\nerror: x\n\n{\"promptFeedback\":{\"blockReason\":\"y\"}}\n\n", 30)
	f.Fuzz(func(t *testing.T, stream string, i int) {
		i = min(max(i, 0), len(stream))
		whole, split := collect(t, []string{stream}), collect(t, []string{stream[:i], stream[i:]})
		if diff := cmp.Diff(whole.String(), split.String()); diff != "" {
			t.Fatalf("(-whole +split):\n%s", diff)
		}
		if back := (&wire{config}).Append(nil, messagesOf(whole), true); len(back) > 0 && !json.Valid(back[:len(back)-1]) {
			t.Fatalf("goes back as %s", back)
		}
	})
}

// messagesOf returns a reply as messages, as the conversation keeps it.
func messagesOf(r providertest.Reply) []ikigai.Message {
	var all []ikigai.Message
	if r.Text != "" || len(r.Calls) == 0 {
		all = append(all, ikigai.Message{Kind: ikigai.KindAssistant, Content: r.Text})
	}
	for _, c := range r.Calls {
		all = append(all, ikigai.Message{Kind: ikigai.KindToolCall, Call: &c})
	}
	all[len(all)-1].Vendor = r.Vendor
	return all
}

// collect decodes a stream that comes in the given pieces.
func collect(t testing.TB, pieces []string) providertest.Reply {
	t.Helper()
	var reply providertest.Reply
	cfg := config
	d := &decoder{cfg: &cfg, newID: madeUp, yield: func(d ikigai.Delta) bool {
		if err := reply.Add(d); err != nil {
			t.Fatal(err)
		}
		return true
	}}
	err := d.read(&pieceReader{pieces})
	if err == nil {
		err = d.end()
	}
	if reply.Err = err; (err == nil) != (reply.Stop != "") {
		t.Fatalf("error %v, stop %q", err, reply.Stop)
	}
	if err != nil && !errors.As(err, new(*ikigai.Error)) {
		t.Fatal(err)
	}
	return reply
}

// pieceReader reads one piece at a time.
type pieceReader struct{ pieces []string }

func (r *pieceReader) Read(p []byte) (int, error) {
	for len(r.pieces) > 0 && r.pieces[0] == "" {
		r.pieces = r.pieces[1:]
	}
	if len(r.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.pieces[0])
	r.pieces[0] = r.pieces[0][n:]
	return n, nil
}
