package tmuxtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// Config says what runs in which terminal.
type Config struct {
	Args          []string // the program and its arguments; a name without a slash is found in PATH
	Env           []string // all of its environment, but TERM is tmux-256color where it does not stand here
	Dir           string   // that it starts in; t.TempDir() if empty
	Width, Height int      // 80 by 24 if 0
}

// Screen is a terminal in which a program runs. Its methods fail the test where
// tmux fails.
type Screen struct {
	t      *testing.T
	server *server
	pid    int
	bound  time.Duration // that anything is waited for
}

// Start starts a program in a terminal of its own. At the test's end the terminal
// vanishes, and Start's cleanup waits until the program has ended, too. Without
// tmux the test is skipped, in CI it fails.
func Start(t *testing.T, c Config) *Screen {
	t.Helper()
	s := &Screen{t: t, server: newServer(t), bound: 30 * time.Second}
	begun := time.Now()
	if err := s.server.start(orElse(c.Width, 80), orElse(c.Height, 24), c.dir(t), c.command(t)); err != nil {
		t.Fatal(err)
	}
	// It takes some 10 ms. A machine that needs longer gets more time for all else.
	s.bound *= time.Duration(min(max(time.Since(begun)/(100*time.Millisecond), 1), 4))
	end, err := s.server.guard()
	if err != nil {
		_, _ = s.server.run("", "kill-server")
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close(end) })
	s.pid = s.number("#{pane_pid}")
	return s
}

// close ends the server, and the program with it.
func (s *Screen) close(end func()) {
	end()
	if s.pid == 0 || poll(s.bound, func() bool { return gone(s.pid) }) {
		return
	}
	s.t.Errorf("process %d has not ended %s after its terminal was gone", s.pid, s.bound)
	_ = syscall.Kill(s.pid, syscall.SIGKILL)
}

func orElse(n, other int) int {
	if n == 0 {
		return other
	}
	return n
}

func (c Config) dir(t *testing.T) string {
	if c.Dir == "" {
		return t.TempDir()
	}
	return c.Dir
}

// command is what tmux runs: the program in its environment and no other.
func (c Config) command(t *testing.T) []string {
	program, err := exec.LookPath(c.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.Abs(program); err != nil {
		t.Fatal(err)
	}
	command := append([]string{"env", "-i", "TERM=tmux-256color"}, c.Env...)
	return append(append(command, program), c.Args[1:]...)
}

// Pid is the number of the program's process.
func (s *Screen) Pid() int { return s.pid }

// Send presses keys, by the names that tmux has for them: Enter, Escape, C-c, M-x,
// Up, a.
func (s *Screen) Send(keys ...string) {
	s.t.Helper()
	args := []string{"send-keys", "--"}
	for _, k := range keys {
		args = append(args, escape(k))
	}
	s.tmux("", args...)
}

// Type types text, a character after the other.
func (s *Screen) Type(text string) {
	s.t.Helper()
	const most = 2000 // bytes of a command of tmux
	for text != "" {
		n := len(text)
		if n > most {
			for n = most; !utf8.RuneStart(text[n]); n-- {
			}
		}
		s.tmux("", "send-keys", "-l", "--", escape(text[:n]))
		text = text[n:]
	}
}

// Paste pastes text, in brackets if the program has asked for them.
func (s *Screen) Paste(text string) {
	s.t.Helper()
	s.tmux(text, "load-buffer", "-b", "paste", "-")
	s.tmux("", "paste-buffer", "-p", "-d", "-b", "paste")
}

// Resize gives the terminal another size.
func (s *Screen) Resize(width, height int) {
	s.t.Helper()
	s.tmux("", "resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

// Screen is what stands on the screen, row by row without blanks at their ends.
func (s *Screen) Screen() string {
	s.t.Helper()
	return s.tmux("", "capture-pane", "-p")
}

// Styled is Screen with SGR sequences.
func (s *Screen) Styled() string {
	s.t.Helper()
	return s.tmux("", "capture-pane", "-p", "-e")
}

// History is the whole scrollback and the screen.
func (s *Screen) History() string {
	s.t.Helper()
	return s.tmux("", "capture-pane", "-p", "-S", "-")
}

// Unwrapped is History with the lines whole that the terminal has broken at its
// width.
func (s *Screen) Unwrapped() string {
	s.t.Helper()
	var b strings.Builder
	for line := range strings.Lines(s.tmux("", "capture-pane", "-p", "-J", "-S", "-")) {
		b.WriteString(strings.TrimRight(line, " \n"))
		b.WriteByte('\n')
	}
	return b.String()
}

// Format is what tmux tells of the terminal, such as #{pane_title}, #{cursor_x},
// #{alternate_on} or #{window_bell_flag}.
func (s *Screen) Format(format string) string {
	s.t.Helper()
	return strings.TrimSuffix(s.tmux("", "display-message", "-p", format), "\n")
}

// WaitFor waits until text stands on the screen.
func (s *Screen) WaitFor(text string) {
	s.t.Helper()
	s.Until(strconv.Quote(text), func(screen string) bool { return strings.Contains(screen, text) })
}

// Until waits until ok is true of the screen. What says what is waited for.
func (s *Screen) Until(what string, ok func(screen string) bool) {
	s.t.Helper()
	var last string
	if poll(s.bound, func() bool { last = s.Screen(); return ok(last) }) {
		return
	}
	s.t.Fatalf("%s is not on the screen after %s:\n%s", what, s.bound, last)
}

// Wait waits until ok is true, of anything at all.
func (s *Screen) Wait(what string, ok func() bool) {
	s.t.Helper()
	if !poll(s.bound, ok) {
		s.t.Fatalf("%s has not come about after %s. The screen:\n%s", what, s.bound, s.Screen())
	}
}

// Exited waits until the program has ended, and returns its exit status, or 128
// and the signal that ended it.
func (s *Screen) Exited() int {
	s.t.Helper()
	s.Wait("the program's end", func() bool {
		if s.Format("#{pane_dead_status}#{pane_dead_signal}") != "" {
			return true
		}
		if s.Format("#{pane_dead}") == "1" {
			// A busy tmux 3.3 misses the signal that tells how a child has ended.
			_ = syscall.Kill(s.number("#{pid}"), syscall.SIGCHLD)
		}
		return false
	})
	if signal := s.number("#{pane_dead_signal}"); signal != 0 {
		return 128 + signal
	}
	return s.number("#{pane_dead_status}")
}

// Vanish takes the terminal away, as if its window was closed, and waits until the
// program has ended. No other method may be called after it.
func (s *Screen) Vanish() {
	s.t.Helper()
	s.tmux("", "kill-server")
	if !poll(s.bound, func() bool { return gone(s.pid) }) {
		s.t.Fatalf("process %d has not ended %s after its terminal was gone", s.pid, s.bound)
	}
}

func (s *Screen) number(format string) int {
	s.t.Helper()
	text := s.Format(format)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *Screen) tmux(input string, args ...string) string {
	s.t.Helper()
	out, err := s.server.run(input, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// Golden holds a screen against testdata/NAME.txt, or writes that if update is set.
// Blanks at the ends of rows and empty rows at the end do not count.
func Golden(t *testing.T, name, screen string, update bool) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	got := trim(screen)
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v. Run the test with -update to write it.", err)
	}
	if got != string(want) {
		t.Errorf("the screen is not as in %s.\n--- is:\n%s--- was:\n%s", file, got, want)
	}
}

// trim takes blanks off the ends of rows, and empty rows off the end.
func trim(screen string) string {
	var b strings.Builder
	for line := range strings.Lines(screen) {
		b.WriteString(strings.TrimRight(line, " \n"))
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
