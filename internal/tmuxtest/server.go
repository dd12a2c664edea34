package tmuxtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// server is a tmux server with one window.
type server struct {
	program string // tmux
	socket  string
}

// newServer finds tmux and a place for its socket, which lies in a directory of
// its own since a socket's path must be short.
func newServer(t *testing.T) *server {
	program, err := exec.LookPath("tmux")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("tmux is missing. Install the package tmux.")
		}
		t.Skip("tmux is missing")
	}
	dir, err := os.MkdirTemp("/tmp", "tmuxtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return &server{program: program, socket: filepath.Join(dir, "socket")}
}

// run runs a command of tmux and returns what it prints.
func (s *server) run(input string, args ...string) (string, error) {
	cmd := exec.Command(s.program, append([]string{"-u", "-S", s.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh"}
	cmd.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.String(), nil
}

// options are set before the window is made, since that takes them over. That the
// size of windows is manual is left to resize-window: as an option it ends tmux 3.3.
var options = [][]string{
	{"set", "-g", "default-terminal", "tmux-256color"},
	{"set", "-ga", "terminal-features", ",*:RGB"},
	{"set", "-g", "history-limit", "50000"},
	{"set", "-g", "remain-on-exit", "on"},
	{"set", "-gq", "remain-on-exit-format", ""},
	{"set", "-g", "status", "off"},
	{"set", "-s", "escape-time", "0"},
}

// start starts the server with a window in which command runs.
func (s *server) start(width, height int, dir string, command []string) error {
	args := []string{"start-server"}
	for _, o := range options {
		args = append(append(args, ";"), o...)
	}
	args = append(args, ";", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "-c", dir, "--")
	for _, a := range command {
		args = append(args, escape(a))
	}
	_, err := s.run("", args...)
	return err
}

// escape keeps tmux from taking a semicolon at the end of an argument for the end
// of a command.
func escape(arg string) string {
	if before, ok := strings.CutSuffix(arg, ";"); ok {
		return before + `\;`
	}
	return arg
}

// guard has the server end when this process ends in any way, and returns what
// ends it now.
func (s *server) guard() (end func(), err error) {
	cmd := exec.Command("/bin/sh", "-c", `read -r _; exec "$0" -S "$1" kill-server 2>/dev/null`, s.program, s.socket)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = in.Close()
		_ = cmd.Wait()
	}, nil
}

// gone reports whether no process with that number runs.
func gone(pid int) bool {
	if err := syscall.Kill(pid, 0); err == syscall.ESRCH {
		return true
	}
	// Its parent may not have asked yet how it ended.
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, ok := strings.Cut(string(stat), ") ")
	return err == nil && ok && strings.HasPrefix(after, "Z")
}

// poll calls ok again and again until it returns true, and reports whether it did
// before the bound.
func poll(bound time.Duration, ok func() bool) bool {
	tick := time.NewTicker(15 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(bound); !ok(); <-tick.C {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
