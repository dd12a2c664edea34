package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// S2.12: at a terminal the person sees what a running tool prints while it runs, and
// nothing of that stays.
func TestWatch(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: bash {"command": "echo step one; read < gate; echo step two"}

reply:
say: Done.
`)
	g := p.file("gate")
	must(t, mkfifo(g))
	ours, theirs, err := pty.Open()
	must(t, err)
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	must(t, pty.Setsize(ours, &pty.Winsize{Rows: 24, Cols: 80}))
	cmd := p.command("run", "work")
	cmd.Env = append(cmd.Env, "TERM=xterm")
	cmd.Stdout, cmd.Stderr = theirs, theirs
	screen := newOutput()
	go io.Copy(screen, ours) // until the terminal is closed
	c := startChild(t, cmd)
	screen.awaitText(t, "… step one") // while the tool waits for us
	gate := openWrite(t, g)
	_, err = io.WriteString(gate, "go\n")
	must(t, err)
	c.ends(exitAnswered)
	screen.awaitText(t, "Done.")
	for line := range strings.Lines(screen.String()) {
		if at := strings.LastIndex(line, "\x1b[K"); at >= 0 && strings.Contains(line[at:], "…") {
			t.Errorf("the status stays: %q", line)
		}
	}
}
