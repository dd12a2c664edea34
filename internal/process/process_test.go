package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func bash(t testing.TB, script string) Command {
	return Command{Path: "/bin/bash", Args: []string{"-c", script}, Dir: t.TempDir(),
		Env: []string{"PATH=/usr/bin:/bin"}, Limits: [2]int{10 << 10, 4 << 10}, Spill: spillTo(t.TempDir())}
}

func spillTo(dir string) func() (*os.File, error) {
	return func() (*os.File, error) { return os.CreateTemp(dir, "out-*") }
}

func mustRun(t testing.TB, c Command) Result {
	t.Helper()
	r, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// text joins what was kept of the given streams; "|N|" stands for a gap.
func text(o Output, streams ...int) string {
	var b strings.Builder
	for _, p := range o.Pieces {
		for _, s := range streams {
			if p.Stream == s {
				if p.Gap > 0 {
					fmt.Fprintf(&b, "|%d|", p.Gap)
				}
				b.Write(p.Bytes)
			}
		}
	}
	return b.String()
}

func TestExit(t *testing.T) {
	for script, want := range map[string]int{"true": 0, "exit 3": 3, "no-such-command": 127, "kill -9 $$": 137, "kill -TERM $$": 143} {
		if r := mustRun(t, bash(t, script)); r.Exit != want || r.TimedOut || r.Cancelled {
			t.Errorf("%s: %+v, want exit %d", script, r, want)
		}
	}
	if _, err := Run(context.Background(), Command{Path: "/no/such/file"}); err == nil {
		t.Error("a missing program started")
	}
}

// inSteps returns a command that waits at each "next" of its script until what it
// has printed is taken in.
func inSteps(t testing.TB, script string) Command {
	t.Helper()
	c := bash(t, "exec 3<>go; next() { read -r x <&3; }; "+script)
	path := filepath.Join(c.Dir, "go")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	fifo, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fifo.Close() })
	c.Progress = func([]byte) { _, _ = fifo.WriteString("\n") }
	return c
}

func TestStreams(t *testing.T) {
	r := mustRun(t, inSteps(t, "echo a; next; echo b >&2; next; echo c"))
	if got := text(r.Output, Stdout, Stderr); got != "a\nb\nc\n" {
		t.Errorf("in order of arrival: %q", got)
	}
	if got := text(r.Output, Stdout); got != "a\nc\n" {
		t.Errorf("standard output: %q", got)
	}
}

// P20: a reader of standard input gets its end, one of the terminal an error.
func TestNoInput(t *testing.T) {
	r := mustRun(t, bash(t, "cat; echo $?; read -r x </dev/tty || echo none"))
	if got := text(r.Output, Stdout); got != "0\nnone\n" {
		t.Errorf("got %q", got)
	}
}

// What a command is to read reaches it whole while it prints as much; one that
// reads nothing, or leaves the rest to somebody who stays, is not held up.
func TestInput(t *testing.T) {
	much := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16) // more than pipes hold
	for _, tc := range []struct {
		script string
		input  []byte
		bytes  int64
	}{
		{"cat", []byte("hello"), 5},
		{"cat", much, int64(len(much))},
		{"cat", []byte{}, 0},
		{"echo no", much, 3},
		{"head -c 10", much, 10},
		{"exec <&-; sleep 0.01; echo no", much, 3},
		{"sleep 1000 <&0 & echo no", much, 3},
		{"setsid sleep 1000 <&0 >/dev/null 2>&1 & echo $! >pid; echo no", much, 3},
	} {
		c := bash(t, tc.script)
		c.Stdin = tc.input
		if r := mustRun(t, c); r.Exit != 0 || r.Output.Total[Stdout] != tc.bytes || r.Output.Total[Stderr] != 0 {
			t.Errorf("%s: exit %d, %d bytes, %q", tc.script, r.Exit, r.Output.Total[Stdout], text(r.Output, Stderr))
		}
		if raw, err := os.ReadFile(filepath.Join(c.Dir, "pid")); err == nil {
			pid, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// P20, P21: what stays in the background neither holds the call up nor
// outlives it.
func TestBackground(t *testing.T) {
	for _, script := range []string{
		"sleep 1000 & echo $!",
		"nohup sleep 1000 & echo $!",
		"sleep 1000 >/dev/null 2>&1 & echo $!",
		"(trap '' TERM; while :; do sleep 1; done) & echo $!",
		"(sleep 1000 & echo $!) ",
	} {
		r := mustRun(t, bash(t, script))
		if r.Exit != 0 || r.Duration > 20*time.Second {
			t.Errorf("%s: %+v", script, r)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(text(r.Output, Stdout)))
		if err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		if alive(pid) {
			t.Errorf("%s: the process still runs", script)
		}
	}
}

// P20: a process that left the group holds the streams open and is left alone.
func TestLeftGroup(t *testing.T) {
	r := mustRun(t, bash(t, "setsid sleep 1000 & echo $!"))
	pid, err := strconv.Atoi(strings.TrimSpace(text(r.Output, Stdout)))
	if err != nil || !alive(pid) {
		t.Fatalf("%v, %+v", err, r)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	return len(rest) > 0 && rest[0] != 'Z'
}

// Output that a process substitution still writes after the command has ended
// is not lost.
func TestLateOutput(t *testing.T) {
	r := mustRun(t, bash(t, "exec > >(sleep 0.05; cat); echo late"))
	if got := text(r.Output, Stdout); got != "late\n" {
		t.Errorf("got %q", got)
	}
}

// untilTimeout runs a command that does not end by itself until its time is over,
// and gives it more time until it has said something: it may take long to start.
func untilTimeout(t testing.TB, c Command, said string) (r Result) {
	t.Helper()
	for c.Timeout = 100 * time.Millisecond; c.Timeout < time.Minute; c.Timeout *= 2 {
		if r = mustRun(t, c); strings.Contains(text(r.Output, Stdout), said) {
			break
		}
	}
	return r
}

// S0.36, P21: the whole group ends, what was printed is kept.
func TestTimeout(t *testing.T) {
	c := bash(t, "sleep 1000 & echo $! > pid; echo before; sleep 1000; echo after")
	r := untilTimeout(t, c, "before")
	if !r.TimedOut || r.Exit != 143 || text(r.Output, Stdout) != "before\n" {
		t.Errorf("%+v", r)
	}
	raw, err := os.ReadFile(filepath.Join(c.Dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if pid, _ := strconv.Atoi(strings.TrimSpace(string(raw))); alive(pid) {
		t.Error("a grandchild outlived the timeout")
	}
}

func TestStubborn(t *testing.T) {
	c := bash(t, "trap 'echo no' TERM; echo ready; while :; do sleep 0.1; done")
	if r := untilTimeout(t, c, "ready"); !r.TimedOut || r.Exit != 137 || !strings.HasPrefix(text(r.Output, Stdout), "ready\nno\n") {
		t.Errorf("%+v", r)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := bash(t, "echo ready; sleep 1000")
	c.Progress = func([]byte) { cancel() }
	r, err := Run(ctx, c)
	if err != nil || !r.Cancelled || text(r.Output, Stdout) != "ready\n" {
		t.Errorf("%+v, %v", r, err)
	}
}

// S0.27, S0.28, P24, P25: the beginning and the end are kept, the whole is in a
// file of its own.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	files := map[string]bool{}
	for _, tc := range []struct{ script, stdout string }{
		{"printf 'é%.0s' {1..5}", "ééééé"}, // exactly the limit
		{"printf 'é%.0s' {1..6}", "éé|4|éé"},
		{"printf '%s' 01234567890123456789", "01234|10|56789"},
		{"printf '%s' 0123; next; printf '%s' 45678901234567; next; printf 89", "01234|10|56789"},
	} {
		c := inSteps(t, tc.script)
		c.Limits, c.Spill = [2]int{10, 4}, spillTo(dir)
		r := mustRun(t, c)
		if got := text(r.Output, Stdout); got != tc.stdout {
			t.Errorf("%s: %q, want %q", tc.script, got, tc.stdout)
		}
		if !strings.Contains(tc.stdout, "|") {
			if r.Output.File != "" {
				t.Errorf("%s: a file for output that is not cut", tc.script)
			}
			continue
		}
		raw, err := os.ReadFile(r.Output.File)
		if err != nil || int64(len(raw)) != r.Output.Total[Stdout] || files[r.Output.File] {
			t.Errorf("%s: file %q: %q, %v", tc.script, r.Output.File, raw, err)
		}
		files[r.Output.File] = true
	}
}

func TestLimitsOfBoth(t *testing.T) {
	c := inSteps(t, "printf 0123456789; next; printf abcdefgh >&2; next; printf XYZ")
	c.Limits = [2]int{10, 4}
	r := mustRun(t, c)
	if got := text(r.Output, Stdout, Stderr); got != "01234|3|89ab|4|ghXYZ" {
		t.Errorf("got %q", got)
	}
	raw, err := os.ReadFile(r.Output.File)
	if err != nil || string(raw) != "0123456789abcdefghXYZ" {
		t.Errorf("file: %q, %v", raw, err)
	}
}

// Whoever looks at a command that runs gets what is new; the file has it all.
func TestOutput(t *testing.T) {
	c := bash(t, "exec 3<>go; echo one; read -r x <&3; seq 1 10000; read -r x <&3; echo three")
	if err := syscall.Mkfifo(filepath.Join(c.Dir, "go"), 0o600); err != nil {
		t.Fatal(err)
	}
	came := make(chan struct{}, 100)
	c.Progress = func([]byte) { came <- struct{}{} }
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	<-came
	if got := text(p.Output(), Stdout); got != "one\n" {
		t.Errorf("the first look: %q", got)
	}
	if out := p.Output(); len(out.Pieces) != 0 || out.Total != [2]int64{} {
		t.Errorf("nothing is new: %+v", out)
	}
	goOn := func() {
		if err := os.WriteFile(filepath.Join(c.Dir, "go"), []byte("x\n"), 0); err != nil {
			t.Error(err)
		}
	}
	goOn()
	goOn()
	r := p.Wait(context.Background())
	got := text(r.Output, Stdout)
	if r.Output.Total[Stdout] != 48894+6 || !strings.HasPrefix(got, "1\n2\n") || !strings.HasSuffix(got, "10000\nthree\n") || len(got) > 11<<10 {
		t.Errorf("the rest: %+v", r)
	}
	raw, err := os.ReadFile(r.Output.File)
	if err != nil || len(raw) != 48894+6+4 || !bytes.HasPrefix(raw, []byte("one\n1\n")) || int64(len(raw)) != r.Output.FileBytes {
		t.Errorf("%d bytes in the file, %v", len(raw), err)
	}
}

func TestNoFile(t *testing.T) {
	c := bash(t, "printf %100s x")
	c.Limits = [2]int{10, 10}
	c.Spill = func() (*os.File, error) { return nil, syscall.ENOSPC }
	if r := mustRun(t, c); r.Output.FileErr != syscall.ENOSPC || r.Output.Total[Stdout] != 100 {
		t.Errorf("%+v", r)
	}
	c.Spill = nil
	if r := mustRun(t, c); r.Output.FileErr != nil || r.Output.Total[Stdout] != 100 {
		t.Errorf("%+v", r)
	}
}

// S0.29, P23: both streams huge, one of them a single line.
func TestHuge(t *testing.T) {
	c := bash(t, "head -c 30000000 /dev/zero | tr '\\0' x & head -c 30000000 /dev/zero >&2; wait")
	r := mustRun(t, c)
	if r.Exit != 0 || r.Output.Total != [2]int64{30000000, 30000000} || r.Output.FileBytes != 60000000 {
		t.Errorf("exit %d, total %v, file %d", r.Exit, r.Output.Total, r.Output.FileBytes)
	}
	if n := len(text(r.Output, Stdout, Stderr)); n > 15<<10 {
		t.Errorf("%d bytes kept", n)
	}
}

// checkKept compares what was taken with what came since the last time, and
// forgets that.
func checkKept(t *testing.T, out Output, limits [2]int, came *[2]string) {
	t.Helper()
	for i, whole := range came {
		at, shown := 0, 0
		for _, p := range out.Pieces {
			if p.Stream != i {
				continue
			}
			at += int(p.Gap)
			if !strings.HasPrefix(whole[at:], string(p.Bytes)) {
				t.Fatalf("%q is not at %d of %q", p.Bytes, at, whole)
			}
			at += len(p.Bytes)
			shown += len(p.Bytes)
		}
		if at != len(whole) || shown > limits[i] || len(whole) <= limits[i] && shown != len(whole) {
			t.Fatalf("stream %d: %d of %d bytes accounted for, %d shown, limit %d", i, at, len(whole), shown, limits[i])
		}
		if int64(len(whole)) != out.Total[i] {
			t.Fatalf("total %d of %d", out.Total[i], len(whole))
		}
		came[i] = ""
	}
}

// FuzzCapture: however the streams are split into pieces, and whenever somebody
// looks, what is not left out stands in its place, the limits hold and no
// character is cut. The file has it all.
func FuzzCapture(f *testing.F) {
	f.Add("hello\nwörld\n", "oops\n", uint8(4), uint8(3), uint8(2), uint8(0))
	f.Add("0123456789012345678901234567890123456789", "é€😀é€😀", uint8(10), uint8(5), uint8(7), uint8(3))
	f.Add("000", "0", uint8(0), uint8(0), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, stdout, stderr string, limit0, limit1, step, looks uint8) {
		k := newCapture(Command{Limits: [2]int{int(limit0), int(limit1)}, Spill: spillTo(t.TempDir())})
		rest, came := [2]string{stdout, stderr}, [2]string{}
		for i := 0; rest[0]+rest[1] != ""; i++ {
			n := min(int(step)%17+1, len(rest[i%2]))
			k.add(i%2, []byte(rest[i%2][:n]))
			came[i%2] += rest[i%2][:n]
			rest[i%2] = rest[i%2][n:]
			if looks > 0 && i%int(looks) == 0 {
				checkKept(t, k.take(false), [2]int{int(limit0), int(limit1)}, &came)
			}
		}
		out := k.take(true)
		checkKept(t, out, [2]int{int(limit0), int(limit1)}, &came)
		if out.File != "" {
			raw, err := os.ReadFile(out.File)
			if err != nil || len(raw) != len(stdout)+len(stderr) {
				t.Fatalf("file of %d bytes, %v", len(raw), err)
			}
		}
	})
}
