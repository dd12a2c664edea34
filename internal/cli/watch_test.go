package cli

import (
	"io"
	"strings"
	"testing"
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
	screen, c := atTerminal(t, p.command("run", "work"))
	screen.awaitText(t, "… step one") // while the tool waits for us
	gate := openWrite(t, g)
	_, err := io.WriteString(gate, "go\n")
	must(t, err)
	c.ends(exitAnswered)
	screen.awaitText(t, "Done.")
	for line := range strings.Lines(screen.String()) {
		if at := strings.LastIndex(line, "\x1b[K"); at >= 0 && strings.Contains(line[at:], "…") {
			t.Errorf("the status stays: %q", line)
		}
	}
}
