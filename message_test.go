package ikigai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// S2.4, S2.6, S2.7, S2.8, S2.37, S2.38, S2.39, S2.44: the events of the seed's
// example have exactly its form.
func TestEventsHaveTheSeedsForm(t *testing.T) {
	tests := []struct {
		message ikigai.Message
		data    string
	}{
		{ikigai.Message{Kind: ikigai.KindUser, Content: "List the C files"}, ``},
		{ikigai.Message{Kind: ikigai.KindAssistant, Content: "Here they are."}, ``},
		{ikigai.Message{Kind: ikigai.KindSystem, Content: "Be brief."}, ``},
		{
			ikigai.Message{Kind: ikigai.KindToolCall, Content: `glob(pattern="*.c", path="src/")`,
				Call: &ikigai.ToolCall{ID: "call_abc123", Name: "glob", Arguments: `{"pattern":"*.c","path":"src/"}`}},
			`{"id":"call_abc123","type":"function","function":{"name":"glob","arguments":"{\"pattern\":\"*.c\",\"path\":\"src/\"}"}}`,
		},
		{
			ikigai.Message{Kind: ikigai.KindToolResult, Content: "3 files found",
				Result: &ikigai.ToolResult{CallID: "call_abc123", Name: "glob", Success: true,
					Output: `{"output":"file1.c\nfile2.c\nfile3.c","count":3}`}},
			`{"tool_call_id":"call_abc123","name":"glob","output":"{\"output\":\"file1.c\\nfile2.c\\nfile3.c\",\"count\":3}","success":true,"ms":0}`,
		},
	}
	for _, test := range tests {
		e := test.message.Event()
		if e.Kind != test.message.Kind || e.Content != test.message.Content {
			t.Errorf("%s: event %+v", test.message.Kind, e)
		}
		if diff := cmp.Diff(test.data, string(e.Data)); diff != "" {
			t.Errorf("%s: data (-want +got)\n%s", test.message.Kind, diff)
		}
		back, err := e.Message()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.message, back); diff != "" { // S2.9
			t.Errorf("%s: back (-want +got)\n%s", test.message.Kind, diff)
		}
	}
}

// S2.5: these five are the kinds of the conversation, and no others.
func TestKindsOfTheConversation(t *testing.T) {
	conversation := map[ikigai.Kind]bool{"system": true, "user": true, "assistant": true, "tool_call": true, "tool_result": true}
	for _, kind := range []ikigai.Kind{"system", "user", "assistant", "tool_call", "tool_result", ikigai.KindSession, ikigai.KindTools,
		ikigai.KindRequest, ikigai.KindUsage, ikigai.KindThinking, ikigai.KindChange, ikigai.KindApproval,
		ikigai.KindInterrupted, ikigai.KindError, "something else"} {
		if kind.Conversation() != conversation[kind] {
			t.Errorf("%s: %v", kind, kind.Conversation())
		}
		if _, err := (ikigai.Event{Kind: kind}).Message(); (err == nil) != conversation[kind] {
			t.Errorf("%s as a message: %v", kind, err)
		}
	}
}

// S2.40: a reader accepts a plain string for the output.
func TestPlainOutput(t *testing.T) {
	e := ikigai.Event{Kind: ikigai.KindToolResult, Data: json.RawMessage(`{"tool_call_id":"1","output":"just text","success":true}`)}
	if m, err := e.Message(); err != nil || m.Result.Output != "just text" {
		t.Errorf("got %+v, %v", m.Result, err)
	}
}

// S1.26, D11, S2.41: failures have one form, in which an error is told from a
// result by what it holds and by success.
func TestFailure(t *testing.T) {
	f := ikigai.Failure(ikigai.CodeDenied, "File not found: /x <y>", "Check the path exists")
	if !f.Failed || f.Output[0].Text != `{"error":"File not found: /x <y>. Check the path exists.","error_code":"DENIED"}` {
		t.Errorf("got %+v", f)
	}
	err := fmt.Errorf("wrapped: %w", &ikigai.Error{Kind: ikigai.ErrorAuth, What: "The key was refused", Do: "Check it", Err: os.ErrInvalid})
	if ikigai.KindOf(err) != ikigai.ErrorAuth || !errors.Is(err, os.ErrInvalid) || !strings.Contains(err.Error(), "The key was refused. Check it.") {
		t.Errorf("got %v", err)
	}
}

// S1.5, S1.6, S1.7, S1.8: all forms of a tool choice are written and read.
func TestToolChoice(t *testing.T) {
	for _, s := range []string{"auto", "none", "required", "bash"} {
		if got := ikigai.ParseToolChoice(s).String(); got != s {
			t.Errorf("%s became %s", s, got)
		}
	}
	if c := ikigai.ParseToolChoice("bash"); c.Mode != ikigai.ToolChoiceNamed || c.Name != "bash" {
		t.Errorf("got %+v", c)
	}
}

// FuzzCleanText: the result is text that every store and vendor takes, and
// clean text stays as it is.
func FuzzCleanText(f *testing.F) {
	f.Add("plain")
	f.Add("a\x00b\xff\xc3")
	f.Fuzz(func(t *testing.T, s string) {
		got := ikigai.CleanText(s)
		if !utf8.ValidString(got) || strings.ContainsRune(got, 0) {
			t.Errorf("%q became %q", s, got)
		}
		if utf8.ValidString(s) && !strings.ContainsRune(s, 0) && got != s {
			t.Errorf("clean %q became %q", s, got)
		}
	})
}

// FuzzCleanJSON: valid JSON stays valid and decodes to the same value, but for
// NUL and lone surrogates, which no longer occur. P2
func FuzzCleanJSON(f *testing.F) {
	f.Add(`{"a":"\ud83d\ude00 \ud800 \u0000 \\ud800 \\\u0000"}`)
	f.Add(`"\ud800\ud800\udc00"`)
	f.Add(`"\uDC00"`)
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) || !utf8.ValidString(s) {
			ikigai.CleanJSON(s) // must not panic
			return
		}
		got := ikigai.CleanJSON(s)
		var before, after any
		if err := decode(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", s, got, err)
		}
		if err := decode(s, &before); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(withoutNUL(before), after); diff != "" {
			t.Errorf("%q became %q: %s", s, got, diff)
		}
		if again := ikigai.CleanJSON(got); again != got {
			t.Errorf("%q is not stable: %q", got, again)
		}
	})
}

// decode decodes JSON with numbers as they are written.
func decode(s string, v any) error {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	return d.Decode(v)
}

// withoutNUL returns a decoded JSON value with U+FFFD in place of NUL.
func withoutNUL(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", "\uFFFD")
	case []any:
		for i := range v {
			v[i] = withoutNUL(v[i])
		}
	case map[string]any:
		clean := map[string]any{}
		for name, value := range v {
			clean[withoutNUL(name).(string)] = withoutNUL(value)
		}
		return clean
	}
	return v
}
