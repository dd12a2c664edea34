package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ikigai"
)

// What only tells something does not wait for a command that does something, and
// what does something waits for the one before it.
func TestTellingBesideACommand(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	p.run(0, "run", "In another session")
	s := p.types()
	s.says("Write it", "It is written.")
	s.enters("!!touch begun; until test -e go; do sleep 0.05; done")
	s.made("begun")
	s.says("/mark here", "next: /mark here")
	s.reads("/help", "/thinking LEVEL")
	s.reads("/context", "Write it")
	s.reads("/log", "It is written.")
	s.reads("/raw", "SHA-256 as recorded")
	s.reads("/system", "system prompt, as it was recorded")
	s.reads("/tools", "file_write")
	s.reads("/tool file_write", "used: 1: 1 ok, 0 failed")
	s.says("/cost", "main")
	s.says("/goal", "Write it (statement)")
	s.says("/jobs", "No command runs in the background.")
	s.says("/search It", "Found: It")
	s.escapes("Found: It")
	s.says("/sessions", "In another session")
	s.escapes("Go on with which session?")
	if strings.Contains(s.History(), "is marked") {
		t.Error("a place was marked while a command ran")
	}
	must(t, os.WriteFile(p.file("go"), nil, 0o600))
	s.WaitFor(`is marked "here"`)
	s.leaves()
	events := p.log()
	done := slices.IndexFunc(events, func(e ikigai.Event) bool {
		return e.Kind == ikigai.KindToolResult && strings.HasPrefix(e.Interaction, "shell-")
	})
	if marked := slices.IndexFunc(events, func(e ikigai.Event) bool { return e.Kind == ikigai.KindMark }); done < 0 || marked < done {
		t.Errorf("event %d is the mark, event %d the result of the command", marked, done)
	}
}

// Who wants to leave waits for what was begun before, but not for ever.
func TestQuitBesideACommand(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	s := p.types()
	s.enters("!!touch begun; sleep 600")
	s.made("begun")
	s.enters("/quit")
	if code := s.Exited(); code != exitAnswered {
		t.Errorf("the front ended with %d", code)
	}
}

// A session is gone on with once the command before that has ended, although it was
// chosen before.
func TestChosenSessionWaits(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	p.run(0, "run", "In another session")
	s := p.types()
	s.says("Write it", "It is written.")
	s.enters("!!touch begun; until test -e go; do sleep 0.05; done")
	s.made("begun")
	s.says("/sessions", "In another session")
	s.Type("another")
	s.Until("the other session alone", func(screen string) bool {
		return strings.Contains(screen, "In another session") && !strings.Contains(screen, "Write it")
	})
	s.Send("Enter")
	s.WaitFor("/resume 0")
	must(t, os.WriteFile(p.file("go"), nil, 0o600))
	s.WaitFor("› In another session")
	s.says("And here?", "So be it.")
	s.leaves()
	var statements []string
	for _, e := range p.log() {
		if e.IsStatement() {
			statements = append(statements, e.Content)
		}
	}
	if got := strings.Join(statements, "; "); got != "In another session; And here?" {
		t.Errorf("the session has %s", got)
	}
}

// Commands that may be showing something are told, each once and in order; one that
// has ended without a word is not.
func TestEchoes(t *testing.T) {
	var e echoes
	silent := e.await("/silent")
	e.await("/first")
	e.await("/second")
	silent()
	if got := strings.Join(e.take(), " "); got != "/first /second" {
		t.Errorf("told are %s", got)
	}
	if got := e.take(); got != nil {
		t.Errorf("and again %s", got)
	}
}

func TestOnlyTells(t *testing.T) {
	for line, want := range map[string]bool{
		"/help": true, "/help mark": true, "/cost": true, "/goal": true, "/goal Ship it": false, "/raw 2": true, "/log -v": true,
		"/sessions": true, "/diff 2": true, "/resume 0": false, "/mark x": false, "/compact": false, "/export": false, "!ls": false, "!!cost": false,
		"cost": false, "/nothing": false, "/tmp/cost": false,
	} {
		if onlyTells(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}
