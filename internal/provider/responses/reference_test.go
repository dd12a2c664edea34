package responses

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ikigai"
)

// reference is a second, simple reading of a reply, to hold the decoder
// against: all of it at once, maps and concatenation.
type reference struct {
	text, thinking, refusal string
	calls                   []ikigai.ToolCall
	input, output           float64
	status, reason          string
	failed                  bool
	items                   []*refItem
}

type refItem struct {
	index, kind string
	text        string // or arguments
	thinking    []refPiece
	whole       map[string]any
}

type refPiece struct {
	list, text string
	part       any
}

func readReference(t *testing.T, body string) *reference {
	r := &reference{}
	body = strings.ReplaceAll(body, "\r\n", "\n")
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		r.event(t, body)
	} else {
		for line := range strings.Lines(body) {
			field, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ":")
			value = strings.TrimSpace(value)
			if field == "data" && value != "[DONE]" && r.status == "" && !r.failed {
				r.event(t, value)
			}
		}
	}
	r.join()
	return r
}

func (r *reference) event(t *testing.T, data string) {
	var e map[string]any
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	kind := asString(e["type"])
	switch {
	case kind == "error" || kind == "" && e["error"] != nil:
		r.failed = true
	case kind == "" && e["object"] == "response":
		r.end(e)
	case kind == "response.completed" || kind == "response.incomplete" || kind == "response.failed":
		r.end(e["response"].(map[string]any))
	case kind == "response.output_item.added":
		item := e["item"].(map[string]any)
		r.items = append(r.items, &refItem{index: asJSON(e["output_index"]), kind: asString(item["type"])})
	case kind == "response.output_item.done":
		item := e["item"].(map[string]any)
		r.item(e, asString(item["type"])).whole = item
	case kind == "response.output_text.delta" || kind == "response.refusal.delta":
		r.item(e, "message").text += asString(e["delta"])
	case kind == "response.function_call_arguments.delta":
		r.item(e, "function_call").text += asString(e["delta"])
	case kind == "response.reasoning_summary_text.delta":
		it := r.item(e, "reasoning")
		it.thinking = append(it.thinking, refPiece{"summary", asString(e["delta"]), e["summary_index"]})
	case kind == "response.reasoning_text.delta":
		it := r.item(e, "reasoning")
		it.thinking = append(it.thinking, refPiece{"content", asString(e["delta"]), e["content_index"]})
	}
}

// item returns the last item of a kind under the index of an event.
func (r *reference) item(e map[string]any, kind string) *refItem {
	for _, it := range slices.Backward(r.items) {
		if it.kind == kind && it.index == asJSON(e["output_index"]) {
			return it
		}
	}
	r.items = append(r.items, &refItem{index: asJSON(e["output_index"]), kind: kind})
	return r.items[len(r.items)-1]
}

func (r *reference) end(response map[string]any) {
	r.status = asString(response["status"])
	if details, ok := response["incomplete_details"].(map[string]any); ok {
		r.reason = asString(details["reason"])
	}
	if usage, ok := response["usage"].(map[string]any); ok {
		r.input, _ = usage["input_tokens"].(float64)
		r.output, _ = usage["output_tokens"].(float64)
	}
	output, _ := response["output"].([]any)
	came := slices.Clone(r.items)
	for _, item := range output {
		item := item.(map[string]any)
		kind := asString(item["type"])
		at := slices.IndexFunc(came, func(it *refItem) bool { return it.kind == kind })
		switch {
		case at < 0:
			r.items = append(r.items, &refItem{kind: kind, whole: item})
			continue
		case came[at].whole == nil:
			came[at].whole = item
		}
		came = slices.Delete(came, at, at+1)
	}
}

// join puts what the items say together.
func (r *reference) join() {
	for _, it := range r.items {
		switch it.kind {
		case "message":
			whole, refusal := "", ""
			content, _ := it.whole["content"].([]any)
			for _, p := range content {
				p := p.(map[string]any)
				whole += asString(p["text"])
				refusal += asString(p["refusal"])
			}
			r.text += longer(it.text, whole)
			r.refusal += refusal
		case "function_call":
			r.calls = append(r.calls, ikigai.ToolCall{
				ID: asString(it.whole["call_id"]), Name: asString(it.whole["name"]),
				Arguments: longer(it.text, asString(it.whole["arguments"])),
			})
		case "reasoning":
			r.think(it)
		}
	}
}

// longer returns whole where it goes on with pieces, and pieces otherwise.
func longer(pieces, whole string) string {
	if strings.HasPrefix(whole, pieces) {
		return whole
	}
	return pieces
}

func (r *reference) think(it *refItem) {
	pieces := it.thinking
	for _, list := range []string{"summary", "content"} {
		parts, _ := it.whole[list].([]any)
		for i, p := range parts {
			if len(it.thinking) == 0 && (len(pieces) == 0 || pieces[0].list == list) {
				pieces = append(pieces, refPiece{list, asString(p.(map[string]any)["text"]), float64(i)})
			}
		}
	}
	for i, p := range pieces {
		if p.list != pieces[0].list {
			continue
		}
		if r.thinking != "" && (i == 0 || p.part != pieces[i-1].part) {
			r.thinking += "\n\n"
		}
		r.thinking += p.text
	}
}

// stop returns how the reply ended, in our words.
func (r *reference) stop() ikigai.StopReason {
	switch {
	case r.failed:
		return ""
	case r.status == "incomplete" && r.reason == "content_filter":
		return ikigai.StopFilter
	case r.status == "incomplete":
		return ikigai.StopLength
	case r.status != "completed":
		return ""
	case len(r.calls) > 0:
		return ikigai.StopToolCalls
	}
	return ikigai.StopEnd
}

func asString(v any) string {
	s, _ := v.(string)
	return s
}

func asJSON(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}
