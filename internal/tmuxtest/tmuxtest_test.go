package tmuxtest_test

import (
	"strings"
	"testing"

	"ikigai/internal/tmuxtest"
)

func sh(t *testing.T, script string) *tmuxtest.Screen {
	return tmuxtest.Start(t, tmuxtest.Config{Args: []string{"sh", "-c", script}, Env: []string{"A=b c;"}, Width: 40, Height: 5})
}

func TestKeysAndScreen(t *testing.T) {
	s := sh(t, `printf 'A=%s TERM=%s HOME=%s.\n' "$A" "$TERM" "$HOME"; while read -r x; do printf '<%s>\n' "$x"; done; exit 3`)
	s.WaitFor("A=b c; TERM=tmux-256color HOME=.\n")
	s.Type("grüße;")
	s.Send("Enter")
	s.WaitFor("<grüße;>")
	for range 6 {
		s.Send("a", ";", "Enter")
	}
	s.Until("the last of six lines", func(string) bool { return strings.Count(s.History(), "<a;>") == 6 })
	if strings.Contains(s.Screen(), "grüße") {
		t.Errorf("the screen has more than its rows:\n%s", s.Screen())
	}
	s.Send("C-d")
	if got := s.Exited(); got != 3 {
		t.Errorf("status %d, want 3", got)
	}
}

func TestLongText(t *testing.T) {
	s := sh(t, `stty -icanon -echo min 1; printf '\033[?2004hready\n'; head -c 30000 | wc -c; head -c 100013 | tail -c 7`)
	s.WaitFor("ready")
	s.Type(strings.Repeat("ä;b", 7500))
	s.WaitFor("30000")
	s.Paste(strings.Repeat("y", 100000) + "\n")
	s.WaitFor("y")
	if got := s.Exited(); got != 0 {
		t.Errorf("status %d, want 0", got)
	}
}

func TestResizeAndJoin(t *testing.T) {
	line := strings.Repeat("0123456789", 5) + "."
	s := sh(t, `echo `+line+`; trap 'stty size' WINCH; while :; do read -r x; done`)
	s.WaitFor("0123456789.")
	if strings.Contains(s.History(), line) || !strings.Contains(s.Unwrapped(), line) {
		t.Errorf("a line of 51 columns on 40:\n%s", s.Unwrapped())
	}
	s.Resize(60, 7)
	s.WaitFor(line)
	if got := s.Format("#{pane_width} #{pane_height}"); got != "60 7" {
		t.Errorf("size %s, want 60 7", got)
	}
}

func TestSignalAndVanish(t *testing.T) {
	s := sh(t, `kill -TERM $$`)
	if got := s.Exited(); got != 128+15 {
		t.Errorf("status %d, want 143", got)
	}
	s = sh(t, `echo here; exec sleep 1000`)
	s.WaitFor("here")
	s.Vanish()
}

func TestGolden(t *testing.T) {
	t.Chdir(t.TempDir())
	tmuxtest.Golden(t, "screens/a", "x  \n\ny\n\n\n", true)
	tmuxtest.Golden(t, "screens/a", "x\n\ny", false)
}
