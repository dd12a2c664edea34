package scriptserver_test

import (
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/provider/textmode"
	"ikigai/internal/providertest"
	"ikigai/internal/scriptserver"
)

const sides = `
user: Fix it
say: I am the main one.
side: objective bug
say: A bug was named.
side: objective
say: {{user /^\w+/}} is wanted.
side: task
call: bash {"command": "ls"}
reply:
expect: a.go
expect-not: Objective
expect-feedback: Turn 1/5
expect-feedback: /^Tools Used: bash\(1: 1. 0.\)$/
say: {{result.output}}, {{output}}, {{feedback /^Current Objective: (.*)/ $1}}.
reply:
say: That was all.
`

// models are the four vendors.
func models(url string) map[string]ikigai.Model {
	all := map[string]ikigai.Model{}
	for _, v := range vendors[:4] {
		_, model, _ := strings.Cut(v.name, "/")
		all[v.name] = v.new(provider.Config{Name: v.name, Model: model, BaseURL: url, MaxAttempts: 1})
	}
	return all
}

func start(t *testing.T, script string) *scriptserver.Server {
	t.Helper()
	s, err := scriptserver.Parse("test.script", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	server, err := scriptserver.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// asked returns a request with the given system prompt and conversation.
func asked(system string, conversation ...ikigai.Message) ikigai.Request {
	return ikigai.Request{
		Messages: append([]ikigai.Message{{Kind: ikigai.KindSystem, Content: system}}, conversation...),
		Tools:    []ikigai.ToolSpec{{Name: "bash", Description: "runs", Schema: []byte(`{"type":"object"}`)}},
	}
}

func said(text string) ikigai.Message { return ikigai.Message{Kind: ikigai.KindUser, Content: text} }

// round is a call and its result, with what is told beside it.
func round(call ikigai.ToolCall, vendor ikigai.VendorState) []ikigai.Message {
	return []ikigai.Message{
		{Kind: ikigai.KindToolCall, Call: &call, Vendor: vendor},
		{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{
			CallID: call.ID, Name: call.Name, Success: true, Output: `{"output":"a.go\n","exit_code":0}`, Note: "It ran.",
			Feedback: "Tool results feedback:\nTurn 1/5\nCurrent Objective: List b.go\nTools Used: bash(1: 1✓ 0✗)",
		}},
	}
}

// Whatever vendor is asked, side interactions are answered from their own parts
// alone, and the others from theirs.
func TestSide(t *testing.T) {
	server := start(t, sides)
	for name, model := range models(server.URL) {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			for _, tt := range []struct{ system, said, want string }{
				{"You help.", "Fix it", "I am the main one."},
				{"Side task: objective. Name it.", "Fix it", "Fix is wanted."},
				{"Side task: objective. Name it.", "Fix the bug", "A bug was named."},
				{"Side task: commit. Write it.", "Fix it", "the script has no side: commit. Add one, or do without."},
				{"You help.", "the bug", `no statement is for "the bug".`},
				{"A Side task: objective.", "the bug", `no statement is for "the bug".`},
			} {
				r := providertest.Collect(t, model, asked(tt.system, said(tt.said)))
				if got := r.String(); !strings.Contains(got, tt.want) {
					t.Errorf("%s %s: %s", tt.system, tt.said, got)
				}
				if r.Err != nil && ikigai.KindOf(r.Err) != ikigai.ErrorBadRequest {
					t.Errorf("%s: %v", tt.system, ikigai.KindOf(r.Err))
				}
			}
		})
	}
}

// A child has several turns, and what is told of the statement beside its
// results is neither searched nor quoted with them.
func TestSideTurns(t *testing.T) {
	server := start(t, sides)
	for name, model := range models(server.URL) {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			req := asked("Side task: task. Work.", said("Look"))
			first := providertest.Collect(t, model, req)
			if first.Err != nil || len(first.Calls) != 1 {
				t.Fatal(first)
			}
			req.Messages = append(req.Messages, round(first.Calls[0], first.Vendor)...)
			if second := providertest.Collect(t, model, req); second.Text != "a.go\n, a.go, List b.go." {
				t.Error(second, server.Refused())
			}
		})
	}
}

// Where tools are presented as text, feedback is no part of what is looked for
// among the statements.
func TestFeedbackInText(t *testing.T) {
	server := start(t, "user: List b.go\nsay: I list.\nuser: /exit_code/\nsay: {{user}}")
	model := textmode.New(models(server.URL)["acme/chat"], textmode.Options{})
	req := asked("You help.", said("List b.go"))
	req.Messages = append(req.Messages, round(ikigai.ToolCall{ID: "1", Name: "bash", Arguments: "{}"}, nil)...)
	want := `{"tool":"bash","result":{"output":"a.go\n","exit_code":0}}` + "\n\nIt ran."
	if r := providertest.Collect(t, model, req); r.Text != want {
		t.Errorf("%s", r)
	}
}

// Wherever a wire has feedback, it stands behind what a vendor may have kept.
func TestFeedbackComesLast(t *testing.T) { // D17, P27
	server := start(t, "user: *\nsay: Yes.")
	for name, model := range models(server.URL) {
		req := asked("You help.", said("List b.go"))
		req.Messages = append(req.Messages, round(ikigai.ToolCall{ID: "call_9", Name: "bash", Arguments: "{}"}, nil)...)
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) { providertest.CheckFeedback(t, model, req) })
		t.Run(strings.ReplaceAll(name, "/", " ")+" in text", func(t *testing.T) {
			providertest.CheckFeedback(t, textmode.New(model, textmode.Options{}), req)
		})
	}
}

// A request that is too long is refused in each vendor's words, whatever it is
// about, and what a shorter one has cost is measured alike.
func TestContext(t *testing.T) {
	server := start(t, "context: 500\n"+sides)
	for name, model := range models(server.URL) {
		for _, system := range []string{"You help.", "Side task: objective. Name it."} {
			t.Run(strings.ReplaceAll(name, "/", " ")+" "+system, func(t *testing.T) {
				var size int64
				req := asked(system, said("Fix it"))
				req.Sending = func(s ikigai.Sent) { size = s.Size }
				r := providertest.Collect(t, model, req)
				if r.Err != nil || r.Usage == nil || r.Usage.Input != (size+3)/4 {
					t.Errorf("%d bytes: %s", size, r)
				}
				req.Messages[1].Content += strings.Repeat(".", int(500*4-size))
				if r = providertest.Collect(t, model, req); r.Err != nil || size != 500*4 {
					t.Errorf("%d bytes: %s", size, r)
				}
				req.Messages[1].Content += "."
				if r = providertest.Collect(t, model, req); ikigai.KindOf(r.Err) != ikigai.ErrorContext {
					t.Errorf("%d bytes: %s", size, r)
				}
			})
		}
	}
	if refused := server.Refused(); len(refused) > 0 {
		t.Errorf("noted: %v", refused)
	}
}

func TestHasSide(t *testing.T) {
	s, err := scriptserver.Parse("", []byte(sides))
	if err != nil {
		t.Fatal(err)
	}
	if !s.HasSide(ikigai.PurposeTask) || s.HasSide(ikigai.PurposeCommit) {
		t.Error("HasSide")
	}
	if got := strings.Join(s.Statements(), ";"); got != "Fix it" {
		t.Errorf("statements: %s", got)
	}
}
