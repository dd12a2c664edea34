package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/tmuxtest"
	"ikigai/internal/tty"
)

// playsFront is the argument with which this test is a Front in a terminal.
const playsFront = "plays-front"

// player is the host of a Front that shows what is asked for.
type player struct {
	host
	ui    *Front
	winch chan os.Signal
}

func (p *player) Leave() {}

// Submit implements Host.
func (p *player) Submit(i Input) {
	p.ui.Block(said(ikigai.KindUser, i.Text))
	words := strings.Fields(i.Text)
	switch words[0] {
	case "resized":
		go p.resized(words[1:])
	case "flood":
		p.ui.Block(callBlock("1", "bash", `{"command":"seq 10000"}`))
		var output strings.Builder
		for n := range 10_000 {
			fmt.Fprintf(&output, "line %d of the flood\n", n)
		}
		p.ui.Block(resultBlock("1", output.String()))
	case "hostile":
		p.ui.Busy(hostile)
		p.ui.Status(Status{Model: hostile, Goal: hostile, Title: hostile, Mode: hostile, Store: hostile})
		p.ui.Block(callBlock("1", hostile, fmt.Sprintf(`{"command":%q}`, hostile)))
		p.ui.Progress("1", []byte(hostile))
		p.ui.Delta(ikigai.Delta{Text: hostile + "\n"})
		p.ui.Notice(hostile)
	default:
		p.ui.Notice(fmt.Sprintf("Taken: %d bytes.", len(i.Text)))
	}
}

// playFront is a Front on this program's terminal.
func playFront() int {
	term, err := tty.Open(os.Stdin, os.Stdout, tty.Options{Term: "tmux-256color", Reflows: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p := &player{winch: make(chan os.Signal, 100)}
	signal.Notify(p.winch, syscall.SIGWINCH)
	if len(os.Args) > 2 {
		lines, _ := strconv.Atoi(os.Args[2])
		for n := range lines {
			fmt.Println(earlier(n))
		}
	}
	p.ui = New(Config{Terminal: term, Host: p, Style: render.Style{Color: true}})
	p.ui.Status(Status{Model: "local/any", Title: "the title"})
	switch err := p.ui.Run(context.Background()); {
	case errors.Is(err, ErrGone):
		return 3
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("left")
	return 0
}

// inTmux starts a Front in a terminal.
func inTmux(t *testing.T, width, height int) *tmuxtest.Screen {
	t.Helper()
	s := tmuxtest.Start(t, tmuxtest.Config{Args: []string{os.Args[0], playsFront}, Width: width, Height: height})
	s.WaitFor("local/any")
	return s
}

// All lines of a long output are in the terminal's own history, and the input is
// there.
//
// S2.46, P33
func TestFloodInTerminal(t *testing.T) {
	s := inTmux(t, 80, 24)
	s.Type("flood")
	s.Send("Enter")
	s.Type("next")
	s.WaitFor("line 9999 of the flood")
	s.WaitFor("› next")
	if alternate := s.Format("#{alternate_on}"); alternate != "0" {
		t.Error("the session is on the alternate screen")
	}
	history := s.History()
	for _, n := range []int{9000, 9500, 9998} { // tmux keeps some thousand lines
		if got := strings.Count(history, fmt.Sprintf("line %d of the flood", n)); got != 1 {
			t.Errorf("line %d stands there %d times", n, got)
		}
	}
}

// What is written for each key is what the key has changed: the history is not
// drawn again, the session stays on the normal screen, and each line is there once.
//
// P33
func TestBytesPerKey(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	term, err := tty.Open(slave, slave, tty.Options{Term: "xterm-256color", Reflows: true})
	if err != nil {
		t.Fatal(err)
	}
	f := New(Config{Terminal: term, Host: &host{}, Style: render.Style{Color: true}})
	ended := make(chan error, 1)
	go func() { ended <- f.Run(t.Context()) }()
	var all strings.Builder
	until := func(text string) (bytes int) { // reads until text has come
		for from, buf := all.Len(), make([]byte, 64<<10); !strings.Contains(all.String()[from:], text); {
			n, err := master.Read(buf)
			if err != nil {
				t.Fatalf("%q does not come: %v", text, err)
			}
			all.Write(buf[:n])
			bytes += n
		}
		return bytes
	}
	for n := range 500 {
		f.Block(said(ikigai.KindUser, fmt.Sprintf("statement %d.", n)))
	}
	until("statement 499.")
	f.Status(Status{Model: "local/any"})
	until("local/any")
	const text = "abcdefghijklmnopqrstuvwxyz"
	for _, r := range text {
		if _, err := fmt.Fprint(master, string(r)); err != nil {
			t.Fatal(err)
		}
		if n := until(string(r)); n > 120 {
			t.Errorf("%d bytes are written for %q", n, r)
		}
	}
	f.Print("the end")
	until("the end")
	f.Quit()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for n := range 500 {
		if got := strings.Count(all.String(), fmt.Sprintf("statement %d.", n)); got != 1 {
			t.Errorf("statement %d is written %d times", n, got)
		}
	}
	for _, alternate := range []string{"?1049h", "?1047h", "?47h"} {
		if strings.Contains(all.String(), alternate) {
			t.Errorf("%s: the session is on the alternate screen", alternate)
		}
	}
}

// P36
func TestPasteOfAMegabyte(t *testing.T) {
	s := inTmux(t, 80, 24)
	text := strings.Repeat("a line of the paste, of 32 bytes\n", 1<<20/33)
	s.Paste(text)
	s.WaitFor("[paste 1:")
	s.Send("Enter")
	s.Until("all of it is taken", func(screen string) bool {
		return strings.Contains(screen, fmt.Sprintf("Taken: %d bytes.", len(text))) ||
			strings.Contains(screen, fmt.Sprintf("Taken: %d bytes.", len(text)-1))
	})
}

// P42
func TestHostileInTerminal(t *testing.T) {
	s := inTmux(t, 100, 40)
	s.Type("hostile")
	s.Send("Enter")
	s.WaitFor("Esc stops")
	s.Type("still here")
	s.WaitFor("› still here")
	if title := s.Format("#{pane_title}"); title == "owned" || acts(title) {
		t.Errorf("the title is %q", title)
	}
	s.WaitFor("]52;c;eA==")
}

func TestLeavesTheTerminalAsItWas(t *testing.T) {
	s := inTmux(t, 80, 24)
	s.Type("words")
	s.WaitFor("› words")
	s.Send("C-c")
	s.Until("the input is empty", func(screen string) bool { return !strings.Contains(screen, "words") })
	s.Send("C-d")
	if code := s.Exited(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if screen := s.Screen(); strings.Contains(screen, "local/any") || !strings.Contains(screen, "left") {
		t.Errorf("the screen after the end:\n%s", screen)
	}
}

func TestVanishes(t *testing.T) {
	s := inTmux(t, 80, 24)
	s.Vanish()
}

// Ctrl-Z stops the program, and when it goes on everything is there again.
func TestSuspendInTerminal(t *testing.T) {
	s := tmuxtest.Start(t, tmuxtest.Config{Args: []string{"/bin/sh", "-c", `set -m; "$0" "$1"; echo stopped; read -r line; fg`, os.Args[0], playsFront}})
	s.WaitFor("local/any")
	s.Type("words")
	s.WaitFor("› words")
	s.Send("C-z")
	s.WaitFor("stopped")
	if strings.Contains(s.Screen(), "local/any") {
		t.Errorf("the live region stays:\n%s", s.Screen())
	}
	s.Send("Enter")
	s.WaitFor("› words")
	s.Send("C-c", "C-d")
	s.WaitFor("left")
}

// A signal from outside that stops the program, and one that has it go on, leave
// the terminal in order.
func TestStoppedFromOutside(t *testing.T) {
	s := inTmux(t, 80, 24)
	s.Type("one ")
	if err := syscall.Kill(s.Pid(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(s.Pid(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.Type("two")
	s.WaitFor("› one two")
}
