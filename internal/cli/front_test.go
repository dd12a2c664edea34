package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ikigai"
	"ikigai/internal/tmuxtest"
)

// talkScript plays a model for the interactive front.
const talkScript = `
user: hello
say: Hello to you.

user: slowly
delay: 0ms 20ms
chunk: 8
say: {{fill 4000}}

user: wait
call: bash {"command": "touch began; while ! test -e go; do sleep 0.05; done; echo waited"}

reply:
steer: and then?
say: After it: {{output}}.

user: /^twice$/
call: bash {"command": "touch began; sleep 1000"}

reply:
say: It went on.

user: *
say: You said "{{user}}".
`

// talk starts the interactive front.
func (p *place) talk(args ...string) *tmuxtest.Screen {
	p.t.Helper()
	cmd := p.command(args...)
	s := tmuxtest.Start(p.t, tmuxtest.Config{Args: append([]string{cmd.Path}, args...), Env: cmd.Env, Dir: p.work, Width: 80, Height: 24})
	s.WaitFor("›")
	return s
}

// typeLine types a line and sends it off.
func typeLine(s *tmuxtest.Screen, text string) {
	s.Type(text)
	s.Send("Enter")
}

// answered waits until text stands on the screen and the turn has ended. What comes
// of a reply is on the screen before that, while a key still meets a running turn.
func answered(s *tmuxtest.Screen, text string) {
	s.Until(strconv.Quote(text)+" and the end of the turn", func(screen string) bool {
		return strings.Contains(screen, text) && !strings.Contains(screen, "Esc stops")
	})
}

// kindsOf returns the kinds of the main conversation of a log.
func kindsOf(events []ikigai.Event) string {
	var all []string
	for _, e := range events {
		if e.Kind.Conversation() || e.Kind == ikigai.KindInterrupted || e.Kind == ikigai.KindRewind || e.Kind == ikigai.KindError {
			all = append(all, string(e.Kind))
		}
	}
	return strings.Join(all, " ")
}

// A statement is answered; leaving tells how to go on, and there the end of what
// was said is shown again.
//
// S2.45, S2.47
func TestTalk(t *testing.T) {
	p := newPlace(t, talkScript)
	s := p.talk()
	typeLine(s, "hello")
	s.WaitFor("Hello to you.")
	s.Send("C-d")
	s.WaitFor("Go on with `ikigai --resume ")
	if code := s.Exited(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := kindsOf(p.log()); got != "system user assistant" {
		t.Errorf("the log has %s", got)
	}
	s = p.talk("--continue")
	s.WaitFor("Hello to you.")
	typeLine(s, "more")
	s.WaitFor(`You said "more".`)
	s.Send("C-d")
	s.Exited()
	if got := kindsOf(p.log()); got != "system user assistant user assistant" {
		t.Errorf("the log has %s", got)
	}
}

// Who says nothing leaves nothing behind.
func TestTalkOfNothing(t *testing.T) {
	p := newPlace(t, talkScript)
	s := p.talk()
	s.WaitFor("test/scripted")
	s.Send("C-d")
	if code := s.Exited(); code != 0 || strings.Contains(s.History(), "--resume") {
		t.Errorf("exit code %d, %s", code, s.History())
	}
	if found := p.run(0, "sessions", "--json").out.String(); strings.Contains(found, "{") {
		t.Errorf("there is a session: %s", found)
	}
}

// Esc in the middle of an answer keeps what came, and a hang-up everything that
// was shown.
//
// P7
func TestTalkIsCutOff(t *testing.T) {
	for name, cut := range map[string]func(*tmuxtest.Screen){
		"escape":  func(s *tmuxtest.Screen) { s.Send("Escape"); s.WaitFor("The turn was stopped."); s.Send("C-d") },
		"hang-up": func(s *tmuxtest.Screen) { must(t, syscall.Kill(s.Pid(), syscall.SIGHUP)) },
		"end":     func(s *tmuxtest.Screen) { must(t, syscall.Kill(s.Pid(), syscall.SIGTERM)) },
		"no more": func(s *tmuxtest.Screen) { s.Vanish() },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, talkScript)
			s := p.talk()
			typeLine(s, "slowly")
			s.Until("two lines", func(screen string) bool {
				return strings.Count(screen, strings.Repeat("a", 3)) > 0 || strings.Count(screen, "\n") > 8 && len(strings.TrimSpace(screen)) > 200
			})
			shown := s.Screen()
			cut(s)
			if code := exitOfTalk(s, name); code != map[string]int{"escape": 0, "hang-up": 130, "end": 130, "no more": -1}[name] {
				t.Errorf("exit code %d", code)
			}
			events := p.log()
			if got := kindsOf(events); got != "system user interrupted error" {
				t.Fatalf("the log has %s", got)
			}
			kept := strings.Join(strings.Fields(events[len(events)-2].Content), "")
			for _, e := range events {
				if e.Kind == ikigai.KindInterrupted {
					kept = strings.Join(strings.Fields(e.Content), "")
				}
			}
			_, answer, _ := strings.Cut(shown, "slowly")
			answer, _, _ = strings.Cut(answer, "›")
			for line := range strings.Lines(answer) {
				if line = strings.TrimSpace(line); len(line) > 40 && !strings.Contains(kept, line) {
					t.Errorf("%q was shown, and kept is %q", line, kept)
				}
			}
		})
	}
}

// exitOfTalk returns the exit code of the front; -1 where nobody sees it any more.
func exitOfTalk(s *tmuxtest.Screen, how string) int {
	if how == "no more" {
		return -1
	}
	return s.Exited()
}

// What is said while a tool runs joins the statement under way, and what is queued
// is one of its own.
func TestTalkSteers(t *testing.T) {
	p := newPlace(t, talkScript)
	s := p.talk()
	typeLine(s, "wait")
	s.Wait("the command", func() bool { _, err := os.Stat(p.file("began")); return err == nil })
	typeLine(s, "and then?")
	s.WaitFor("and then?")
	s.Type("later")
	s.Send("Tab")
	s.WaitFor("later")
	must(t, os.WriteFile(p.file("go"), nil, 0o600))
	s.WaitFor(`You said "later".`)
	s.Send("C-d")
	s.Exited()
	if got := kindsOf(p.log()); got != "system user tool_call tool_result user assistant user assistant" {
		t.Errorf("the log has %s", got)
	}
	statements := 0
	for _, e := range p.log() {
		if e.IsStatement() {
			statements++
		}
	}
	if statements != 2 {
		t.Errorf("%d statements", statements)
	}
}

// A call is cancelled alone, and the turn goes on; a statement that is edited
// takes the place of the last.
func TestTalkCancelsAndEdits(t *testing.T) {
	p := newPlace(t, talkScript)
	s := p.talk()
	typeLine(s, "twice")
	s.Wait("the command", func() bool { _, err := os.Stat(p.file("began")); return err == nil })
	s.WaitFor("Ctrl-X")
	s.Send("C-x")
	s.WaitFor("It went on.")
	if !strings.Contains(s.Screen(), "The person stopped this call.") {
		t.Errorf("the screen is\n%s", s.Screen())
	}
	s.Send("Escape")
	s.WaitFor("Esc again")
	s.Send("Escape")
	s.Until("the statement in the input", func(screen string) bool { return strings.Count(screen, "› twice") == 2 })
	s.Type(" over")
	s.Send("Enter")
	s.WaitFor(`You said "twice over".`)
	s.Send("C-d")
	s.Exited()
	if got := kindsOf(p.log()); got != "system user tool_call tool_result assistant rewind user assistant" {
		t.Errorf("the log has %s", got)
	}
}

// Without a key the front opens all the same, says what is missing and gives back
// what cannot be said.
func TestTalkWithoutKey(t *testing.T) {
	p := newPlace(t, talkScript)
	must(t, os.WriteFile(filepath.Join(p.root, "home", ".config", "ikigai", "config.json"), []byte(`{"model": "openai/gpt-5"}`), 0o600))
	s := p.talk()
	s.WaitFor("OPENAI_API_KEY")
	typeLine(s, "hello")
	s.Until("the statement given back", func(screen string) bool {
		return strings.Count(screen, "OPENAI_API_KEY") > 1 && strings.Contains(screen, "› hello")
	})
	s.Send("C-c")
	s.Send("C-d")
	if code := s.Exited(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// How events are kept is in sight where it is not as usual; where no disk takes
// them, the person is asked once in a statement whether tools may change things.
//
// P9
func TestTalkWithoutStore(t *testing.T) {
	for name, tt := range map[string]struct{ tmp, status, notice string }{
		"journal": {"", "journal", "kept in a second one"},
		"memory":  {"/dev/null/none", "memory only", "No disk takes events"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlaceIn(t, t.TempDir(), talkScript)
			must(t, os.WriteFile(filepath.Join(p.root, "file"), nil, 0o600))
			p.database = filepath.Join(p.root, "file", "ikigai.db")
			cmd := p.command()
			if tt.tmp != "" {
				cmd.Env = append(cmd.Env, "TMPDIR="+tt.tmp)
			}
			s := tmuxtest.Start(t, tmuxtest.Config{Args: []string{cmd.Path}, Env: cmd.Env, Dir: p.work, Width: 100})
			s.WaitFor("›")
			typeLine(s, "hello")
			s.WaitFor("Hello to you.")
			s.WaitFor(tt.status)
			if !strings.Contains(strings.Join(strings.Fields(s.History()), " "), tt.notice) {
				t.Errorf("the screen is\n%s", s.History())
			}
			typeLine(s, "wait")
			if name == "memory" {
				s.WaitFor("Let tools change things all the same?")
				s.WaitFor("y yes")
				s.Send("y")
			}
			s.Wait("the command", func() bool { _, err := os.Stat(p.file("began")); return err == nil })
			must(t, os.WriteFile(p.file("go"), nil, 0o600))
			s.WaitFor("After it: waited")
			s.Send("C-d")
			s.Exited()
		})
	}
}

// Where there is no terminal, the front says so and points to run.
func TestTalkNeedsATerminal(t *testing.T) {
	p := newPlace(t, talkScript)
	if said := p.run(2).err.String(); !strings.Contains(said, "needs a terminal") || !strings.Contains(said, "ikigai run PROMPT") {
		t.Errorf("it says %s", said)
	}
}
