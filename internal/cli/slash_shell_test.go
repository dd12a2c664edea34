package cli

import (
	"os"
	"strings"
	"testing"

	"ikigai"
)

// What the person runs behind "!" is in the log before it runs, can be undone, and
// is told to the model with the next statement; behind "!!" nobody is told. Esc
// stops it.
func TestTypedCommands(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	s := p.types()
	s.says("!!echo qu''iet; touch first", "created "+p.file("first"))
	s.says("!echo lo''ud; exit 3", "exit code 3")
	s.WaitFor("· told the model: $ echo lo''ud; exit 3")
	s.says("And now?", "So be it.")
	if screen := s.Screen.Screen(); strings.Contains(screen, "told the model: $ echo qu") {
		t.Errorf("it is said that the model was told:\n%s", screen)
	}
	body := p.lastRequest()
	if !strings.Contains(body, "loud") || !strings.Contains(body, "exit code 3") || strings.Contains(body, "quiet") {
		t.Errorf("the model was sent: %s", body)
	}
	s.says("/undo", "/redo brings them back.")
	s.Wait("the file is gone", func() bool { _, err := os.Stat(p.file("first")); return os.IsNotExist(err) })

	s.enters("!echo beg''un; sleep 1000")
	s.WaitFor("begun")
	s.Send("Escape")
	s.answered("The command was stopped before its end")
	s.leaves()

	calls, results := map[string]int{}, 0
	for i, e := range p.log() {
		switch {
		case e.Kind == ikigai.KindToolCall && strings.HasPrefix(e.Interaction, "shell-"):
			calls[e.Interaction] = i
		case e.Kind == ikigai.KindToolResult && strings.HasPrefix(e.Interaction, "shell-"):
			if _, before := calls[e.Interaction]; !before {
				t.Errorf("event %d, a result, stands before its call", e.Seq)
			}
			results++
		}
	}
	if len(calls) != 3 || results != 3 {
		t.Errorf("%d calls and %d results in the log, want 3 of each", len(calls), results)
	}
}

// Commands of the person's own are statements: nothing in them is run.
func TestOwnCommandsOnScreen(t *testing.T) {
	t.Parallel()
	p := newPlace(t, slashScript)
	dir := p.root + "/home/.config/ikigai/commands/"
	must(t, os.MkdirAll(dir+"git", 0o755))
	must(t, os.WriteFile(dir+"git/what.md", []byte("---\ndescription: what has changed\nargument-hint: SINCE\n---\nWhat changed since $1?\n"), 0o644))
	must(t, os.WriteFile(dir+"bang.md", []byte("!touch ran\n"), 0o644))
	must(t, os.WriteFile(dir+"clear.md", []byte("Never said\n"), 0o644))
	s := p.types()
	s.reads("/help", "/git:what SINCE")
	s.reads("/help", "is passed over because /clear is built in")
	s.enters(`/git:what "last monday"`)
	s.WaitFor("› What changed since last monday?")
	s.answered("So be it.")
	s.enters("/bang with words")
	s.Until("it is said", func(screen string) bool { return strings.Count(screen, "So be it.") == 2 })
	if _, err := os.Stat(p.file("ran")); !os.IsNotExist(err) {
		t.Error("a line of a command was run")
	}
	if body := p.lastRequest(); !strings.Contains(body, `!touch ran\n\nwith words`) {
		t.Errorf("the model was sent: %s", body)
	}
	s.leaves()
}

func TestTypedText(t *testing.T) {
	got := typedText("/w", "false", ikigai.ToolResultData{Output: `{"output":"a\nb\n","exit_code":1}`})
	if want := "I ran a command in /w:\n\n$ false\n\nIts output:\n\na\nb\n\nIt ended with exit code 1."; got != want {
		t.Errorf("%q", got)
	}
}
