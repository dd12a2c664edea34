package history_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/provider"
	"ikigai/internal/provider/openai"
)

// blobs is a store of blobs.
type blobs map[string][]byte

func (b blobs) Blob(_ context.Context, hash string) ([]byte, error) { return b[hash], nil }

// What went over the wire is rebuilt from the log, byte for byte, and each
// request costs the log what is new in it.
func TestWhatWasSent(t *testing.T) {
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	model := openai.New(provider.Config{Name: "acme/x", Model: "x", BaseURL: server.URL})

	line, stored := history.New(ikigai.Main), blobs{}
	var events []ikigai.Event
	all := func(yield func(ikigai.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
	add := func(added ...ikigai.Event) {
		for _, e := range added {
			e.Seq = ikigai.Seq(len(events) + 1)
			line.Add(e)
			for _, b := range e.Blobs {
				stored[b.Hash] = b.Bytes
			}
			e.Blobs = nil
			events = append(events, e)
		}
	}
	sent := map[ikigai.Seq][]byte{}
	ask := func(choice ikigai.ToolChoice, most int) {
		t.Helper()
		req := line.Request()
		req.ToolChoice = choice
		var e ikigai.Event
		req.Sending = func(s ikigai.Sent) { e = line.Sent("acme/x", choice, s) }
		for _, err := range model.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
		}
		add(e)
		sent[ikigai.Seq(len(events))] = bytes.Clone(body)
		if n := len(e.Data); n > most {
			t.Errorf("the event of request %d, of %d bytes, has %d bytes", len(events), len(body), n)
		}
	}
	event := func(kind ikigai.Kind, content string, data any) ikigai.Event {
		return ikigai.NewEvent(kind, content, data)
	}
	none := ikigai.ToolChoice{Mode: ikigai.ToolChoiceNone}

	add(event(ikigai.KindSystem, "You help.\n<b>", nil),
		event(ikigai.KindTools, "", ikigai.ToolsData{Tools: []ikigai.ToolSpec{{Name: "bash", Description: "Runs \"it\"."}}}),
		event(ikigai.KindUser, "Begin: ü 日本 \x01 \"quoted\"\n", nil))
	for i := range 30 {
		ask(ikigai.ToolChoice{}, 800)
		id := fmt.Sprintf("call_%d", i)
		add(event(ikigai.KindAssistant, "I look.", nil),
			ikigai.Message{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: id, Name: "bash", Arguments: fmt.Sprintf(`{"command": "echo \"%d\" | cat"}`, i)}}.Event(),
			ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{
				CallID: id, Name: "bash", Output: fmt.Sprintf(`{"output":"%s\u001b\t"}`, bytes.Repeat(fmt.Appendf(nil, `%d\n`, i), 700)), Note: "It took long.",
			}}.Event())
	}
	ask(none, 800)
	line = history.New(ikigai.Main) // another process
	for _, e := range events {
		line.Add(e)
	}
	add(event(ikigai.KindUser, "Go on.", nil))
	ask(ikigai.ToolChoice{}, 800)
	add(event(ikigai.KindRewind, "", ikigai.RewindData{To: 40}), event(ikigai.KindUser, "Otherwise.", nil))
	ask(ikigai.ToolChoice{}, 900)
	add(event(ikigai.KindClear, "", nil), event(ikigai.KindUser, "Anew.", nil))
	ask(ikigai.ToolChoice{}, 800)
	for seq, want := range sent {
		got, err := history.Rebuild(t.Context(), all, stored, seq)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("request %d: %v\n%s\nwas sent, rebuilt is\n%s", seq, err, want, got)
		}
	}
	if len(stored) != 3 { // tools with and without a choice, system prompt
		t.Errorf("%d blobs", len(stored))
	}
}
