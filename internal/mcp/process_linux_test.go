package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ikigai"
)

// A call that a server does not take off the pipe ends with its context, and the
// server is started anew.
func TestStuckWrite(t *testing.T) {
	s := start(t, "plain", nil)
	s.Await(s.ctx)
	l := s.links[0]
	child := l.conn.child
	if err := syscall.Kill(child.pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	pipe, err := child.stdin.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	full := func() bool {
		room := 1 // how many bytes fit depends on how they were written
		err := pipe.Control(func(fd uintptr) { room, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 0) })
		return err == nil && room == 0
	}
	ctx, cancel := context.WithCancel(s.ctx)
	go func() {
		eventually(s.ctx, full)
		cancel()
	}()
	r := l.call(ctx, "echo", ikigai.Call{Args: json.RawMessage(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`)})
	if !strings.Contains(text(r), "CANCELLED") {
		t.Error(text(r))
	}
	if got := text(s.run("echo", "")); got != `{"output":"got {}"}` {
		t.Error("it was not started again:", got)
	}
}

// A server ends when we are killed, also one that the end of its input does not
// end.
func TestDeathOfOurs(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "MCP_TEST_PARENT=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if !eventually(ctx, func() bool { return gone(pid) }) {
		t.Error("the server lives")
	}
}
