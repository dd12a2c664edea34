package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// S2.81: with approval ask, every call that changes something is asked about by
// itself, with what it does; what was typed before the question does not answer
// it, and anything but a clear answer is asked again.
func TestAsk(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: bash {"command": "echo one >> witness"}
call: file_read {"path": "witness"}
call: bash {"command": "echo two >> witness"}
call: file_edit {"path": "witness", "edits": [{"old": "one\n", "new": "uno\ndue\n"}]}

reply:
expect: DENIED
say: As you like.
`)
	ours, theirs, err := pty.Open()
	must(t, err)
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	cmd := p.command("run", "--approval", "ask", "work")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	screen := newOutput()
	go io.Copy(screen, ours) // until the terminal is closed
	asked := func(call string) func(string) bool {
		return func(s string) bool { return strings.HasSuffix(s, "Run "+call+"? [y/N] ") }
	}

	_, err = io.WriteString(ours, "y\ny\n") // nobody has seen a question yet
	must(t, err)
	c := startChild(t, cmd)
	first, second := `bash(command="echo one >> witness")`, `bash(command="echo two >> witness")`
	screen.await(t, "the first question", asked(first))
	_, err = io.WriteString(ours, "what?\n")
	must(t, err)
	screen.await(t, "the first question again", func(s string) bool {
		return strings.Count(s, "Run "+first+"?") == 2 && asked(first)(s)
	})
	_, err = io.WriteString(ours, "y\n")
	must(t, err)
	screen.await(t, "the second question", asked(second))
	_, err = io.WriteString(ours, "n\n")
	must(t, err)
	// What an edit would change is seen before it is agreed to.
	screen.await(t, "the third question", func(s string) bool {
		_, shown, ok := strings.Cut(s, "-one")
		return ok && strings.Contains(shown, "+uno") && strings.Contains(shown, "Run file_edit(")
	})
	_, err = io.WriteString(ours, "n\n")
	must(t, err)
	c.ends(exitDenied)
	if got := strings.Join(p.lines("witness"), " "); got != "one" {
		t.Errorf("the tools left %q\n%s", got, screen)
	}
}
