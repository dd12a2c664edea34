package openai

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/providertest"
	"ikigai/internal/race"
)

// reference is a second, simple reading of a reply, to hold the decoder
// against: all of it at once, maps and concatenation.
type reference struct {
	text, thinking, refusal, finish string
	calls                           []ikigai.ToolCall
	numbers                         []any // of the calls, on the wire
	input, output                   float64
	failed                          bool
}

func readReference(t *testing.T, body string) reference {
	var r reference
	body = strings.ReplaceAll(body, "\r\n", "\n")
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		r.chunk(t, body)
		return r
	}
	for line := range strings.Lines(body) {
		field, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ":")
		value = strings.TrimSpace(value)
		r.failed = r.failed || field == "error" || field == "event" && value == "error"
		if field == "data" && value != "[DONE]" {
			r.chunk(t, value)
		}
	}
	return r
}

func (r *reference) chunk(t *testing.T, data string) {
	var c map[string]any
	if err := json.Unmarshal([]byte(data), &c); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	r.failed = r.failed || c["error"] != nil
	if x, ok := c["x_groq"].(map[string]any); ok {
		r.usage(x["usage"])
	}
	r.usage(c["usage"])
	choices, _ := c["choices"].([]any)
	for _, choice := range choices {
		choice := choice.(map[string]any)
		if index, ok := choice["index"].(float64); ok && index != 0 {
			continue
		}
		if finish, ok := choice["finish_reason"].(string); ok && finish != "" {
			r.finish = finish
		}
		delta, ok := choice["delta"].(map[string]any)
		if !ok {
			delta, _ = choice["message"].(map[string]any)
		}
		r.delta(delta)
	}
}

func (r *reference) usage(v any) {
	if u, ok := v.(map[string]any); ok {
		r.input, _ = u["prompt_tokens"].(float64)
		r.output, _ = u["completion_tokens"].(float64)
	}
}

func (r *reference) delta(d map[string]any) {
	thinking := ""
	if parts, ok := d["content"].([]any); ok {
		for _, part := range parts {
			part := part.(map[string]any)
			r.text += asString(part["text"])
			inner, _ := part["thinking"].([]any)
			for _, piece := range inner {
				thinking += asString(piece.(map[string]any)["text"])
			}
		}
	}
	r.text += asString(d["content"])
	r.refusal += asString(d["refusal"])
	details := ""
	if list, ok := d["reasoning_details"].([]any); ok {
		for _, item := range list {
			item := item.(map[string]any)
			details += asString(item["text"]) + asString(item["summary"])
		}
	}
	for _, s := range []string{asString(d["reasoning_content"]), asString(d["reasoning"]), thinking, details} {
		if s != "" {
			r.thinking += s
			break
		}
	}
	calls, _ := d["tool_calls"].([]any)
	for _, call := range calls {
		r.call(call.(map[string]any))
	}
}

func (r *reference) call(c map[string]any) {
	number := c["index"]
	if number == nil {
		number = c["id"]
	}
	at := -1
	for i := range r.calls {
		if r.numbers[i] == number && (asString(c["id"]) == "" || asString(c["id"]) == r.calls[i].ID) {
			at = i
		}
	}
	if at < 0 {
		at = len(r.calls)
		r.calls = append(r.calls, ikigai.ToolCall{ID: asString(c["id"])})
		r.numbers = append(r.numbers, number)
	}
	function := c["function"].(map[string]any)
	r.calls[at].Arguments += asString(function["arguments"])
	if name := asString(function["name"]); name != "" {
		r.calls[at].Name = name
	}
}

func asString(v any) string {
	s, _ := v.(string)
	return s
}

// stop returns how the reply ended, in our words.
func (r *reference) stop() ikigai.StopReason {
	switch {
	case r.failed || r.finish == "":
		return ""
	case r.finish == "length":
		return ikigai.StopLength
	case r.finish == "content_filter":
		return ikigai.StopFilter
	case len(r.calls) > 0:
		return ikigai.StopToolCalls
	}
	return ikigai.StopEnd
}

// Every recorded reply in the dialect decodes to what a second reading of it
// says, whole and in pieces. S1.12, S1.13, S1.17, S2.16, S2.75, P30, P31.
func TestRecorded(t *testing.T) {
	var tally providertest.Tally
	streams, failed, incomplete := 0, 0, 0
	for _, rec := range providertest.Recordings(t, "openai.chat") {
		if rec.Status != http.StatusOK {
			tally.Leave(fmt.Sprintf("refused with status %d", rec.Status))
			continue
		}
		name := fmt.Sprintf("%s (%s)", rec.Name, rec.Provider)
		tally.Try(t, name, func(t *testing.T) {
			want := readReference(t, rec.Body)
			got := collect(t, oneByteAfter(rec.Body, len(rec.Body)))
			compare(t, name, want, got)
			if rec.Metrics.ToolCalls > 0 && !rec.Has("chat:tool-call-without-index") && len(got.Calls) > rec.Metrics.ToolCalls {
				t.Errorf("%s: %d calls, the index has %d", name, len(got.Calls), rec.Metrics.ToolCalls)
			}
			if !rec.Stream {
				return
			}
			streams++
			switch {
			case want.failed:
				failed++
			case want.finish == "":
				incomplete++
				if ikigai.KindOf(got.Err) != ikigai.ErrorIncomplete {
					t.Errorf("%s has no end: %v", name, got.Err)
				}
			}
			if streams%race.Tenth == 0 {
				checkSplits(t, name, rec.Body, got.String())
			}
		})
	}
	tally.Report(t)
	t.Logf("%d streams, of which %d hold an error and %d have no end", streams, failed, incomplete)
	if providertest.Known(t) && (streams < 300 || failed < 1 || incomplete < 3) {
		t.Error("some recordings are missing")
	}
}

func compare(t *testing.T, name string, want reference, got providertest.Reply) {
	t.Helper()
	if got.Text != want.text || got.Thinking != want.thinking || got.Refusal != want.refusal {
		t.Errorf("%s: text %q, thinking %q, refusal %q; want %q, %q, %q", name, got.Text, got.Thinking, got.Refusal, want.text, want.thinking, want.refusal)
	}
	if diff := cmp.Diff(want.calls, got.Calls); diff != "" {
		t.Errorf("%s: calls (-want +got):\n%s", name, diff)
	}
	if got.Stop != want.stop() || (got.Err == nil) != (want.stop() != "") {
		t.Errorf("%s: stop %q, error %v; want stop %q", name, got.Stop, got.Err, want.stop())
	}
	var usage ikigai.Usage
	if got.Usage != nil {
		usage = *got.Usage
	}
	if output := usage.Output; float64(usage.Input) != want.input ||
		float64(output) != want.output && float64(output-usage.Reasoning) != want.output {
		t.Errorf("%s: usage %+v; want %v and %v", name, usage, want.input, want.output)
	}
}

// checkSplits decodes stream byte by byte, and in two pieces: at every byte
// where it is short, and at every byte of its ends and some between them where
// it is long.
func checkSplits(t *testing.T, name, stream, want string) {
	t.Helper()
	if got := collect(t, oneByteAfter(stream, 0)).String(); got != want {
		t.Errorf("%s, byte by byte:\n%s", name, cmp.Diff(want, got))
		return
	}
	const short, edge = 400, 20
	random := rand.New(rand.NewPCG(1, 2))
	for i := 1; i < len(stream); i++ {
		if len(stream) > short && i > edge && i < len(stream)-edge && random.IntN(len(stream)) > 6 {
			continue
		}
		if got := collect(t, []string{stream[:i], stream[i:]}).String(); got != want {
			t.Errorf("%s, split at %d:\n%s", name, i, cmp.Diff(want, got))
			return
		}
	}
}

// oneByteAfter returns the first n bytes of s and then each byte.
func oneByteAfter(s string, n int) []string {
	pieces := []string{s[:n]}
	for ; n < len(s); n++ {
		pieces = append(pieces, s[n:n+1])
	}
	return pieces
}
