package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"ikigai"
	"ikigai/internal/scriptserver"
)

// stopping are the signals that stop a turn.
var stopping = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// S1.24, P7: a signal in mid-stream ends the program in order: what came is in
// the log, and the session goes on.
func TestStopReply(t *testing.T) {
	t.Parallel()
	for _, s := range stopping {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "user: work\nchunk: 4\nsay: Halfway, and no further.\nfault: hang after 3\n"+goOn)
			c := p.start("run", "work")
			c.out.awaitText(t, "Halfway,")
			c.signal(s)
			c.ends(exitInterrupted)
			c.tells(1, "The turn was stopped. Go on with `ikigai run --continue`.")
			events := p.log()
			p.stopped(events)
			cut := of(ikigai.KindInterrupted, events)
			var d ikigai.InterruptedData
			if len(cut) != 1 || cut[0].DecodeData(&d) != nil || cut[0].Content != "Halfway," || d.Reason != "cancelled" {
				t.Errorf("kept of the reply: %s", asJSON(cut))
			}
			p.survives(c)
		})
	}
}

// S1.24: a signal while the vendor is silent.
func TestStopSilence(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: work\nsay: Never.\nfault: hang\n"+goOn)
	arrived := make(chan struct{})
	p.onRequest(func(n int, _ scriptserver.Request) {
		if n == 1 {
			close(arrived)
		}
	})
	c := p.start("run", "work")
	within(t, arrived, "request")
	c.signal(syscall.SIGINT)
	c.ends(exitInterrupted)
	p.stopped(p.log())
	p.survives(c)
}

// P21, P22, S2.77, S5.7, law 7: a signal while a tool runs ends the tool with
// everything that it has started; those that come after it do not run. All
// calls have results.
func TestStopTool(t *testing.T) {
	t.Parallel()
	for _, s := range stopping {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, `
user: work
call: bash {"command": "exec 9>gate; echo begun >> witness; sleep 1000 & (trap '' TERM INT; sleep 1000) & echo there >&9; sleep 1000"}
call: bash {"command": "echo later >> witness"}
`+goOn)
			g := p.gate("gate")
			c := p.start("run", "work")
			g.awaits("there")
			c.signal(s)
			c.ends(exitInterrupted)
			g.awaitGone()
			events := p.log()
			p.stopped(events)
			if lost := callsWithoutResult(events); len(lost) > 0 {
				t.Errorf("calls without a result: %q", lost)
			}
			results := of(ikigai.KindToolResult, events)
			if len(results) != 2 {
				t.Fatalf("%d results, want 2", len(results))
			}
			for _, e := range results {
				var d ikigai.ToolResultData
				var output struct {
					Code ikigai.ToolCode `json:"error_code"`
				}
				if err := e.DecodeData(&d); err != nil {
					t.Error(err)
				}
				if err := json.Unmarshal([]byte(d.Output), &output); err != nil || output.Code != ikigai.CodeCancelled || d.Success {
					t.Errorf("result %s: %v", d.Output, err)
				}
			}
			p.survives(c)
			if got := strings.Join(p.lines("witness"), " "); got != "begun" {
				t.Errorf("the tools left %q", got)
			}
		})
	}
}

// A tool that a person has started and stops says so to them: what it tells a
// model is no answer.
func TestStopToolRun(t *testing.T) {
	t.Parallel()
	p := newPlace(t, goOn)
	g := p.gate("gate")
	c := p.start("tool", "run", "bash", "command=exec 9>gate; echo there >&9; sleep 1000")
	g.awaits("there")
	c.signal(stopping[0])
	c.ends(exitInterrupted)
	g.awaitGone()
	if out, said := c.out.String(), c.err.String(); out != "" || !strings.Contains(said, "The tool was stopped before its end.") {
		t.Errorf("%q, %q", out, said)
	}
}

// P21, P22: the second signal leaves without the grace that the first one gives
// to a tool, and yet nothing of the tool stays behind.
func TestStopAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: bash {"command": "exec 9>gate; trap '' INT; (trap '' TERM; exec sleep 1000) & trap 'echo asked >&9' TERM; echo there >&9; while :; do :; done"}
call: bash {"command": "echo later >> witness"}
`+goOn)
	g := p.gate("gate")
	c := p.start("run", "work")
	g.awaits("there")
	c.signal(syscall.SIGINT)
	g.awaits("asked")
	c.signal(syscall.SIGINT)
	c.ends(exitInterrupted)
	g.awaitGone()
	p.survives(c)
	if got := p.lines("witness"); len(got) > 0 {
		t.Errorf("the tools left %q", got)
	}
}

// A signal that was ignored when the program was started, as with nohup or in
// the background of a script, stops nothing.
func TestIgnoredSignals(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: work\nsay: Undisturbed.\n")
	arrived, sent := make(chan struct{}), make(chan struct{})
	p.onRequest(func(int, scriptserver.Request) {
		close(arrived)
		<-sent
	})
	cmd := p.command()
	cmd.Args = []string{"sh", "-c", `trap '' HUP INT; exec "$0" run work`, cmd.Path}
	cmd.Path = "/bin/sh"
	c := startChild(t, cmd)
	within(t, arrived, "request")
	c.signal(syscall.SIGHUP)
	c.signal(syscall.SIGINT)
	close(sent)
	c.ends(exitAnswered)
	if got := c.out.String(); got != "Undisturbed.\n" {
		t.Errorf("answer %q", got)
	}
}

// P7: when the reader of the output goes away, as in `ikigai run … | head -c 1`,
// the program ends, and the session goes on.
func TestOutputIsClosed(t *testing.T) {
	t.Parallel()
	for _, flags := range []string{"", "--json"} {
		t.Run("run "+flags, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, steps)
			r, w, err := os.Pipe()
			must(t, err)
			first := newOutput()
			p.onRequest(func(n int, _ scriptserver.Request) {
				if n == 2 { // by now the program has shown something
					_, readErr := io.CopyN(first, r, 1)
					if err := errors.Join(readErr, r.Close()); err != nil {
						t.Error(err)
					}
				}
			})
			cmd := p.command(strings.Fields("run " + flags + " work")...)
			cmd.Stdout = w
			c := startChild(t, cmd)
			must(t, w.Close())
			within(t, c.ended, "end of the program")
			if c.cmd.ProcessState.Success() {
				t.Error("the program ends as if it had been heard")
			}
			if got := first.String(); got != "I" && got != "{" {
				t.Errorf("the program has printed %q", got)
			}
			p.survives(c)
			p.notTwice("one", "two", "three")
		})
	}
}

// P8: while a session is open, another process that wants it is told so and
// changes nothing. One that begins a session of its own is not held up.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: work\nsay: Mine.\n\nuser: other\nsay: Never.\n\nuser: own\nsay: My own.\n"+goOn)
	arrived, others := make(chan struct{}), make(chan struct{})
	p.onRequest(func(n int, _ scriptserver.Request) {
		if n == 1 {
			close(arrived)
			<-others
		}
	})
	c := p.start("run", "work")
	within(t, arrived, "request")
	id := string(p.log()[0].Session)
	for _, flags := range [][]string{{"--continue"}, {"--resume", id}} {
		second := p.run(exitStore, append([]string{"run", "other"}, flags...)...)
		second.tells(1, fmt.Sprintf("The session %s is open elsewhere (process %d on ", id, c.cmd.Process.Pid))
		second.tells(1, fmt.Sprintf("Watch it with `ikigai log --follow %[1]s`, go on in a copy of it with `ikigai run --resume %[1]s --fork PROMPT`, or wait until it ends.", id))
		if second.out.String() != "" {
			t.Errorf("the second process printed %q", second.out)
		}
	}
	elsewhere := p.command("run", "own")
	elsewhere.Dir = t.TempDir()
	startChild(t, elsewhere).ends(exitAnswered)
	close(others)
	c.ends(exitAnswered)
	p.survives(c)
	if n := len(of(ikigai.KindUser, p.log())); n != 2 {
		t.Errorf("%d statements are in the log, want 2", n)
	}
}

// stopped checks that the log says that the turn was stopped.
func (p *place) stopped(events []ikigai.Event) {
	p.t.Helper()
	last := events[len(events)-1]
	var d ikigai.ErrorData
	if err := last.DecodeData(&d); err != nil || last.Kind != ikigai.KindError || d.Kind != ikigai.ErrorCancelled {
		p.t.Errorf("the log ends with %s", asJSON(last))
	}
}
