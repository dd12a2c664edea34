package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
	"ikigai/internal/race"
)

// reference is a second, simple reading of a recorded reply.
type reference struct {
	text, thinking string
	calls          []ikigai.ToolCall
	parts          []any // that the vendor wants back
	finish         string
	failed         bool
	usage          map[string]float64
}

// payloads returns the JSON objects of a reply: of events, of a list, or alone.
func payloads(t *testing.T, body string) []map[string]any {
	t.Helper()
	if !strings.HasPrefix(body, "data:") {
		var list []map[string]any
		if json.Unmarshal([]byte(body), &list) != nil {
			list = []map[string]any{{}}
			if err := json.Unmarshal([]byte(body), &list[0]); err != nil {
				t.Fatal(err)
			}
		}
		return list
	}
	var list []map[string]any
	for _, event := range strings.Split(strings.ReplaceAll(body, "\r\n", "\n"), "\n\n") {
		if data, ok := strings.CutPrefix(event, "data:"); ok {
			var payload map[string]any
			if err := json.Unmarshal([]byte(data), &payload); err != nil {
				t.Fatal(err)
			}
			list = append(list, payload)
		}
	}
	return list
}

func readReference(t *testing.T, body string) *reference {
	t.Helper()
	r := &reference{usage: map[string]float64{}}
	for _, p := range payloads(t, body) {
		if p["error"] != nil || p["promptFeedback"] != nil {
			r.failed = true
			break
		}
		if u, ok := p["usageMetadata"].(map[string]any); ok {
			for name, count := range u {
				if n, _ := count.(float64); n > 0 {
					r.usage[name] = n
				}
			}
		}
		candidates, _ := p["candidates"].([]any)
		for _, c := range candidates {
			c := c.(map[string]any)
			if finish, ok := c["finishReason"].(string); ok {
				r.finish = finish
			}
			content, _ := c["content"].(map[string]any)
			parts, _ := content["parts"].([]any)
			for _, part := range parts {
				r.part(t, part.(map[string]any))
			}
		}
	}
	return r
}

func (r *reference) part(t *testing.T, p map[string]any) {
	t.Helper()
	text, isText := p["text"].(string)
	signed := p["thoughtSignature"] != nil
	switch call, isCall := p["functionCall"].(map[string]any); {
	case isCall:
		args, ok := call["args"].(map[string]any)
		if !ok {
			args = map[string]any{}
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		id, ok := call["id"].(string)
		if !ok {
			id = madeUp()
		}
		name, _ := call["name"].(string)
		r.calls = append(r.calls, ikigai.ToolCall{ID: id, Name: name, Arguments: string(raw)})
		back := map[string]any{"functionCall": map[string]any{"id": id, "name": name, "args": args}}
		if signed {
			back["thoughtSignature"] = p["thoughtSignature"]
		}
		r.parts = append(r.parts, back)
		return
	case p["thought"] == true:
		r.thinking += text
		if !signed {
			return
		}
	case isText:
		r.text += text
		if text == "" && !signed {
			return
		}
	}
	r.parts = append(r.parts, p)
}

// stop returns how the reply ended, in our words.
func (r *reference) stop() ikigai.StopReason {
	switch {
	case r.failed:
		return ""
	case r.finish == "MAX_TOKENS":
		return ikigai.StopLength
	case r.finish == "MODEL_ARMOR":
		return ikigai.StopFilter
	case r.finish != "STOP":
		return ""
	case len(r.calls) > 0:
		return ikigai.StopToolCalls
	}
	return ikigai.StopEnd
}

// notApplicable says why a recording is none of a reply as we ask for it, ""
// where it is one.
func notApplicable(rec providertest.Recording) string {
	switch {
	case rec.Status != http.StatusOK:
		return "a refusal with a status, which is package provider's"
	case strings.Contains(rec.URL, "enum-encoding%3Dint"):
		return "was asked to tell reasons as numbers"
	case !strings.Contains(rec.Body, `"candidates"`) && !strings.Contains(rec.Body, `"promptFeedback"`):
		return "answers another question: a cache that was created"
	case rec.Has("gemini:partial-args"):
		return "was asked for arguments in pieces"
	}
	return ""
}

// Every recorded reply, of the Gemini API and of Vertex AI, decodes to what a
// second reading of it says, whole and in pieces, and goes back as it came.
// S1.10, S1.12, S1.13, S2.16, P4, P30.
func TestRecorded(t *testing.T) {
	var tally providertest.Tally
	streams, signed := 0, 0
	for _, api := range []string{"gemini.stream", "gemini.generate"} {
		for _, rec := range providertest.Recordings(t, api) {
			if why := notApplicable(rec); why != "" {
				tally.Leave(why)
				continue
			}
			name := fmt.Sprintf("%s (%s)", rec.Name, rec.Provider)
			tally.Try(t, name, func(t *testing.T) {
				want, got := readReference(t, rec.Body), collect(t, []string{rec.Body})
				compare(t, name, want, got)
				checkBack(t, name, want, got)
				if tally.Tried%race.Tenth == 0 {
					checkSplits(t, name, rec.Body, got.String())
				}
				if rec.Stream {
					streams++
				}
				if strings.Contains(string(got.Vendor[config.Name]), `"own"`) {
					signed++
				}
			})
		}
	}
	tally.Report(t)
	t.Logf("%d are streams and %d are signed", streams, signed)
	if providertest.Known(t) && (tally.Passed < 390 || streams < 100 || signed < 150) {
		t.Error("some recordings are missing")
	}
}

func compare(t *testing.T, name string, want *reference, got providertest.Reply) {
	t.Helper()
	if got.Text != want.text || got.Thinking != want.thinking {
		t.Errorf("%s: text %q, thinking %q; want %q, %q", name, got.Text, got.Thinking, want.text, want.thinking)
	}
	if diff := cmp.Diff(want.calls, got.Calls, cmp.Transformer("arguments", sameJSON)); diff != "" {
		t.Errorf("%s: calls (-want +got):\n%s", name, diff)
	}
	if got.Stop != want.stop() || (got.Err == nil) != (want.stop() != "") {
		t.Errorf("%s: stop %q, error %v; want stop %q", name, got.Stop, got.Err, want.stop())
	}
	var usage ikigai.Usage
	if got.Usage != nil {
		usage = *got.Usage
	}
	input := want.usage["promptTokenCount"] + want.usage["toolUsePromptTokenCount"]
	output := want.usage["candidatesTokenCount"] + want.usage["thoughtsTokenCount"]
	if got.Err == nil && (float64(usage.Input) != input || float64(usage.Output) != output) {
		t.Errorf("%s: usage %+v; want %v", name, usage, want.usage)
	}
}

// sameJSON returns the arguments of a call so that only their meaning counts.
func sameJSON(c ikigai.ToolCall) any {
	var args any
	_ = json.Unmarshal([]byte(c.Arguments), &args)
	return []any{c.ID, c.Name, args}
}

// checkBack holds that a reply goes back to its own model with every part that
// the vendor wants, in order, each signature where it was; and to another model
// without any.
func checkBack(t *testing.T, name string, want *reference, got providertest.Reply) {
	t.Helper()
	if got.Err != nil {
		return
	}
	if diff := cmp.Diff(joinTexts(want.parts, false), joinTexts(sentParts(t, config, got), true)); diff != "" {
		t.Errorf("%s: sent back (-want +got):\n%s", name, diff)
	}
	for _, part := range sentParts(t, provider.Config{Name: "google/other", Model: "gemini-2.0"}, got) {
		if part.(map[string]any)["thoughtSignature"] != nil {
			t.Errorf("%s: another model gets %v", name, part)
		}
	}
}

// sentParts returns the parts of the message that a reply is sent back as.
func sentParts(t *testing.T, cfg provider.Config, r providertest.Reply) []any {
	t.Helper()
	raw := (&wire{cfg}).Append(nil, messagesOf(r), true)
	if len(raw) == 0 {
		return nil
	}
	var content struct{ Parts []any }
	if err := json.Unmarshal(raw[:len(raw)-1], &content); err != nil {
		t.Fatal(err)
	}
	return content.Parts
}

// joinTexts joins texts without a signature that follow each other, which mean
// the same together, and drops the signature of calls from elsewhere where it
// stands for none.
func joinTexts(parts []any, ours bool) []any {
	var out []any
	text := ""
	flush := func() {
		if text != "" {
			out = append(out, map[string]any{"text": text})
		}
		text = ""
	}
	for _, part := range parts {
		p := part.(map[string]any)
		if s, ok := p["text"].(string); ok && len(p) == 1 {
			text += s
			continue
		}
		if ours && p["thoughtSignature"] == strings.Trim(anySignature, `"`) {
			delete(p, "thoughtSignature")
		}
		flush()
		out = append(out, p)
	}
	flush()
	return out
}

// checkSplits decodes a reply byte by byte, and in two pieces: at every byte
// where it is short, and at every byte of its ends and some between them where
// it is long.
func checkSplits(t *testing.T, name, body, want string) {
	t.Helper()
	const short, edge, most = 400, 20, 1 << 20
	if len(body) < most {
		if got := collect(t, strings.Split(body, "")).String(); got != want && !strings.Contains(body, "\uFFFD") {
			t.Errorf("%s, byte by byte:\n%s", name, cmp.Diff(want, got))
			return
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := 1; i < len(body); i++ {
		if len(body) > short && i > edge && i < len(body)-edge && random.IntN(len(body)) > 4 {
			continue
		}
		if got := collect(t, []string{body[:i], body[i:]}).String(); got != want {
			t.Errorf("%s, split at %d:\n%s", name, i, cmp.Diff(want, got))
			return
		}
	}
}

// A reply that comes twice in one body is taken once: no call of it runs twice.
func TestRecordedTwice(t *testing.T) {
	var tally providertest.Tally
	for _, rec := range providertest.Recordings(t, "gemini.stream") {
		once := collect(t, []string{rec.Body})
		if !strings.HasPrefix(rec.Body, "data: ") || once.Err != nil || notApplicable(rec) != "" {
			tally.Leave("no stream of events that ends well")
			continue
		}
		tally.Try(t, rec.Name, func(t *testing.T) {
			end := strings.TrimRight(rec.Body, "\r\n") + "\n\n"
			if twice := collect(t, []string{end + end}); twice.String() != once.String() {
				t.Errorf("%s: %s", rec.Name, cmp.Diff(once.String(), twice.String()))
			}
		})
	}
	tally.Report(t)
	if providertest.Known(t) && tally.Tried < 80 {
		t.Errorf("only %d recordings", tally.Tried)
	}
}

// Some servers say in every chunk that it is the last.
func TestEveryChunkStops(t *testing.T) {
	var body strings.Builder
	for _, word := range []string{"", "a", "b", "a"} {
		fmt.Fprintf(&body, `data: {"candidates":[{"content":{"parts":[{"text":%q}]},"finishReason":"STOP"}],"usageMetadata":{"candidatesTokenCount":%d}}`+"\n\n", word, body.Len())
	}
	if got := collect(t, []string{body.String()}); got.Text != "aba" || got.Stop != ikigai.StopEnd {
		t.Errorf("got %s", got)
	}
}

// Arguments that come in pieces, for which nobody asked, are no empty ones: the
// call is not run without them.
func TestRecordedPieces(t *testing.T) {
	var tally providertest.Tally
	for _, rec := range providertest.Recordings(t, "gemini.stream") {
		if !rec.Has("gemini:partial-args") {
			tally.Leave("was not asked for arguments in pieces")
			continue
		}
		tally.Try(t, rec.Name, func(t *testing.T) {
			if got := collect(t, []string{rec.Body}); got.Err == nil || len(got.Calls) > 0 {
				t.Errorf("%s: %s", rec.Name, got)
			}
		})
	}
	tally.Report(t)
	if providertest.Known(t) && tally.Tried == 0 {
		t.Error("no recording")
	}
}

// The recordings are read the fast way where they are text.
func TestRecordedFast(t *testing.T) {
	var tally providertest.Tally
	texts, taken := 0, 0
	for _, rec := range providertest.Recordings(t, "gemini.stream") {
		if !strings.HasPrefix(rec.Body, "data: ") {
			tally.Leave("no stream of events")
			continue
		}
		tally.Try(t, rec.Name, func(t *testing.T) {
			cfg := config
			_, err := cfg.ReadPayloads(strings.NewReader(rec.Body), func(_ string, data []byte) error {
				if s := string(data); strings.Contains(s, `"text"`) && !strings.Contains(s, "finishReason") && !strings.Contains(s, "thoughtSignature") {
					texts++
					if _, ok := fast(data); ok {
						taken++
					}
				}
				return nil
			})
			if err != nil && !errors.Is(err, io.EOF) {
				t.Errorf("%s: %v", rec.Name, err)
			}
		})
	}
	tally.Report(t)
	t.Logf("%d of %d chunks of text", taken, texts)
	if providertest.Known(t) && taken < texts*9/10 {
		t.Error("too few are read the fast way")
	}
}
