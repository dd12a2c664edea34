package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

// exchange sends req to a vendor that answers with stream. It returns the body
// that was sent, and the reply.
func exchange(t *testing.T, quirks provider.Quirks, req ikigai.Request, stream string) (string, providertest.Reply) {
	t.Helper()
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		io.WriteString(w, stream)
	}))
	defer server.Close()
	model := New(provider.Config{Name: "acme/x", Model: "x", BaseURL: server.URL, MaxAttempts: 1, Quirks: quirks})
	reply := providertest.Collect(t, model, req)
	return string(body), reply
}

func TestQuirksOfRequests(t *testing.T) {
	quirks := provider.Quirks{
		MaxOutput: "max_tokens", NoUsageOption: true,
		Body: map[string]json.RawMessage{"top_k": json.RawMessage("1"), "reasoning": json.RawMessage(`{"effort": "low"}`)},
	}
	req := ikigai.Request{MaxOutput: 9, Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}}
	got, _ := exchange(t, quirks, req, "")
	want := `{"model":"x","stream":true,"max_tokens":9,"reasoning":{"effort":"low"},"top_k":1,"messages":[{"role":"user","content":"hi"}]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Snowflake ends its streams with [DONE] alone.
func TestDoneIsEnd(t *testing.T) {
	const text = `data: {"choices":[{"index":0,"delta":{"content":"A"}}]}` + "\n\n"
	for _, tt := range []struct {
		doneIsEnd bool
		stream    string
		whole     bool
	}{
		{true, text + "data: [DONE]\n\n", true},
		{true, text, false}, // P30
		{false, text + "data: [DONE]\n\n", false},
	} {
		_, r := exchange(t, provider.Quirks{DoneIsEnd: tt.doneIsEnd}, ikigai.Request{}, tt.stream)
		if whole := r.Err == nil; whole != tt.whole || !whole && ikigai.KindOf(r.Err) != ikigai.ErrorIncomplete {
			t.Errorf("%+v: %s", tt, r)
		}
	}
}

// P5: an ID that the vendor does not take is another one, the same for the call
// and its result, in every request.
func TestCallIDLength(t *testing.T) {
	cfg := provider.Config{Quirks: provider.Quirks{CallIDLength: 9}}
	long := callID(cfg, "call_PTLP8xhu3uwZk4l3nlnrrJha")
	if len(long) != 9 || strings.Trim(long, alphanumeric) != "" || long == callID(cfg, "call_PTLP8xhu3uwZk4l3nlnrrJhb") {
		t.Errorf("got %q", long)
	}
	for _, id := range []string{"aB3dE6gH9", long} {
		if got := callID(cfg, id); got != id {
			t.Errorf("%q became %q", id, got)
		}
	}
	if got := callID(provider.Config{}, "call_1"); got != "call_1" {
		t.Errorf("without the quirk: %q", got)
	}
	req := ikigai.Request{Messages: []ikigai.Message{
		{Kind: ikigai.KindUser, Content: "u"},
		{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "call_1", Name: "f"}},
		{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "call_1", Name: "f", Output: "{}"}},
	}}
	got, _ := exchange(t, cfg.Quirks, req, "")
	if id := callID(cfg, "call_1"); strings.Count(got, `"`+id+`"`) != 2 || strings.Contains(got, "call_1") {
		t.Errorf("sent %s", got)
	}
}

// What a vendor wants back comes back to it, and to nobody else.
func TestReplay(t *testing.T) {
	stream := `data: {"choices":[{"index":0,"delta":{"reasoning":"a","reasoning_content":"b","reasoning_details":[{"type":"reasoning.text","index":0,"text":"c","signature":null}]}}]}

data: {"choices":[{"index":0,"delta":{"reasoning_content":"<b>","reasoning_details":[{"type":"reasoning.text","index":0,"text":"d","signature":"s"},{"type":"reasoning.encrypted","index":1,"data":"e"}]}}]}

data: {"choices":[{"index":0,"delta":{"content":"A","tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}

data: [DONE]

`
	quirks := provider.Quirks{Replay: []string{"reasoning_content", "reasoning_details"}}
	req := ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}}
	_, r := exchange(t, quirks, req, stream)
	if r.Thinking != "b<b>" || r.Stop != ikigai.StopToolCalls {
		t.Errorf("%s", r)
	}
	req.Messages = append(req.Messages, ikigai.Message{Kind: ikigai.KindToolCall, Call: &r.Calls[0], Vendor: r.Vendor},
		ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "1", Output: "ok"}})
	got, _ := exchange(t, quirks, req, stream)
	const head = `{"model":"x","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null`
	const tail = `,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"ok"}]}`
	want := head + `,"reasoning_content":"b<b>","reasoning_details":[{"index":0,"signature":"s","text":"cd","type":"reasoning.text"},{"data":"e","index":1,"type":"reasoning.encrypted"}]` + tail
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// P4: to another model it says nothing. One that wants its reasoning back
	// refuses a reply without any.
	req.Messages[1].Vendor = ikigai.VendorState{"other/x": r.Vendor["acme/x"]}
	if got, _ := exchange(t, quirks, req, stream); got != head+`,"reasoning_content":""`+tail {
		t.Errorf("sent to another: %s", got)
	}
	// Nor where the vendor does not ask for it.
	if _, r := exchange(t, provider.Quirks{}, req, stream); r.Vendor != nil {
		t.Errorf("kept: %s", r.Vendor)
	}
}

// Mistral's thinking is a part of the content, and comes back as one.
func TestReplayContent(t *testing.T) {
	stream := `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]}}]}

data: {"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"m."}]}]}}]}

data: {"choices":[{"index":0,"delta":{"content":"A<"}}]}

data: {"choices":[{"index":0,"delta":{"content":"B"},"finish_reason":"stop"}]}

`
	quirks := provider.Quirks{Replay: []string{"content"}}
	req := ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}}
	_, r := exchange(t, quirks, req, stream)
	if r.Thinking != "Hmm." || r.Text != "A<B" {
		t.Errorf("%s", r)
	}
	for _, tt := range []struct {
		reply []ikigai.Message
		want  string
	}{
		{[]ikigai.Message{{Kind: ikigai.KindAssistant, Content: r.Text, Vendor: r.Vendor}},
			`"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hmm."}]},{"type":"text","text":"A<B"}]}`},
		{[]ikigai.Message{{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: "1", Name: "f"}, Vendor: r.Vendor},
			{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: "1"}}},
			`"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hmm."}]}],"tool_calls":`},
		{[]ikigai.Message{{Kind: ikigai.KindAssistant, Content: r.Text}}, `"content":"A<B"}`},
	} {
		req.Messages = append(req.Messages[:1], tt.reply...)
		if got, _ := exchange(t, quirks, req, stream); !strings.Contains(got, `{"role":"assistant",`+tt.want) {
			t.Errorf("want %s in %s", tt.want, got)
		}
	}
}

// Annotations are returned where the vendor takes them, and nowhere else.
func TestReplayAnnotations(t *testing.T) {
	const stream = `data: {"choices":[{"index":0,"delta":{"content":"A","annotations":[{"type":"url_citation"}]}}]}

data: {"choices":[{"index":0,"delta":{"annotations":[{"type":"other"}]},"finish_reason":"stop"}]}

`
	for quirk, want := range map[string]string{
		"annotations": `{"role":"assistant","content":"A","annotations":[{"type":"url_citation"},{"type":"other"}]}`,
		"reasoning":   `{"role":"assistant","content":"A"}`,
	} {
		quirks := provider.Quirks{Replay: []string{quirk}}
		req := ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}}
		_, r := exchange(t, quirks, req, stream)
		req.Messages = append(req.Messages, ikigai.Message{Kind: ikigai.KindAssistant, Content: r.Text, Vendor: r.Vendor})
		if got, _ := exchange(t, quirks, req, stream); !strings.Contains(got, want) {
			t.Errorf("want %s in %s", want, got)
		}
	}
}

// S1.8: the choice of a tool that is not there goes to no vendor.
func TestUnknownChoice(t *testing.T) {
	req := ikigai.Request{
		Tools:      []ikigai.ToolSpec{{Name: "bash"}},
		ToolChoice: ikigai.ParseToolChoice("bsh"),
		Sending:    func(ikigai.Sent) { t.Error("sent") },
	}
	body, r := exchange(t, provider.Quirks{}, req, "")
	if want := `There is no tool named "bsh" to choose. Choose auto, none, required or the name of a tool that is offered.`; body != "" || r.Err == nil || r.Err.Error() != want {
		t.Errorf("%q, %v", body, r.Err)
	}
}

// A request is announced once, though it is sent several times.
func TestSendingOnce(t *testing.T) {
	tries, told := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			w.Header().Set("retry-after-ms", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		io.WriteString(w, `{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	model := New(provider.Config{Name: "acme/x", Model: "x", BaseURL: server.URL})
	r := providertest.Collect(t, model, ikigai.Request{Sending: func(ikigai.Sent) { told++ }})
	if tries != 2 || told != 1 || len(r.Retries) != 1 || r.Text != "A" {
		t.Errorf("%d attempts, told %d times: %s", tries, told, r)
	}
}

// S2.34, P27: a turn adds to the conversation; what was there stays where it
// is, whatever becomes of the head.
func TestPrefix(t *testing.T) {
	all := append([]ikigai.Message{{Kind: ikigai.KindSystem, Content: "s"}, {Kind: ikigai.KindUser, Content: "u"}}, turns(50)...)
	memo := new(ikigai.Memo)
	tools := []ikigai.ToolSpec{{Name: "bash"}}
	var before int64
	for n := 2; n <= len(all); n += 3 {
		req := ikigai.Request{Messages: all[:n], Tools: tools, Memo: memo}
		if n%2 == 0 {
			req.ToolChoice.Mode = ikigai.ToolChoiceNone
		}
		_, sent := encode(req)
		conversation := bytes.Join(sent.Conversation, nil)
		if before > 0 && sent.Kept != before-int64(sent.Closing) {
			t.Fatalf("%d messages: %d of %d bytes kept", n, sent.Kept, before)
		}
		if before = int64(len(conversation)); !bytes.HasSuffix(conversation, []byte("}]}")) || sent.Closing != len("]}") {
			t.Fatalf("%d messages: %d bytes close %s", n, sent.Closing, conversation)
		}
		if len(sent.Head) != 2 || string(sent.Head[1]) != `{"role":"system","content":"s"},` {
			t.Fatalf("%d messages: head %q", n, sent.Head)
		}
	}
}
