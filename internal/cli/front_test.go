package cli

import (
	"os"
	"path/filepath"
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
say: {{fill 100000}}

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
	t.Parallel()
	p := newPlace(t, talkScript)
	s := p.talk()
	s.enters("hello")
	s.answered("Hello to you.")
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
	s.enters("more")
	s.answered(`You said "more".`)
	s.Send("C-d")
	s.Exited()
	if got := kindsOf(p.log()); got != "system user assistant user assistant" {
		t.Errorf("the log has %s", got)
	}
}

// Who says nothing leaves nothing behind.
func TestTalkOfNothing(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	for name, cut := range map[string]func(*typist){
		"escape":  func(s *typist) { s.Send("Escape"); s.answered("The turn was stopped."); s.Send("C-d") },
		"hang-up": func(s *typist) { must(s.t, syscall.Kill(s.Pid(), syscall.SIGHUP)) },
		"end":     func(s *typist) { must(s.t, syscall.Kill(s.Pid(), syscall.SIGTERM)) },
		"no more": func(s *typist) { s.Vanish() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, talkScript)
			s := p.talk()
			s.enters("slowly")
			s.Until("two lines", func(screen string) bool {
				return strings.Count(screen, strings.Repeat("a", 3)) > 0 || strings.Count(screen, "\n") > 8 && len(strings.TrimSpace(screen)) > 200
			})
			shown := s.Screen.Screen()
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
func exitOfTalk(s *typist, how string) int {
	if how == "no more" {
		return -1
	}
	return s.Exited()
}

// What is said while a tool runs joins the statement under way, and what is queued
// is one of its own.
func TestTalkSteers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, talkScript)
	s := p.talk()
	s.enters("wait")
	s.made("began")
	s.enters("and then?")
	s.WaitFor("next: and then?")
	s.Type("later")
	s.Send("Tab")
	s.WaitFor("then: later")
	must(t, os.WriteFile(p.file("go"), nil, 0o600))
	s.answered(`You said "later".`)
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
	t.Parallel()
	p := newPlace(t, talkScript)
	s := p.talk()
	s.enters("twice")
	s.made("began")
	s.WaitFor("Ctrl-X")
	s.Send("C-x")
	s.answered("It went on.")
	if !strings.Contains(s.Screen.Screen(), "The person stopped this call.") {
		t.Errorf("the screen is\n%s", s.Screen.Screen())
	}
	s.edits("twice")
	s.Type(" over")
	s.Send("Enter")
	s.answered(`You said "twice over".`)
	s.Send("C-d")
	s.Exited()
	if got := kindsOf(p.log()); got != "system user tool_call tool_result assistant rewind user assistant" {
		t.Errorf("the log has %s", got)
	}
}

// edits has the last statement come into the input, by the two keys that do so when
// they follow each other within a while.
func (s *typist) edits(statement string) {
	s.t.Helper()
	edited := func(screen string) bool { return strings.Count(screen, "› "+statement) == 2 }
	hinted := func(screen string) bool { return strings.Contains(screen, "Esc again") }
	for hint := false; !edited(s.Screen.Screen()); hint = hinted(s.Screen.Screen()) {
		s.Send("Escape")
		s.Until("what comes of Escape", func(screen string) bool { return edited(screen) || hinted(screen) != hint })
	}
	s.Send("C-e") // an Escape that came too late is a part of this key, not of one that is typed
}

// Without a key the front opens all the same, says what is missing and gives back
// what cannot be said.
func TestTalkWithoutKey(t *testing.T) {
	t.Parallel()
	p := newPlace(t, talkScript)
	must(t, os.WriteFile(filepath.Join(p.root, "home", ".config", "ikigai", "config.json"), []byte(`{"model": "openai/gpt-5"}`), 0o600))
	s := p.talk()
	s.WaitFor("OPENAI_API_KEY")
	s.enters("hello")
	s.Until("the statement given back", func(screen string) bool {
		return strings.Count(screen, "OPENAI_API_KEY") > 2 && strings.Contains(screen, "› hello") && ended(screen)
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
	t.Parallel()
	for name, tt := range map[string]struct{ tmp, status, notice string }{
		"journal": {"", "journal", "kept in a second one"},
		"memory":  {"/dev/null/none", "memory only", "No disk takes events"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlaceIn(t, t.TempDir(), talkScript)
			must(t, os.WriteFile(filepath.Join(p.root, "file"), nil, 0o600))
			p.database = filepath.Join(p.root, "file", "ikigai.db")
			var env []string
			if tt.tmp != "" {
				env = []string{"TMPDIR=" + tt.tmp}
			}
			s := p.sits(tmuxtest.Config{Env: env, Width: 100}, "›")
			s.enters("hello")
			s.answered("Hello to you.")
			s.WaitFor(tt.status)
			if !strings.Contains(strings.Join(strings.Fields(s.History()), " "), tt.notice) {
				t.Errorf("the screen is\n%s", s.History())
			}
			s.enters("wait")
			if name == "memory" {
				s.WaitFor("Let tools change things all the same?")
				s.WaitFor("y yes")
				s.Send("y")
			}
			s.made("began")
			must(t, os.WriteFile(p.file("go"), nil, 0o600))
			s.answered("After it: waited")
			s.Send("C-d")
			s.Exited()
		})
	}
}

// Where there is no terminal, the front says so and points to run.
func TestTalkNeedsATerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, talkScript)
	if said := p.run(2).err.String(); !strings.Contains(said, "needs a terminal") || !strings.Contains(said, "ikigai run PROMPT") {
		t.Errorf("it says %s", said)
	}
}
