package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func atTerminal(t testing.TB, script string) Command {
	c := bash(t, script)
	c.Terminal, c.Timeout = true, 20*time.Second
	c.Env = append(c.Env, "TERM=xterm-256color", "ME="+os.Args[0])
	return c
}

// P20: at a terminal of its own a command finds one, and whoever reads it finds
// the end of input, as often as they read, also who drops what was typed.
func TestTerminal(t *testing.T) {
	for script, want := range map[string]string{
		"test -t 0 && test -t 1 && test -t 2 && stty size":          "24 80\r\n",
		"echo out; echo err >&2":                                    "out\r\nerr\r\n",
		"cat; echo $?":                                              "0\r\n",
		"cat </dev/tty; cat; cat <&2; echo $?":                      "0\r\n",
		"for i in 1 2 3; do read -r x </dev/tty || echo none; done": "none\r\nnone\r\nnone\r\n",
		`read -rsp 'password: ' x || echo none`:                     "password: none\r\n",
		`for i in 1 2; do PROCESS_TEST=password "$ME"; done`:        "password: 0\r\npassword: 0\r\n",
		"exit 3":          "",
		"printf '%s' end": "end",
	} {
		r := mustRun(t, atTerminal(t, script))
		if got := text(r.Output, Stdout); got != want || r.TimedOut || (r.Exit != 0) != (script == "exit 3") {
			t.Errorf("%s: exit %d, timed out %v, %q, want %q", script, r.Exit, r.TimedOut, got, want)
		}
	}
}

// askPassword asks for a password as such programs do: it drops what was typed
// before, and reads the terminal itself.
func askPassword() {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	mode, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		panic(err)
	}
	if err := unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETSF, mode); err != nil {
		panic(err)
	}
	fmt.Fprint(tty, "password: ")
	n, _ := tty.Read(make([]byte, 100)) // no more than nothing
	fmt.Fprintln(tty, n)
}

// P20, P21: nothing stays behind a command at a terminal, whatever it started.
func TestTerminalEnds(t *testing.T) {
	for _, script := range []string{
		"sleep 1000 & echo $!",
		"nohup sleep 1000 2>/dev/null & echo $!", // it has something to say
		"(trap '' HUP TERM; while :; do sleep 1; done) & echo $!",
		"sleep 1000 & echo $!; sleep 1000",
	} {
		c := atTerminal(t, script)
		endless := strings.HasSuffix(script, "; sleep 1000")
		run := mustRun
		if endless {
			run = func(t testing.TB, c Command) Result { return untilTimeout(t, c, "\n") }
		}
		r := run(t, c)
		first, _, _ := strings.Cut(text(r.Output, Stdout), "\r\n")
		if pid, err := strconv.Atoi(first); err != nil || alive(pid) || r.TimedOut != endless {
			t.Errorf("%s: %+v, %q, %v", script, r, first, err)
		}
	}
}

// A process that left the group holds the terminal open and is left alone.
func TestTerminalLeft(t *testing.T) {
	r := mustRun(t, atTerminal(t, "setsid bash -c 'echo $$ >pid; exec sleep 1000' & until test -s pid; do :; done; cat pid"))
	pid, err := strconv.Atoi(strings.TrimSpace(text(r.Output, Stdout)))
	if err != nil || !alive(pid) {
		t.Fatalf("%v, %+v", err, r)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// What a terminal passes on in pieces arrives whole.
func TestTerminalMuch(t *testing.T) {
	r := mustRun(t, atTerminal(t, "seq 1 200000"))
	if want := int64(1288895 + 200000); r.Output.Total[Stdout] != want || r.Output.FileBytes != want {
		t.Errorf("%d bytes, want %d", r.Output.Total[Stdout], want)
	}
}
