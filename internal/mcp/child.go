package mcp

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"ikigai/internal/crash"
)

const (
	closeGrace = 300 * time.Millisecond // between the end of its input and SIGTERM
	termGrace  = time.Second            // between SIGTERM and SIGKILL
	killGrace  = time.Second            // after SIGKILL; nobody waits longer for a process that the system holds
	sweepGrace = 200 * time.Millisecond // for what a server has left behind
	lastWords  = 100 * time.Millisecond // for what an ended server has still printed
)

// child is a server that runs as a program of this machine, in a session and a
// process group of its own.
type child struct {
	pid    int
	stdin  *os.File
	stdout *os.File
	exited chan struct{} // closed when the program has ended
	state  string        // how it has ended, then
	silent chan struct{} // closed when its standard error is at its end
	stderr *os.File

	overflowed atomic.Bool // it has sent a message that is too large
}

// startChild starts the program of a server. What it prints to standard error
// goes to beside.
func startChild(s Server, dir string, env []string, beside *tail) (*child, error) {
	path, err := findProgram(s.Command, dir, env)
	if err != nil {
		return nil, err
	}
	ours, theirs, err := openPipes()
	if err != nil {
		return nil, err
	}
	c := &child{stdin: ours[0], stdout: ours[1], stderr: ours[2], exited: make(chan struct{}), silent: make(chan struct{})}
	cmd := &exec.Cmd{Path: path, Args: append([]string{s.Command}, s.Args...), Dir: dir, Env: env, SysProcAttr: attributes(),
		Stdin: theirs[0], Stdout: theirs[1], Stderr: theirs[2]}
	started := make(chan error, 1)
	go func() {
		// The system kills the program when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer crash.Guard()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the state says it
			c.state = cmd.ProcessState.String()
			close(c.exited)
		}
	}()
	err = <-started
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, err
	}
	c.pid = cmd.Process.Pid
	go func() {
		defer close(c.silent)
		defer crash.Guard()
		_, _ = io.Copy(beside, c.stderr) // it ends with the program, or with stop
	}()
	return c, nil
}

// openPipes returns our ends and the program's of its three streams.
func openPipes() (ours, theirs [3]*os.File, err error) {
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return ours, theirs, err
		}
		ours[i], theirs[i] = r, w
		if i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	return ours, theirs, nil
}

func closeAll(files [3]*os.File) {
	for _, f := range files {
		_ = f.Close() // a nil file only says that it is none
	}
}

// findProgram returns the path of a program as a shell in dir would find it.
func findProgram(name, dir string, env []string) (string, error) {
	if strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if !isProgram(name) {
			return "", fmt.Errorf("there is no program %s", name)
		}
		return name, nil
	}
	search := ""
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, "PATH="); ok {
			search = value
		}
	}
	for _, place := range filepath.SplitList(search) {
		path := filepath.Join(place, name)
		if filepath.IsAbs(path) && isProgram(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no program %s in PATH", name)
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// stop ends the program and all of its group: its input ends, then it gets
// SIGTERM, then SIGKILL. Once leave is closed it gets SIGKILL at once.
func (c *child) stop(leave <-chan struct{}) {
	_ = c.stdin.Close() // it may have been closed before
	if !c.awaitExit(closeGrace, leave) {
		c.signal(syscall.SIGTERM)
		if !c.awaitExit(termGrace, leave) {
			c.signal(syscall.SIGKILL)
			c.awaitExit(killGrace, nil)
		}
	}
	c.sweep(leave)
	c.hearOut()
	_ = c.stdout.Close()
	_ = c.stderr.Close()
}

// hearOut waits for what an ended program has printed to its standard error. What
// has left its group may hold that open.
func (c *child) hearOut() {
	select {
	case <-c.silent:
	case <-time.After(lastWords):
	}
}

// awaitExit waits until the program has ended, and reports whether it has. It
// waits no longer than limit, or until leave is closed.
func (c *child) awaitExit(limit time.Duration, leave <-chan struct{}) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	select {
	case <-c.exited:
		return true
	case <-leave:
	case <-deadline.C:
	}
	return false
}

// sweep ends what the program has started and left behind in its group. What
// has ended and waits for a parent to take note of it cannot be told from what
// runs; so the wait is short.
func (c *child) sweep(leave <-chan struct{}) {
	deadline := time.After(sweepGrace)
	c.signal(syscall.SIGTERM)
	for pause := time.Millisecond; syscall.Kill(-c.pid, 0) == nil; pause *= 2 {
		select {
		case <-time.After(pause):
			continue
		case <-leave:
		case <-deadline:
		}
		c.signal(syscall.SIGKILL)
		return
	}
}

func (c *child) signal(s syscall.Signal) {
	_ = syscall.Kill(-c.pid, s) // the group may have ended by itself
}
