package cli

import (
	"strings"
	"testing"
)

// With display: compact a long result is folded; the key that is named there shows
// all of it, and each thing once.
//
// S2.46
func TestFrontShowsAll(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: count
call: bash {"command": "seq 1001 1100"}

reply:
say: That is all there is.
`)
	s := p.picturesque(140, "--set", "display=compact")
	s.says("count", "That is all there is.")
	if screen := s.Screen.Screen(); !strings.Contains(screen, "90 more lines: Ctrl-O") || strings.Contains(screen, "1050") {
		t.Errorf("the result is not folded:\n%s", screen)
	}
	s.Send("C-o")
	s.WaitFor("q close")
	screen := s.Screen.Screen()
	for _, once := range []string{"  1001\n", "  1050\n", "  1100\n", "That is all there is."} {
		if n := strings.Count(screen, once); n != 1 {
			t.Errorf("%q stands there %d times in\n%s", once, n, screen)
		}
	}
	s.Send("q")
	s.Until("the session is back", func(screen string) bool { return strings.Contains(screen, "90 more lines: Ctrl-O") })
	s.leaves()
}
