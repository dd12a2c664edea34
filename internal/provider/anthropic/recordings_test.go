package anthropic

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
	"ikigai/internal/race"
)

// reference is a second, simple reading of a reply, to hold the decoder
// against: all of it at once, maps and concatenation.
type reference struct {
	blocks []map[string]any
	at     map[any]int // number on the wire → index in blocks
	usage  map[string]float64
	reason string
	ended  bool
	failed bool
}

func readReference(t *testing.T, body string) *reference {
	r := &reference{at: map[any]int{}, usage: map[string]float64{}}
	var whole map[string]any
	if json.Unmarshal([]byte(body), &whole) == nil {
		r.event(whole)
		return r
	}
	for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
		field, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ":")
		if field != "data" {
			continue
		}
		var event map[string]any
		if err := json.Unmarshal([]byte(value), &event); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		r.event(event)
	}
	return r
}

func (r *reference) event(e map[string]any) {
	if r.failed {
		return
	}
	switch e["type"] {
	case "message_start":
		if r.failed = len(r.blocks) > 0; r.failed {
			return
		}
		r.count(e["message"].(map[string]any)["usage"])
	case "content_block_start":
		r.at[e["index"]] = len(r.blocks)
		r.blocks = append(r.blocks, e["content_block"].(map[string]any))
	case "content_block_delta":
		r.delta(r.blocks[r.at[e["index"]]], e["delta"].(map[string]any))
	case "message_delta":
		r.count(e["usage"])
		r.reason, _ = e["delta"].(map[string]any)["stop_reason"].(string)
	case "message_stop":
		r.ended = true
	case "message":
		for _, b := range e["content"].([]any) {
			r.blocks = append(r.blocks, b.(map[string]any))
		}
		r.count(e["usage"])
		r.reason, _ = e["stop_reason"].(string)
		r.ended = true
	case "error":
		r.failed = true
	}
}

func (r *reference) count(usage any) {
	counts, _ := usage.(map[string]any)
	for name, n := range counts {
		if n, ok := n.(float64); ok {
			r.usage[name] = n
		}
	}
}

func (r *reference) delta(b, d map[string]any) {
	add := func(name string, more any) {
		before, _ := b[name].(string)
		b[name] = before + more.(string)
	}
	switch d["type"] {
	case "text_delta":
		add("text", d["text"])
	case "thinking_delta":
		add("thinking", d["thinking"])
	case "signature_delta":
		add("signature", d["signature"])
	case "input_json_delta":
		add("partial", d["partial_json"])
	case "citations_delta":
		before, _ := b["citations"].([]any)
		b["citations"] = append(before, d["citation"])
	case "compaction_delta":
		add("content", d["content"])
	default:
		panic(fmt.Sprintf("the reference knows no %s", d["type"]))
	}
}

// joined returns all that the blocks of a kind hold under a name.
func (r *reference) joined(kind, name string) string {
	s := ""
	for _, b := range r.blocks {
		if text, ok := b[name].(string); ok && b["type"] == kind {
			s += text
		}
	}
	return s
}

// calls returns the calls with the arguments that came; where none came in
// pieces, as JSON of what the call began with.
func (r *reference) calls() []ikigai.ToolCall {
	var calls []ikigai.ToolCall
	for _, b := range r.blocks {
		if b["type"] != "tool_use" {
			continue
		}
		c := ikigai.ToolCall{ID: b["id"].(string), Name: b["name"].(string)}
		if c.Arguments, _ = b["partial"].(string); c.Arguments == "" {
			raw, _ := json.Marshal(b["input"])
			c.Arguments = string(raw)
		}
		calls = append(calls, c)
	}
	return calls
}

// stop returns how the reply ended, in our words.
func (r *reference) stop() ikigai.StopReason {
	switch {
	case r.failed || !r.ended || r.reason == "":
		return ""
	case r.reason == "max_tokens" || r.reason == "pause_turn":
		return ikigai.StopLength
	case r.reason == "refusal":
		return ikigai.StopFilter
	case len(r.calls()) > 0:
		return ikigai.StopToolCalls
	}
	return ikigai.StopEnd
}

// replayed returns the blocks as they are to be sent back.
func (r *reference) replayed() []any {
	var all []any
	for _, b := range r.blocks {
		if partial, ok := b["partial"].(string); ok {
			delete(b, "partial")
			var input any
			if json.Unmarshal([]byte(partial), &input) == nil {
				b["input"] = input
			}
		}
		all = append(all, b)
	}
	return plainBlocks(all)
}

// plainBlocks returns the blocks of an assistant message without what makes no
// difference: blank text, how plain text is split, and members that only say
// what would go without saying.
func plainBlocks(blocks []any) []any {
	var all []any
	for _, block := range blocks {
		b := block.(map[string]any)
		delete(b, "cache_control")
		text, _ := b["text"].(string)
		signature, _ := b["signature"].(string)
		switch b["type"] {
		case "text":
			if cited, _ := b["citations"].([]any); len(cited) == 0 {
				delete(b, "citations")
			}
			if last := len(all) - 1; last >= 0 && len(b) == 2 {
				if before := all[last].(map[string]any); before["type"] == "text" && len(before) == 2 {
					before["text"] = before["text"].(string) + text
					continue
				}
			}
			if strings.TrimSpace(text) == "" {
				continue
			}
		case "thinking":
			if signature == "" {
				continue
			}
		case "tool_use":
			if caller, ok := b["caller"].(map[string]any); ok && caller["type"] == "direct" {
				delete(b, "caller")
			}
			if input, ok := b["input"].(map[string]any); !ok || input == nil {
				b["input"] = map[string]any{}
			}
		}
		all = append(all, b)
	}
	for len(all) > 0 && slices.Contains([]any{"thinking", "redacted_thinking"}, all[len(all)-1].(map[string]any)["type"]) {
		all = all[:len(all)-1]
	}
	return all
}

// Every recorded reply decodes to what a second reading of it says, whole and in
// pieces, and what is sent back of it is what came. S1.12, S1.13, S1.17, S2.16,
// S2.75, P4, P30, P31.
func TestRecorded(t *testing.T) {
	var tally providertest.Tally
	streams, plain := 0, 0
	for _, rec := range recordings(t) {
		if rec.Status != http.StatusOK {
			tally.Leave("a refusal with a status, which is package provider's")
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(rec.Body), "{") {
			plain++
		} else {
			streams++
		}
		tally.Try(t, rec.Name, func(t *testing.T) {
			want, got := readReference(t, rec.Body), collect(t, []string{rec.Body})
			compare(t, rec.Name, want, got)
			checkReplay(t, rec.Name, want, got)
			if tally.Tried%race.Tenth == 0 {
				checkSplits(t, rec.Name, rec.Body, got.String())
			}
		})
	}
	tally.Report(t)
	t.Logf("%d streams, %d plain replies", streams, plain)
	if providertest.Known(t) && (streams < 149 || plain < 275) {
		t.Error("some recordings are missing")
	}
}

// apis are the interfaces that speak this wire.
var apis = []string{"anthropic.messages", "vertex.anthropic"}

func recordings(t *testing.T) []providertest.Recording {
	var all []providertest.Recording
	for _, api := range apis {
		all = append(all, providertest.Recordings(t, api)...)
	}
	return all
}

func compare(t *testing.T, name string, want *reference, got providertest.Reply) {
	t.Helper()
	if text, thinking := want.joined("text", "text"), want.joined("thinking", "thinking"); got.Text != text || got.Thinking != thinking {
		t.Errorf("%s: text %q, thinking %q; want %q, %q", name, got.Text, got.Thinking, text, thinking)
	}
	sameArguments := cmp.Comparer(func(a, b ikigai.ToolCall) bool {
		return a.ID == b.ID && a.Name == b.Name && (a.Arguments == b.Arguments || sameJSON(a.Arguments, b.Arguments))
	})
	if diff := cmp.Diff(want.calls(), got.Calls, sameArguments); diff != "" {
		t.Errorf("%s: calls (-want +got):\n%s", name, diff)
	}
	if got.Stop != want.stop() || (got.Err == nil) != (want.stop() != "") {
		t.Errorf("%s: stop %q, error %v; want stop %q", name, got.Stop, got.Err, want.stop())
	}
	u := want.usage
	usage := &ikigai.Usage{
		Input:  int64(u["input_tokens"] + u["cache_creation_input_tokens"] + u["cache_read_input_tokens"]),
		Output: int64(u["output_tokens"]), CacheRead: int64(u["cache_read_input_tokens"]), CacheWrite: int64(u["cache_creation_input_tokens"]),
	}
	if got.Usage != nil {
		usage.Reasoning = got.Usage.Reasoning
	}
	if diff := cmp.Diff(usage, got.Usage); diff != "" {
		t.Errorf("%s: usage (-want +got):\n%s", name, diff)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && cmp.Equal(x, y)
}

// checkReplay holds that a reply goes back to its model as it came.
func checkReplay(t *testing.T, name string, want *reference, got providertest.Reply) {
	t.Helper()
	if got.Err != nil {
		return
	}
	var sent struct{ Content []any }
	raw := (&wire{config}).Append(nil, messagesOf(got), false)
	if err := json.Unmarshal(raw[:len(raw)-1], &sent); err != nil {
		t.Fatalf("%s: %v in %s", name, err, raw)
	}
	blocks := want.replayed()
	if len(blocks) == 0 {
		blocks = []any{map[string]any{"type": "text", "text": nothing}}
	}
	if diff := cmp.Diff(blocks, plainBlocks(sent.Content)); diff != "" {
		t.Errorf("%s: sent back (-came +sent):\n%s", name, diff)
	}
	if nobody := (&wire{provider.Config{Name: "other/model"}}).Append(nil, messagesOf(got), false); strings.Contains(string(nobody), `"signature"`) {
		t.Errorf("%s: another model is sent %s", name, nobody)
	}
}

// checkSplits decodes a reply byte by byte, and in two pieces: at every byte
// where it is short, and at every byte of its ends and some between them where
// it is long.
func checkSplits(t *testing.T, name, body, want string) {
	t.Helper()
	if got := collect(t, bytewise(body)).String(); got != want {
		t.Errorf("%s, byte by byte:\n%s", name, cmp.Diff(want, got))
		return
	}
	const short, edge = 400, 20
	random := rand.New(rand.NewPCG(1, 2))
	for i := 1; i < len(body); i++ {
		if len(body) > short && i > edge && i < len(body)-edge && random.IntN(len(body)) > 6 {
			continue
		}
		if got := collect(t, []string{body[:i], body[i:]}).String(); got != want {
			t.Errorf("%s, split at %d:\n%s", name, i, cmp.Diff(want, got))
			return
		}
	}
}

func bytewise(s string) []string {
	pieces := make([]string, len(s))
	for i := range pieces {
		pieces[i] = s[i : i+1]
	}
	return pieces
}
