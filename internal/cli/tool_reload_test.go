package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/mcp"
)

// toolFile returns a tool that says word.
func toolFile(name, members, word string) string {
	return "#!/bin/sh\nif [ \"$1\" = --schema ]; then echo '{\"name\":\"" + name + "\",\"description\":\"Says " + word + ".\"" + members +
		"}'; else echo '{\"output\":\"" + word + "\"}'; fi\n"
}

// addTool puts a tool among those of the person.
func (p *place) addTool(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.root, "home", ".config", "ikigai", "tools", name)
	must(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(p.t, os.WriteFile(path, []byte(text), 0o755))
	return path
}

// Tools that come, change and go between the statements of one session do so for
// whoever calls them, and in the log.
func TestToolsBetweenStatements(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: x\nsay: y\n")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	served := p.command("mcp", "serve")
	c := mcp.New(mcp.Config{Dir: p.work, Env: served.Env, Servers: map[string]mcp.Server{"us": {Command: served.Path, Args: []string{"mcp", "serve"}}}})
	defer c.Close()
	connect(ctx, t, c)
	find := func(name string) (found ikigai.Tool, ok bool) {
		for _, tool := range c.Tools() {
			if tool.Name == "mcp__us__"+name {
				return tool, true
			}
		}
		return found, false
	}
	call := func(name string) string {
		t.Helper()
		tool, ok := find(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		return tool.Run(ctx, ikigai.Call{Args: json.RawMessage(`{"pattern":"*.none"}`)}).Output[0].Text
	}
	// until waits until a tool is offered as said, "" for not at all. Each call is a
	// statement.
	until := func(name, description string) {
		t.Helper()
		for call("glob"); ctx.Err() == nil; c.Refresh(ctx) {
			if tool, ok := find(name); ok == (description != "") && tool.Description == description {
				return
			}
		}
		t.Fatalf("%s is not offered as %q", name, description)
	}
	path := p.addTool("greet", toolFile("greet", `,"parameters":{"pattern":{"type":"string"}}`, "hello"))
	until("greet", "Says hello.")
	if got := call("greet"); got != `{"output":"hello"}` {
		t.Error(got)
	}
	p.addTool("greet", toolFile("greet", `,"parameters":{"pattern":{"type":"string"}}`, "ciao"))
	until("greet", "Says ciao.")
	if got := call("greet"); got != `{"output":"ciao"}` {
		t.Error(got)
	}
	must(t, os.Remove(path))
	until("greet", "")
	c.Close()
	var lists []string
	for _, e := range p.log() {
		if e.Kind == ikigai.KindTools {
			before, after, _ := strings.Cut(e.Content, "web_fetch")
			if !strings.HasPrefix(before, "glob, file_read, grep") {
				t.Errorf("%s", e.Content)
			}
			lists = append(lists, after)
		}
	}
	if got := strings.Join(lists, ";"); got != ";, greet;, greet;" {
		t.Errorf("the log has the lists %q", got)
	}
}

// Tools that change something do not join those that are offered to read alone.
func TestReadOnlyStays(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: x\nsay: y\n")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	args := []string{"mcp", "serve", "--read-only"}
	served := p.command(args...)
	c := mcp.New(mcp.Config{Dir: p.work, Env: served.Env, Servers: map[string]mcp.Server{"us": {Command: served.Path, Args: args}}})
	defer c.Close()
	connect(ctx, t, c)
	var glob ikigai.Tool
	for _, tool := range c.Tools() {
		if tool.Name == "mcp__us__glob" {
			glob = tool
		}
	}
	p.addTool("look", toolFile("look", `,"read_only":true`, "x"))
	p.addTool("change", toolFile("change", "", "x"))
	glob.Run(ctx, ikigai.Call{Args: json.RawMessage(`{"pattern":"*.none"}`)})
	c.Close()
	var last string
	for _, e := range p.log() {
		if e.Kind == ikigai.KindTools {
			last = e.Content
		}
	}
	if !strings.HasSuffix(last, ", look") || strings.Contains(last, "change") || strings.Contains(last, "bash") {
		t.Errorf("%s", last)
	}
}
