package responses

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
	"ikigai/internal/wirecheck"
)

// goesOn returns a conversation in which r was the reply, and goes on.
func goesOn(r providertest.Reply) ikigai.Request {
	all := append([]ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}, messagesOf(r)...)
	for _, c := range r.Calls {
		all = append(all, ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: c.ID, Name: c.Name, Output: "ok"}})
	}
	return ikigai.Request{Messages: append(all, ikigai.Message{Kind: ikigai.KindUser, Content: "go on"})}
}

// inputOf returns the items that are sent for req to a model with the given
// name. ids tells that those in it are made as OpenAI makes them.
func inputOf(t *testing.T, name string, req ikigai.Request, ids bool) []map[string]any {
	t.Helper()
	cfg := provider.Config{Name: name, Model: "m"}
	body, _ := provider.Encode(name, &wire{cfg}, req)
	raw := bytes.Join(body, nil)
	if err := wirecheck.Responses(raw); ids && err != nil {
		t.Errorf("%v in %s", err, raw)
	}
	var sent struct{ Input []map[string]any }
	if err := json.Unmarshal(raw, &sent); err != nil {
		t.Fatal(err)
	}
	return sent.Input
}

// Every recorded reply goes back to its own model as it came: each item in its
// place, with nothing in it that the vendor did not say. To another model go
// text and calls alone. P4.
func TestRepliesGoBack(t *testing.T) {
	replies, items, left := 0, 0, counts{}
	for _, rec := range providertest.Recordings(t, "openai.responses") {
		if noReply(rec) != "" || strings.Contains(rec.Name, "openai-shell-container") { // whose pieces are not what its item says
			continue
		}
		r := collect(t, []string{rec.Body})
		if r.Err != nil || r.Text+r.Refusal == "" && len(r.Calls) == 0 {
			continue
		}
		replies++
		came := readReference(t, rec.Body).items
		sent := inputOf(t, config.Name, goesOn(r), rec.Provider == "openai" || rec.Provider == "azure")
		for _, it := range sent[1 : len(sent)-1-len(r.Calls)] {
			for len(came) > 0 && !isFrom(it, came[0].whole) {
				left[came[0].kind]++
				came = came[1:]
			}
			if len(came) == 0 {
				t.Fatalf("%s: %v did not come", rec.Name, it)
			}
			came = came[1:]
			items++
		}
		for _, it := range came {
			left[it.kind]++
		}
		for _, it := range inputOf(t, "other/m", goesOn(r), true) {
			for name := range it {
				switch name {
				case "role", "content", "type", "call_id", "name", "arguments", "output":
				default:
					t.Errorf("%s: another model is told %s of %v", rec.Name, name, it)
				}
			}
		}
	}
	t.Logf("%d replies go back with %d items; left out:%s", replies, items, left)
	if providertest.Known(t) && (replies < 500 || left["message"] > 2 || left["function_call"] > 0) {
		t.Error("replies or items are missing")
	}
}

// isFrom reports whether an item says nothing but what came.
func isFrom(it, came map[string]any) bool {
	if it["type"] == nil && it["role"] == "assistant" {
		it["type"] = "message"
	}
	if it["type"] != came["type"] {
		return false
	}
	for name, value := range it {
		switch name {
		case "content":
			if saysOf(value) != saysOf(came[name]) {
				return false
			}
		case "arguments":
			if text, ok := came[name].(string); ok && text != value && text != "" {
				return false
			}
		default:
			if !cmp.Equal(value, came[name]) {
				return false
			}
		}
	}
	return true
}

// saysOf returns the texts of content, and what else is in it.
func saysOf(content any) string {
	if text, ok := content.(string); ok {
		return text
	}
	var b strings.Builder
	list, _ := content.([]any)
	for _, p := range list {
		p := p.(map[string]any)
		b.WriteString(asString(p["text"]) + asString(p["refusal"]))
	}
	return b.String()
}

// TestConversations sends random conversations, whose requests the vendor would
// take. P1, P6.
func TestConversations(t *testing.T) {
	for seed := range uint64(300) {
		req := randomRequest(seed)
		body, _ := encode(req)
		if err := wirecheck.Responses(body); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
	}
}
