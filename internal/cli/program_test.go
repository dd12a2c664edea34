package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ikigai"
	"ikigai/internal/scriptserver"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// raceExit spares programs with the race detector a second at their end.
const raceExit = "GORACE=atexit_sleep_ms=0"

// place is where the program runs in a test: a home, a working directory, a
// database, and a scripted model in the test's own process, which sees every
// request and outlives the program.
type place struct {
	t        *testing.T
	root     string
	work     string // the working directory
	database string
	program  string // its path; "" for the test binary as ikigai
	server   *scriptserver.Server

	unreplayed bool // its sessions cannot be replayed with the settings alone

	count atomic.Int32
	hook  atomic.Pointer[func(n int, r scriptserver.Request)]
}

func newPlace(t *testing.T, script string) *place {
	t.Helper()
	p := newPlaceIn(t, t.TempDir(), script)
	t.Cleanup(p.replay)
	return p
}

// newPlaceIn makes a place in an empty directory.
func newPlaceIn(t *testing.T, root, script string) *place {
	t.Helper()
	p := &place{t: t, root: root}
	p.work, p.database = filepath.Join(p.root, "work"), filepath.Join(p.root, "data", "ikigai.db")
	parsed, err := scriptserver.Parse("test.script", []byte(script))
	must(t, err)
	p.server, err = scriptserver.Options{Keep: scriptserver.KeepAll, Received: p.received}.Start(parsed)
	must(t, err)
	t.Cleanup(func() { must(t, p.server.Close()) })
	settings := filepath.Join(p.root, "home", ".config", "ikigai")
	for _, dir := range []string{p.work, settings, filepath.Join(p.root, "tmp")} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	must(t, os.WriteFile(filepath.Join(settings, "config.json"),
		fmt.Appendf(nil, `{"model": "test/scripted", "objectives": "text", "vendors": {"test": {"base_url": %q}}}`, p.server.URL), 0o600))
	return p
}

// received calls the hook of the test with each request, counted from 1.
func (p *place) received(r scriptserver.Request) {
	n := p.count.Add(1)
	if hook := p.hook.Load(); hook != nil {
		(*hook)(int(n), r)
	}
}

// onRequest calls f with each request, counted from 1 over the life of the
// place. Its answer waits for f.
func (p *place) onRequest(f func(n int, r scriptserver.Request)) { p.hook.Store(&f) }

// file returns the path of a file in the working directory.
func (p *place) file(name string) string { return filepath.Join(p.work, name) }

// lines returns the lines of a file in the working directory; none if there is
// no such file.
func (p *place) lines(name string) []string {
	p.t.Helper()
	content, err := os.ReadFile(p.file(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	return strings.Fields(string(content))
}

// command returns the program, ready to be started in this place.
func (p *place) command(args ...string) *exec.Cmd {
	p.t.Helper()
	path := p.program
	if path == "" {
		var err error
		path, err = exec.LookPath("ikigai")
		must(p.t, err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = p.work
	cmd.Env = p.env()
	return cmd
}

// env returns the environment of the program.
func (p *place) env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + filepath.Join(p.root, "home"),
		"TMPDIR=" + filepath.Join(p.root, "tmp"), "IKIGAI_DATABASE=" + p.database, raceExit,
	}
}

// start starts the program.
func (p *place) start(args ...string) *child {
	p.t.Helper()
	return startChild(p.t, p.command(args...))
}

// run runs the program to its end, which must come with the exit code.
func (p *place) run(code int, args ...string) *child {
	p.t.Helper()
	c := p.start(args...)
	c.ends(code)
	return c
}

// log returns the events of the last session, as the program prints them, and
// checks what holds for every log.
func (p *place) log() []ikigai.Event {
	p.t.Helper()
	return parseLog(p.t, p.run(exitAnswered, "log", "--json").out.String())
}

func parseLog(t *testing.T, lines string) []ikigai.Event {
	t.Helper()
	events := parseEvents(t, lines)
	checkLog(t, events)
	return events
}

// parseEvents returns the events of lines of JSON. What a death left of a line
// is none.
func parseEvents(t *testing.T, lines string) []ikigai.Event {
	t.Helper()
	var events []ikigai.Event
	for line := range strings.Lines(lines) {
		var e ikigai.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil && strings.HasSuffix(line, "\n") {
			t.Fatalf("%v: %s", err, line)
		} else if err == nil {
			events = append(events, e)
		}
	}
	return events
}

// checkLog checks what holds for every log: events of one session, numbered
// without gaps, none twice, and results behind their calls, one for each.
func checkLog(t *testing.T, events []ikigai.Event) {
	t.Helper()
	ids, open := map[ikigai.ID]bool{}, map[string]bool{}
	for i, e := range events {
		if e.Seq != ikigai.Seq(i+1) || e.Session != events[0].Session {
			t.Errorf("event %d of %s stands in place %d of the log of %s", e.Seq, e.Session, i+1, events[0].Session)
		}
		if ids[e.ID] {
			t.Errorf("event %d, %s, is in the log twice", e.Seq, e.ID)
		}
		ids[e.ID] = true
		m, err := e.Message()
		switch {
		case !e.Kind.Conversation():
		case err != nil:
			t.Error(err)
		case m.Call != nil:
			open[e.Interaction+m.Call.ID] = true
		case m.Result != nil && !open[e.Interaction+m.Result.CallID]:
			t.Errorf("event %d is the result of %q, which has no call or a result already", e.Seq, m.Result.CallID)
		case m.Result != nil:
			open[e.Interaction+m.Result.CallID] = false
		}
	}
}

// of returns the events of a kind.
func of(kind ikigai.Kind, events []ikigai.Event) []ikigai.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e ikigai.Event) bool { return e.Kind != kind })
}

// body returns the body of the last request.
func (p *place) body() string {
	p.t.Helper()
	all := p.server.Requests()
	if len(all) == 0 {
		p.t.Fatal("there was no request")
	}
	return string(all[len(all)-1].Body)
}

// allAccepted checks that a strict vendor would have taken every request that
// came whole.
func (p *place) allAccepted() {
	p.t.Helper()
	for _, err := range p.server.Refused() {
		if !strings.Contains(err.Error(), "The body cannot be read") { // its sender died
			p.t.Errorf("refused: %v", err)
		}
	}
}

// child is the program as a process.
type child struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err *output
	ended    chan struct{}
}

func startChild(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	c := &child{t: t, cmd: cmd, out: newOutput(), err: newOutput(), ended: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = c.out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = c.err
	}
	cmd.WaitDelay = patience // what it leaves behind may hold its output open
	must(t, cmd.Start())
	go func() {
		defer close(c.ended)
		_ = cmd.Wait() // the state says it
	}()
	t.Cleanup(c.kill)
	return c
}

func (c *child) signal(s syscall.Signal) { _ = c.cmd.Process.Signal(s) } // it may have ended

// kill kills the program with SIGKILL and returns when it is gone. It may be
// called from any goroutine.
func (c *child) kill() {
	c.signal(syscall.SIGKILL)
	select {
	case <-c.ended:
	case <-time.After(2 * patience): // longer than its output is waited for
		c.t.Errorf("%s is still there after it was killed", strings.Join(c.cmd.Args[1:], " "))
	}
}

// ends waits for the end of the program, which must come with the exit code.
func (c *child) ends(code int) {
	c.t.Helper()
	within(c.t, c.ended, "end of "+strings.Join(c.cmd.Args[1:], " "))
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		c.t.Fatalf("%s: %s, want exit code %d\n%s", strings.Join(c.cmd.Args[1:], " "), c.cmd.ProcessState, code, c.err)
	}
}

// tells checks that the program told the person something, and how often.
func (c *child) tells(times int, text string) {
	c.t.Helper()
	if got := strings.Count(c.err.String(), text); got != times {
		c.t.Errorf("%q is told %d times, want %d:\n%s", text, got, times, c.err)
	}
}

// output is what came out of a program so far.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // closed when text grows
}

func newOutput() *output { return &output{changed: make(chan struct{})} }

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changed)
	o.changed = make(chan struct{})
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// await waits until the output is as ok wants it.
func (o *output) await(t *testing.T, what string, ok func(string) bool) {
	t.Helper()
	for {
		o.mu.Lock()
		text, changed := o.text.String(), o.changed
		o.mu.Unlock()
		if ok(text) {
			return
		}
		within(t, changed, what)
	}
}

// awaitText waits until the output holds text.
func (o *output) awaitText(t *testing.T, text string) {
	t.Helper()
	o.await(t, fmt.Sprintf("%q", text), func(s string) bool { return strings.Contains(s, text) })
}

// gate is a named pipe by which a command that a tool runs tells how far it is,
// and that neither it nor anything that it started is there any more.
type gate struct {
	t    *testing.T
	said *output
	gone chan struct{} // closed when nobody has the pipe open any more
}

// gate makes a gate in the working directory. A command opens it with
// `exec 9>NAME` and writes to it with `>&9`.
func (p *place) gate(name string) *gate {
	p.t.Helper()
	g := &gate{t: p.t, said: newOutput(), gone: make(chan struct{})}
	must(p.t, syscall.Mkfifo(p.file(name), 0o600))
	go func() {
		defer close(g.gone)
		f, err := os.Open(p.file(name)) // waits for the command to open it
		if err != nil {
			p.t.Error(err)
			return
		}
		defer f.Close()
		_, _ = io.Copy(g.said, f)
	}()
	return g
}

// awaits waits until the command has said something.
func (g *gate) awaits(text string) {
	g.t.Helper()
	g.said.awaitText(g.t, text)
}

// awaitGone waits until nothing of the command is there any more.
func (g *gate) awaitGone() {
	g.t.Helper()
	within(g.t, g.gone, "end of everything that the command started")
}

// goCommand runs the go command and returns its output. It builds without C, also
// where the race detector has these tests built with it: nothing is compiled twice.
func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*patience) // nothing may be compiled yet
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.WaitDelay = patience
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("go %s: %v\n%s", args[0], err, exit.Stderr)
	}
	must(t, err)
	return string(out)
}

func within(t *testing.T, done <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("no %s within %s", what, patience)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// openWrite opens a named pipe for writing. It is open for reading, too: to open
// it for writing alone would wait for a reader.
func openWrite(t *testing.T, path string) *os.File {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}
