package cli

import (
	"fmt"
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
	t.Parallel()
	for name, how := range map[string]struct{ arg, env string }{
		"screen reader": {arg: "screen_reader=true", env: "TERM=xterm-256color"},
		"dumb terminal": {arg: "screen_reader=false", env: "TERM=dumb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, plainScript)
			p.unreplayed = true // a turn is stopped
			shown := p.inLines([]lineStep{
				{"you: ", "What is here?\n"},
				{"There is one thing.\r\nyou: ", "Wait.\n"},
				{"sleep 1000", "\x03"},
				{"The turn was stopped", "/sessions\n"},
				{"pick: ", "\x04"},
				{"\r\nyou: ", "\x04"},
			}, how.env, "--set", how.arg)
			if i := strings.IndexByte(shown, '\x1b'); i >= 0 {
				t.Errorf("an escape sequence was written: %q", shown[i:])
			}
			if !strings.Contains(shown, "one\r\n") {
				t.Errorf("the result is not shown: %s", shown)
			}
		})
	}
}

// lineStep is something that a person types once they see a text behind what they
// saw before.
type lineStep struct{ see, types string }

// inLines starts the front in lines, types, and returns all that was written until
// it has ended.
func (p *place) inLines(steps []lineStep, env string, args ...string) string {
	p.t.Helper()
	cmd := p.command(args...)
	cmd.Env = append(cmd.Env, env)
	terminal, err := pty.Start(cmd)
	must(p.t, err)
	defer terminal.Close()
	p.t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless something failed
	shown, done := newOutput(), make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(shown, terminal) // ends with an error, as terminals do
		err = cmd.Wait()
	}()
	from := 0
	for _, step := range steps {
		shown.await(p.t, fmt.Sprintf("%q", step.see), func(s string) bool {
			i := strings.Index(s[from:], step.see)
			if i >= 0 {
				from += i + len(step.see)
			}
			return i >= 0
		})
		_, err := terminal.WriteString(step.types)
		must(p.t, err)
	}
	within(p.t, done, "the end of the program")
	if err != nil {
		p.t.Errorf("the program ends with %v", err)
	}
	return shown.String()
}
