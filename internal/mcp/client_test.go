package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ikigai"
)

// started is a client with one server, "test", as serveMode has it.
type started struct {
	*Client
	*testing.T
	ctx  context.Context
	mu   sync.Mutex
	told []string
}

func start(t *testing.T, mode string, change func(*Config, *Server)) *started {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	s := &started{T: t, ctx: ctx}
	server := Server{Command: os.Args[0], Env: map[string]string{"MCP_TEST_SERVER": mode}}
	cfg := Config{Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Notice: func(text string) {
		if strings.Contains(text, " is waited for, ") {
			return // as any server is on a machine that does much else
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.told = append(s.told, text)
	}}
	if change != nil {
		change(&cfg, &server)
	}
	cfg.Servers = map[string]Server{"test": server}
	s.Client = New(cfg)
	t.Cleanup(s.Close)
	s.Start(ctx)
	return s
}

// Await waits for the server as a session does, but for as long as it takes: how
// busy this machine is, is no matter of a test.
func (s *started) Await(ctx context.Context) (changed bool) { return s.await(ctx, time.Hour) }

func (s *started) notices() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// run calls a tool that is offered.
func (s *started) run(name, args string) ikigai.Result {
	s.Helper()
	for _, t := range s.Tools() {
		if t.Name == "mcp__test__"+name || t.Name == name {
			checked, err := t.Check(json.RawMessage(args))
			if err != nil {
				s.Fatal(err)
			}
			return t.Run(s.ctx, ikigai.Call{Args: checked})
		}
	}
	s.Fatalf("there is no tool %s among %d", name, len(s.Tools()))
	return ikigai.Result{}
}

func text(r ikigai.Result) string {
	if len(r.Output) == 0 {
		return ""
	}
	return r.Output[0].Text
}

// offers reports whether a tool is offered.
func (s *started) offers(name string) bool {
	return slices.ContainsFunc(s.Tools(), func(t ikigai.Tool) bool { return t.Name == "mcp__test__"+name })
}

// A server's tools, resources and prompts can be used; it gets the environment and
// the directory that it is to have, and nothing of ours.
func TestTools(t *testing.T) {
	s := start(t, "plain", func(c *Config, server *Server) {
		server.Env["OWN"] = "1"
		c.Env = append(c.Env, "SHARED=2", "OWN=0")
	})
	if !s.Await(s.ctx) || s.Await(s.ctx) {
		t.Error("the first offer is a change, and the only one")
	}
	if got := text(s.run("echo", `{"a":1}`)); got != `{"output":"got {\"a\":1}"}` {
		t.Error(got)
	}
	var env struct{ Output string }
	if err := json.Unmarshal([]byte(text(s.run("env", ""))), &env); err != nil {
		t.Fatal(err)
	}
	want := []string{s.links[0].cfg.Dir, "PATH=/usr/bin:/bin", "SHARED=2", "MCP_TEST_SERVER=plain", "OWN=1"}
	if got := strings.Split(env.Output, "\n"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if r := s.run("refuse", ""); !r.Failed || text(r) != `{"error":"no such city","error_code":"MCP_ERROR"}` { // S5.4
		t.Errorf("%+v", r)
	}
	if got := text(s.run("mcp_read", `{"server":"test"}`)); got != `{"resources":[{"uri":"test://poem","name":"poem"}]}` {
		t.Error(got)
	}
	r := s.run("mcp_read", `{"server":"test","uri":"test://poem"}`)
	if text(r) != `{"output":"[test://poem]\nroses"}` || len(r.Resources) != 1 || r.Resources[0].URI != "test://poem" {
		t.Errorf("%+v", r)
	}
	prompt, err := s.Prompt(s.ctx, "test", "greet", map[string]string{"who": "Ann"})
	if prompt != "Greet Ann" || err != nil {
		t.Error(prompt, err)
	}
	if _, err := s.Prompt(s.ctx, "test", "missing", nil); err == nil {
		t.Error("a prompt that is not there was had")
	}
	if told := s.notices(); len(told) > 0 {
		t.Error(told)
	}
}

// That a tool only reads is believed of none.
func TestReadOnlyHints(t *testing.T) {
	s := start(t, "plain", nil)
	s.Await(s.ctx)
	for _, tool := range s.Tools() {
		if tool.ReadOnly != (tool.Name == "mcp_read") || tool.Announces {
			t.Errorf("%s: %+v", tool.Name, tool)
		}
	}
	for _, tool := range s.Status("test").Tools {
		if (tool.Own == "echo") != slices.Equal(tool.Hints, []string{"read-only"}) {
			t.Errorf("%s: %q", tool.Own, tool.Hints)
		}
	}
}

// P41: what may be secret in the settings of a server is in none of our words.
func TestSecrets(t *testing.T) {
	s := start(t, "dead", func(_ *Config, server *Server) { server.Env["KEY"] = "config.json is missing" })
	s.Await(s.ctx)
	if told := strings.Join(s.notices(), ""); told == "" || strings.Contains(told, "config.json") {
		t.Errorf("%q", told)
	}
	if all := (Server{OAuth: OAuth{ClientID: "everybody's", ClientSecret: "verysecret"}}).Secrets(); !slices.Equal(all, []string{"verysecret"}) {
		t.Errorf("%q", all)
	}
	s = start(t, "", func(_ *Config, server *Server) { *server = Server{URL: "http://127.0.0.1:1/?key=verysecret"} })
	s.Await(s.ctx)
	if told := strings.Join(s.notices(), ""); told == "" || strings.Contains(told, "verysecret") {
		t.Errorf("%q", told)
	}
}

// Progress is shown while a call runs, and never afterwards.
func TestProgress(t *testing.T) {
	s := start(t, "plain", nil)
	s.Await(s.ctx)
	until := filepath.Join(t.TempDir(), "until")
	var shown strings.Builder
	i := slices.IndexFunc(s.Tools(), func(t ikigai.Tool) bool { return t.Name == "mcp__test__steps" })
	r := s.Tools()[i].Run(s.ctx, ikigai.Call{Args: json.RawMessage(`{"until":"` + until + `"}`), Progress: func(p []byte) {
		shown.Write(p)
		if strings.Contains(string(p), "3 of 3") {
			if err := os.WriteFile(until, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}})
	if text(r) != `{"output":"done"}` || shown.String() != "1 of 3: step\uFFFD\n2 of 3: step\uFFFD\n3 of 3: step\uFFFD\n" {
		t.Errorf("%s, %q", text(r), shown.String())
	}
}

// A new tool is there after Refresh, not before.
func TestListChanges(t *testing.T) {
	s := start(t, "plain", nil)
	s.Await(s.ctx)
	s.run("grow", "")
	if s.offers("grown") {
		t.Error("the tools of a statement have changed")
	}
	if !eventually(s.ctx, func() bool { return s.Refresh(s.ctx) }) || !s.offers("grown") {
		t.Error("the new tool is not offered")
	}
	if got := text(s.run("grown", "")); got != `{"output":"new"}` {
		t.Error(got)
	}
}

// S5.7: a call that the person stops ends at once, and the server is told.
func TestCancel(t *testing.T) {
	s := start(t, "plain", nil)
	s.Await(s.ctx)
	l := s.links[0]
	ctx, cancel := context.WithCancel(s.ctx)
	go func() {
		eventually(s.ctx, func() bool { return strings.Contains(l.beside.last(9), "waiting") })
		cancel()
	}()
	if r := l.call(ctx, "wait", ikigai.Call{}); !r.Failed || !strings.Contains(text(r), `"CANCELLED"`) {
		t.Errorf("%+v", r)
	}
	if !eventually(s.ctx, func() bool { return strings.Contains(l.beside.last(9), "cancelled") }) {
		t.Error("the server was not told")
	}
	if got := text(s.run("echo", "")); got != `{"output":"got {}"}` {
		t.Error("the connection is of no use any more:", got)
	}
}

// A call without a sign of progress comes to an end.
func TestTimeout(t *testing.T) {
	s := start(t, "plain", func(_ *Config, server *Server) { server.Timeout = 50 * time.Millisecond })
	s.Await(s.ctx)
	want := `{"error":"The MCP server test has given no sign for 50ms. It may still be at work: look at what it has done before you call it again.","error_code":"TOOL_TIMEOUT"}`
	if got := text(s.run("wait", "")); got != want {
		t.Error(got)
	}
}

// A server that dies in a call is told of, and started again for the next. One
// that keeps dying is left alone.
func TestDeath(t *testing.T) {
	s := start(t, "plain", nil)
	s.Await(s.ctx)
	want := `{"error":"The MCP server test broke during the call: its program has ended (exit status 7); its last words: panic: out of luck. ` +
		`The call may have run: look at what it has done before you call it again.","error_code":"TOOL_CRASHED"}`
	for range mostFailures {
		if got := text(s.run("die", "")); got != want {
			t.Error(got)
		}
	}
	if got := text(s.run("echo", "")); got != `{"output":"got {}"}` {
		t.Error("it was not started again:", got)
	}
	for range mostFailures + 1 {
		s.run("die", "")
	}
	if got := text(s.run("echo", "")); !strings.Contains(got, "it has failed 3 times in a row, and is tried again in a minute") {
		t.Error(got)
	}
}

// A server that cannot be started stops nothing and is told of once.
func TestDeadFromTheStart(t *testing.T) {
	s := start(t, "dead", nil)
	if s.Await(s.ctx) || len(s.Tools()) > 0 {
		t.Error("it has tools")
	}
	s.Refresh(s.ctx)
	want := []string{"The MCP server test cannot be used: its program has ended (exit status 3); its last words: config.json is missing. " +
		"Look at its settings, and try it with `ikigai mcp check test`."}
	if told := s.notices(); !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
	missing := start(t, "", func(_ *Config, server *Server) { server.Command = "no-such-program" })
	missing.Await(missing.ctx)
	if told := strings.Join(missing.notices(), ""); !strings.Contains(told, "there is no program no-such-program in PATH") {
		t.Error(told)
	}
}

// A program that knows only the newest form of the protocol is spoken to in that,
// and tells of changes there, too.
func TestNewestProtocol(t *testing.T) {
	s := start(t, "newest", nil)
	s.Await(s.ctx)
	if got := s.links[0].conn.session.InitializeResult().ProtocolVersion; got <= commonProtocol {
		t.Errorf("it is spoken to in the form of %s", got)
	}
	s.run("grow", "")
	if !eventually(s.ctx, func() bool { return s.Refresh(s.ctx) }) || !s.offers("grown") {
		t.Error("the new tool is not offered")
	}
}

// What a server prints that is no message does no harm.
func TestGarbage(t *testing.T) {
	s := start(t, "garbage", nil)
	s.Await(s.ctx)
	if got := text(s.run("echo", "")); got != `{"output":"got {}"}` {
		t.Error(got)
	}
	if said := s.links[0].beside.last(99); !strings.Contains(said, "[INFO]") || !strings.Contains(said, "DEBUG") {
		t.Errorf("%q", said)
	}
}

// A server that floods its standard error is not held up, and fills no memory.
func TestFlood(t *testing.T) {
	s := start(t, "flood", nil)
	s.Await(s.ctx)
	if got := text(s.run("echo", "")); got != `{"output":"got {}"}` {
		t.Error(got)
	}
	if n := len(s.links[0].beside.last(1 << 20)); n > maxTail {
		t.Errorf("%d bytes are kept", n)
	}
}

// A server whose offer never settles can be used, and keeps no processor busy.
func TestRestlessOffer(t *testing.T) {
	s := start(t, "restless", nil)
	s.Await(s.ctx)
	if got := text(s.run("echo", `{}`)); got != `{"output":"got {}"}` {
		t.Error(got)
	}
	c, err := s.links[0].connected(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	lists := func() int {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.lists
	}
	if !eventually(s.ctx, func() bool { return lists() >= freeLists }) {
		t.Errorf("its changes are not followed: %d lists", lists())
	}
	if n := lists(); n > freeLists+10 {
		t.Errorf("%d lists were fetched", n)
	}
}

// No server fills memory, or every request, with what it offers.
func TestGreedyOffer(t *testing.T) {
	s := start(t, "greedy", nil)
	s.Await(s.ctx)
	size := 0
	for _, tool := range s.Tools() {
		size += len(tool.Schema)
	}
	if s.offers("a_huge") || !s.offers("big_00") || size < maxOffer/2 || size > maxOffer {
		t.Errorf("%d tools, %d bytes", len(s.Tools()), size)
	}
}

// A message of 100 MB is not read into memory.
func TestHuge(t *testing.T) {
	s := start(t, "plain", nil)
	s.Await(s.ctx)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := text(s.run("huge", ""))
	runtime.ReadMemStats(&after)
	if !strings.Contains(got, "sent a message larger than 16 MiB") || !strings.Contains(got, "INVALID_OUTPUT") {
		t.Error(got)
	}
	if grown := after.Sys - before.Sys; grown > 100<<20 {
		t.Errorf("memory grew by %d bytes", grown)
	}
	if got := text(s.run("echo", "")); got != `{"output":"got {}"}` {
		t.Error("it was not started again:", got)
	}
}

// Servers that do not answer, or do not even read, hold nobody up.
func TestSilence(t *testing.T) {
	for _, mode := range []string{"silent", "deaf"} {
		t.Run(mode, func(t *testing.T) {
			s := start(t, mode, nil)
			l := s.links[0]
			ctx, cancel := context.WithCancel(s.ctx)
			go func() {
				eventually(s.ctx, func() bool { return strings.Contains(l.beside.last(1), "reading") })
				cancel()
			}()
			r := l.call(ctx, "any", ikigai.Call{Args: json.RawMessage(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`)})
			if !strings.Contains(text(r), "CANCELLED") {
				t.Error(text(r))
			}
			s.Close()
			if l.conn != nil || l.trying != nil {
				t.Error("it goes on trying")
			}
		})
	}
}

// A server that does not answer costs its time once: the next session does not wait
// for it, until it has answered.
func TestLate(t *testing.T) {
	cache := t.TempDir()
	inCache := func(c *Config, _ *Server) { c.Cache = cache }
	s := start(t, "silent", inCache)
	s.await(s.ctx, time.Millisecond)
	if told := s.notices(); len(told) != 1 || !strings.Contains(told[0], "has not answered in time") || !strings.Contains(told[0], `"disabled": true`) {
		t.Errorf("told was %q", told)
	}
	again := start(t, "silent", inCache)
	again.await(again.ctx, time.Hour)
	if told := again.notices(); len(told) != 1 || !strings.Contains(told[0], "is not waited for") {
		t.Errorf("told was %q", told)
	}

	stopped := start(t, "silent", func(c *Config, _ *Server) { c.Cache = t.TempDir() })
	ctx, cancel := context.WithCancel(stopped.ctx)
	cancel()
	stopped.await(ctx, time.Hour)
	if told := stopped.notices(); len(told) != 0 || stopped.links[0].wasLate() {
		t.Errorf("the person did not wait; told was %q", told)
	}

	answering := start(t, "plain", inCache)
	l := answering.links[0]
	if err := answering.Check(answering.ctx, "test"); err != nil {
		t.Fatal(err)
	}
	l.isLate()
	if l.wasLate() {
		t.Error("a server that has answered counts as late")
	}
}

// Close ends a server, also one that will not, and all that it has started.
func TestClose(t *testing.T) {
	for _, mode := range []string{"plain", "stubborn"} {
		s := start(t, mode, nil)
		s.Await(s.ctx)
		var child struct{ Output string }
		if err := json.Unmarshal([]byte(text(s.run("child", ""))), &child); err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(child.Output)
		if err != nil {
			t.Fatal(err)
		}
		server := s.links[0].conn.child.pid
		s.Close()
		for _, pid := range []int{pid, server} {
			if !eventually(s.ctx, func() bool { return gone(pid) }) {
				t.Errorf("%s: process %d lives", mode, pid)
			}
		}
		if r := s.links[0].call(s.ctx, "echo", ikigai.Call{}); !r.Failed {
			t.Error("it was started again after the end")
		}
	}
}

// The second interrupt takes away the grace.
func TestLeave(t *testing.T) {
	leave := make(chan struct{})
	s := start(t, "stubborn", func(c *Config, _ *Server) { c.Leave = leave })
	s.Await(s.ctx)
	close(leave)
	s.Close()
	if pid := s.links[0].conn.child.pid; !gone(pid) {
		t.Errorf("process %d lives", pid)
	}
}

// gone reports whether a process has ended, also one that nobody has taken note
// of.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == syscall.ESRCH
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z")
}

// What a server offered is known in the next session before it is started, as
// long as its settings are the same.
func TestCache(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "mcp")
	first := start(t, "plain", func(c *Config, _ *Server) { c.Cache = cache })
	first.Await(first.ctx)
	server := first.links[0].server
	again := func(s Server) []ikigai.Tool {
		return New(Config{Servers: map[string]Server{"test": s}, Cache: cache}).Tools()
	}
	known := again(server)
	if fmt.Sprint(specs(known)) != fmt.Sprint(specs(first.Tools())) || len(known) == 0 {
		t.Errorf("%d tools are known, %d were offered", len(known), len(first.Tools()))
	}
	server.Offers = func(tool string) bool { return tool == "echo" }
	if tools := again(server); len(tools) != 2 { // and mcp_read
		t.Errorf("%d tools", len(tools))
	}
	server.Args = []string{"-other"}
	if tools := again(server); len(tools) != 0 {
		t.Errorf("the tools of other settings are offered: %d", len(tools))
	}
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	if err := os.WriteFile(filepath.Join(cache, entries[0].Name()), []byte(`{"tools":`), 0o600); err != nil {
		t.Fatal(err)
	}
	server.Args = nil
	if tools := again(server); len(tools) != 0 {
		t.Error("a damaged file was read")
	}
}

// A tool that is known is called while its server is still starting: the call
// waits for it.
func TestCallWhileStarting(t *testing.T) {
	cache := t.TempDir()
	first := start(t, "plain", func(c *Config, _ *Server) { c.Cache = cache })
	first.Await(first.ctx)
	second := start(t, "plain", func(c *Config, _ *Server) { c.Cache = cache })
	if got := text(second.run("echo", "")); got != `{"output":"got {}"}` {
		t.Error(got)
	}
}

// What is wrong with a request for a prompt is no fault of the server.
func TestRefusedPrompt(t *testing.T) {
	s := start(t, "plain", nil)
	_, err := s.Prompt(s.ctx, "test", "nope", nil)
	var failed *ikigai.Error
	if !errors.As(err, &failed) || failed.Kind != ikigai.ErrorUsage || failed.What != "The MCP server test has no prompt nope" {
		t.Error(err)
	}
}

// Errors say nothing of the steps that the library takes.
func TestWithoutSteps(t *testing.T) {
	for text, want := range map[string]string{
		`calling "initialize": sending "initialize": rejected by transport: no way`: "no way",
		`no way: calling "x"`: `no way: calling "x"`,
	} {
		if got := withoutSteps(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// Nothing is started where nothing is set up.
func TestNoServers(t *testing.T) {
	c := New(Config{})
	c.Start(t.Context())
	if c.Await(t.Context()) || c.Refresh(t.Context()) || len(c.Tools()) > 0 {
		t.Error("there is something")
	}
	c.Close()
}
