package cli

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"ikigai/internal/tmuxtest"
)

// leavingScript has something under way of every kind.
const leavingScript = `
user: hello
say: Hello to you.

user: change
call: bash {"command": "touch changed"}

user: tool
call: bash {"command": "exec 9>gate; (trap '' TERM INT HUP; sleep 1000) & echo there >&9; sleep 1000"}

user: tasks
call: delegate_tasks {"tasks": [{"title": "left", "instructions": "x"}]}

side: task /left/
call: bash {"command": "exec 9>gate; echo there >&9; sleep 1000"}
`

// Whatever the person is at, a signal and a terminal that vanishes end the program
// and everything that it has started, and all that happened is in the log.
//
// P7, P21
func TestTalkIsLeft(t *testing.T) {
	for name, at := range map[string]struct {
		args []string
		do   func(*typist, *gate)
		want string // kinds of what is in the log
	}{
		"a question": {args: []string{"--approval", "ask"}, want: "system user tool_call tool_result error", do: func(s *typist, _ *gate) {
			s.enters("change")
			s.WaitFor("y yes")
		}},
		"a pager": {want: "system user assistant", do: func(s *typist, _ *gate) {
			s.says("hello", "Hello to you.")
			s.Send("C-o")
			s.WaitFor("q close")
		}},
		"an editor": {args: []string{"--set", "editor=sh ed.sh"}, want: "system user assistant", do: func(s *typist, g *gate) {
			s.says("hello", "Hello to you.")
			s.Send("C-g")
			g.awaits("there")
		}},
		"a command": {want: "system user assistant tool_call tool_result user", do: func(s *typist, g *gate) {
			s.says("hello", "Hello to you.")
			s.enters("!exec 9>gate; echo there >&9; sleep 1000")
			g.awaits("there")
		}},
		"a tool": {want: "system user tool_call tool_result error", do: func(s *typist, g *gate) {
			s.enters("tool")
			g.awaits("there")
		}},
		"a list": {want: "system user assistant", do: func(s *typist, _ *gate) {
			s.says("hello", "Hello to you.")
			s.enters("/sessions")
			s.WaitFor("Go on with which session?")
		}},
	} {
		for _, how := range []string{"SIGTERM", "vanished"} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, leavingScript)
				p.unreplayed = true // something was stopped
				var g *gate
				if strings.Contains(name, "editor") || strings.Contains(name, "command") || strings.Contains(name, "tool") {
					g = p.gate("gate")
				}
				must(t, os.WriteFile(p.file("ed.sh"), []byte("exec 9>gate; echo there >&9; exec sleep 1000"), 0o600))
				s := p.types(at.args...)
				at.do(s, g)
				if how == "vanished" {
					s.Vanish()
				} else {
					must(t, syscall.Kill(s.Pid(), syscall.SIGTERM))
					if code := s.Exited(); code != exitInterrupted {
						t.Errorf("exit code %d", code)
					}
				}
				if g != nil {
					g.awaitGone()
				}
				events := p.log()
				if got := kindsOf(events); got != at.want {
					t.Errorf("the log has %s, want %s", got, at.want)
				}
				if lost := callsWithoutResult(events); len(lost) > 0 {
					t.Errorf("calls without a result: %s", lost)
				}
				if _, err := os.Stat(p.file("changed")); err == nil {
					t.Error("what was asked about has run")
				}
			})
		}
	}
}

// Ctrl-X ends tasks that were handed over, with all that they run, and the statement
// goes on.
func TestTalkCancelsTasks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, leavingScript+"\nuser: more\nsay: More.\n")
	p.unreplayed = true // a call was stopped
	g := p.gate("gate")
	s := p.types()
	s.enters("tasks")
	g.awaits("there")
	s.WaitFor("Ctrl-X")
	s.Send("C-x")
	g.awaitGone()
	s.Until("the end of the turn", ended)
	s.says("more", "More.")
	s.leaves()
	if lost := callsWithoutResult(p.log()); len(lost) > 0 {
		t.Errorf("calls without a result: %s", lost)
	}
}

// The second signal leaves at once, with the terminal as it was and nothing left
// behind.
func TestTalkIsLeftAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t, leavingScript)
	p.unreplayed = true
	g := p.gate("gate")
	s := p.types()
	s.enters("tool")
	g.awaits("there")
	for range 2 {
		must(t, syscall.Kill(s.Pid(), syscall.SIGTERM))
	}
	if code := s.Exited(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	g.awaitGone()
	if got := kindsOf(p.log()); !strings.HasPrefix(got, "system user tool_call") {
		t.Errorf("the log has %s", got)
	}
}

// Ctrl-Z in the middle of a turn gives the terminal to the shell; when the program goes
// on, so does the turn.
func TestTalkIsSuspended(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: bash {"command": "touch began; while ! test -e go; do sleep 0.05; done; echo waited"}

reply:
say: After it: {{output}}.
`)
	s := p.sits(tmuxtest.Config{
		Args:  []string{"/bin/sh", "-c", `set -m; "$0"; echo "stopped with $?"; read -r line; fg >/dev/null`},
		Width: 100, Height: 50,
	}, sessionOpen)
	s.enters("work")
	s.made("began")
	s.Send("C-z")
	s.WaitFor("stopped with 1") // 128 and the signal
	must(t, os.WriteFile(p.file("go"), nil, 0o600))
	s.Send("Enter")
	s.answered("After it: waited.")
	s.leaves()
	if got := kindsOf(p.log()); got != "system user tool_call tool_result assistant" {
		t.Errorf("the log has %s", got)
	}
}

// An interrupt that is typed in the editor is the editor's.
func TestTalkInAnEditor(t *testing.T) {
	t.Parallel()
	p := newPlace(t, goOn)
	g := p.gate("gate")
	must(t, os.WriteFile(p.file("ed.sh"), []byte("trap 'echo go on >$1; exit 0' INT; exec 9>gate; echo there >&9; while :; do sleep 0.1; done"), 0o600))
	s := p.types("--set", "editor=sh ed.sh")
	s.Send("C-g")
	g.awaits("there")
	s.Send("C-c")
	s.WaitFor("› go on")
	s.Send("Enter")
	s.answered("I go on.")
	s.leaves()
}

// P7: kill -9 in the middle of an answer loses nothing of what was shown: it is
// there when the session is opened again.
func TestTalkIsKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: work\nchunk: 4\nsay: Halfway, and no further.\nfault: hang after 3\n"+goOn)
	p.unreplayed = true
	s := p.types()
	s.enters("work")
	s.WaitFor("Halfway,")
	must(t, syscall.Kill(s.Pid(), syscall.SIGKILL))
	s.Exited()
	s = p.types("--continue")
	s.WaitFor("Halfway,")
	s.says("go on", "I go on.")
	s.leaves()
	if got := kindsOf(p.log()); got != "system user interrupted user assistant" {
		t.Errorf("the log has %s", got)
	}
	p.allAccepted()
}
