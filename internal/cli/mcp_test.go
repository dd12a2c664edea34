package cli

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/mcp"
)

// Another agent calls our tools: input is checked, results are those that a model
// gets, every call is in the log before it runs, and what it changed can be taken
// back.
func TestServe(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: x\nsay: y\n")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	other := func(args ...string) (tools map[string]ikigai.Tool, close func()) {
		served := p.command(args...)
		c := mcp.New(mcp.Config{Dir: p.work, Env: served.Env, Notice: func(text string) { t.Log(text) },
			Servers: map[string]mcp.Server{"us": {Command: served.Path, Args: args}}})
		connect(ctx, t, c)
		tools = map[string]ikigai.Tool{}
		for _, tool := range c.Tools() {
			tools[strings.TrimPrefix(tool.Name, "mcp__us__")] = tool
		}
		return tools, c.Close
	}
	tools, end := other("mcp", "serve")
	call := func(name, args, want string) {
		t.Helper()
		r := tools[name].Run(ctx, ikigai.Call{Args: json.RawMessage(args)})
		if got := r.Output[0].Text; got != want {
			t.Errorf("%s %s: %s, want %s", name, args, got, want)
		}
	}
	call("bash", `{"command":"echo hi; echo more > by-bash.txt"}`, `{"output":"hi\n","exit_code":0}`)
	call("file_write", `{"path":"new.txt","content":"x"}`, `{"output":"Wrote 1 bytes to new.txt","bytes":1}`)
	r := tools["bash"].Run(ctx, ikigai.Call{Args: json.RawMessage(`{"cmd":"x"}`)})
	if !r.Failed || !strings.Contains(r.Output[0].Text, "command is missing; cmd is not a parameter") {
		t.Errorf("%+v", r)
	}
	end()
	calls := 0
	for _, e := range p.log() {
		if e.Kind == ikigai.KindToolCall {
			calls++
		}
	}
	if calls != 3 {
		t.Errorf("%d calls are in the log", calls)
	}
	for _, name := range []string{"new.txt", "by-bash.txt"} {
		p.run(exitAnswered, "undo")
		if _, err := os.Stat(p.file(name)); err == nil {
			t.Errorf("%s was not taken back", name)
		}
	}
	tools, end = other("mcp", "serve", "--read-only")
	defer end()
	for name, tool := range tools {
		if name == "bash" || name == "file_write" || tool.Run == nil {
			t.Errorf("%s is offered", name)
		}
	}
	call("glob", `{"pattern":"*.none"}`, `{"output":"","count":0}`)
}

// connect starts the server us and waits for what it offers, also on a machine
// where that takes longer than a session would wait.
func connect(ctx context.Context, t *testing.T, c *mcp.Client) {
	t.Helper()
	c.Start(ctx)
	must(t, c.Check(ctx, "us"))
	c.Refresh(ctx)
}
