package process

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	switch os.Getenv("PROCESS_TEST") {
	case "parent":
		parent()
		return
	case "half":
		half()
	case "look":
		look()
		return
	case "password":
		askPassword()
		return
	}
	goleak.VerifyTestMain(m)
}

// parent runs a command that does not end, and passes on what it prints.
func parent() {
	_, err := Run(context.Background(), Command{Path: "/bin/bash", Args: []string{"-c", "echo $$; exec sleep 1000"},
		Limits: [2]int{100, 100}, Env: []string{"PATH=/usr/bin:/bin"}, Progress: func(b []byte) { _, _ = os.Stdout.Write(b) }})
	if err != nil {
		panic(err)
	}
}

// When this process is killed, the command ends too.
func TestDeath(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROCESS_TEST=parent")
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
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 10_000)
		if err == unix.EINTR {
			continue
		}
		if n != 1 || err != nil {
			t.Errorf("the command still runs: %d, %v", n, err)
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		return
	}
}
