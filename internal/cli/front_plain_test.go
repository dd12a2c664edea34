package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"
)

const plainScript = `
user: What is here?
call: bash {"command": "printf '\\033[31mone\\033[0m\\n'"}

reply:
say: There is one thing.

user: Wait.
call: bash {"command": "echo waiting; sleep 1000"}

reply:
say: It is over.
`

// P26, P42: a front of lines writes nothing but text, whatever happens: for a
// screen reader, and on a terminal that only prints. Ctrl-C stops, Ctrl-D leaves.
func TestFrontOfLines(t *testing.T) {
	for name, how := range map[string]struct{ arg, env string }{
		"screen reader": {arg: "screen_reader=true", env: "TERM=xterm-256color"},
		"dumb terminal": {arg: "screen_reader=false", env: "TERM=dumb"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, plainScript)
			p.unreplayed = true // a turn is stopped
			cmd := p.command("--set", how.arg)
			cmd.Env = append(cmd.Env, how.env)
			terminal, err := pty.Start(cmd)
			must(t, err)
			defer terminal.Close()
			t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless something failed
			shown, done := newOutput(), make(chan struct{})
			go func() {
				defer close(done)
				_, _ = io.Copy(shown, terminal) // ends with an error, as terminals do
				err = cmd.Wait()
			}()
			for _, step := range []struct{ see, types string }{
				{"you: ", "What is here?\n"},
				{"There is one thing.\r\nyou: ", "Wait.\n"},
				{"sleep 1000", "\x03"},
				{"The turn was stopped", "/sessions\n"},
				{"pick: ", "\x04"},
				{"pick: \r\nyou: ", "\x04"},
			} {
				shown.awaitText(t, step.see)
				_, err := terminal.WriteString(step.types)
				must(t, err)
			}
			within(t, done, "the end of the program")
			if err != nil {
				t.Errorf("the program ends with %v", err)
			}
			if i := strings.IndexByte(shown.String(), '\x1b'); i >= 0 {
				t.Errorf("an escape sequence was written: %q", shown.String()[i:])
			}
			if !strings.Contains(shown.String(), "one\r\n") {
				t.Errorf("the result is not shown: %s", shown)
			}
		})
	}
}
