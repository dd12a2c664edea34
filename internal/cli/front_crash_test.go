package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ikigai/internal/crash"
	"ikigai/internal/tmuxtest"
)

// runBroken is ikigai with a goroutine that panics once something is written to the
// pipe "break" in the working directory.
func runBroken(out, told io.Writer) {
	go func() {
		defer crash.Guard()
		if _, err := os.ReadFile("break"); err == nil {
			panic("a fault")
		}
	}()
	os.Exit(Run(context.Background(), Process{Args: os.Args[1:], Env: os.Environ(), In: os.Stdin, Out: out, Err: told}))
}

// A panic on a goroutine that nobody looks after, while a tool runs: the person has
// the terminal as it was and is told where the details are, nothing that was started
// is left, and the session goes on.
func TestPanicGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t, leavingScript+goOn)
	p.unreplayed = true // a call was stopped
	broken, err := exec.LookPath("ikigai-broken")
	must(t, err)
	must(t, syscall.Mkfifo(p.file("break"), 0o600))
	g := p.gate("gate")
	p.program = broken
	s := p.sits(tmuxtest.Config{Width: 100, Height: 50, Args: []string{"sh", "-c",
		`stty -a >before; "$0" "$@"; echo "ended with $?"; stty -a | cmp - before && echo "as before"; read -r line`}}, sessionOpen)
	s.enters("tool")
	g.awaits("there")
	must(t, os.WriteFile(p.file("break"), []byte("now"), 0))
	s.WaitFor("as before")
	g.awaitGone()
	all := s.Unwrapped()
	for _, want := range []string{"\nikigai: ikigai itself broke: a fault. What was recorded is safe", "ended with 1\n"} {
		if !strings.Contains(all, want) {
			t.Errorf("the screen lacks %q:\n%s", want, all)
		}
	}
	if strings.Contains(all, "goroutine") || strings.Contains(s.Screen.Screen(), "Esc stops") {
		t.Errorf("the person sees what they must not:\n%s", all)
	}
	kept, err := filepath.Glob(filepath.Join(p.root, "tmp", "ikigai-crash-*.txt"))
	must(t, err)
	if len(kept) != 1 {
		t.Fatalf("the details are in %q", kept)
	}
	if details, err := os.ReadFile(kept[0]); err != nil || !strings.Contains(string(details), "cli.runBroken.func1") {
		t.Errorf("the details do not lead to the fault: %v\n%s", err, details)
	}

	p.program = ""
	s = p.types("--continue")
	s.says("go on", "I go on.")
	s.leaves()
	p.allAccepted()
}
