package cli

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/creack/pty"
)

// atTerminal starts cmd at a terminal of 100 columns and returns what is shown
// there.
func atTerminal(t *testing.T, cmd *exec.Cmd) (*output, *child) {
	t.Helper()
	ours, theirs, err := pty.Open()
	must(t, err)
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	must(t, pty.Setsize(ours, &pty.Winsize{Rows: 24, Cols: 100}))
	cmd.Env = append(cmd.Env, "TERM=xterm")
	cmd.Stdout, cmd.Stderr = theirs, theirs
	screen := newOutput()
	go io.Copy(screen, ours) // until the terminal is closed
	return screen, startChild(t, cmd)
}

// P28: the wait before a request is sent again is seen to pass, whichever of its
// seconds a busy machine skips. What the statement has cost is told in the end, and
// how full the context is.
func TestCountdown(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: *
fault: status 503 times 1
  retry-after: 4
say: Here.
usage: input 1000 output 20
`)
	p.put(filepath.Join(p.root, "home", ".config", "ikigai", "config.json"), fmt.Sprintf(
		`{"model": "test/scripted", "objectives": "text", "vendors": {"test": {"base_url": %q}},
		"models": {"test/scripted": {"context": 10000, "price": {"input": 5, "output": 50}}}}`, p.server.URL))
	screen, c := atTerminal(t, p.command("run", "hello"))
	c.ends(exitAnswered)
	screen.awaitText(t, "about $")
	for _, want := range []string{
		`(?s)has no capacity now.*sent again in 4\.?\d* s \(attempt 1 of 4 failed\)`,
		`Here\.`,
		`1 request · 1k in, 20 out · context 1k of 10k \(10 %\) · about \$0\.0060`,
	} {
		if !regexp.MustCompile(want).MatchString(screen.String()) {
			t.Errorf("%s is not in\n%s", want, screen.String())
		}
	}
	seconds := map[string]bool{}
	for _, left := range regexp.MustCompile(`… sending again in ([1-5]) s, attempt 2 of 4 \(Ctrl-C stops\)`).FindAllStringSubmatch(screen.String(), -1) {
		seconds[left[1]] = true
	}
	if len(seconds) < 2 {
		t.Errorf("of the wait only %v is seen in\n%s", seconds, screen.String())
	}
}
