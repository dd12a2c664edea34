package cli

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// P21: after a crash doctor and the next start tell of what still runs, until it
// has ended.
func TestCrashLeavesOrphans(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: go
call: bash {"command": "sleep 1234 >/dev/null 2>&1 & echo $! >pid; kill -9 $PPID"}

user: on
say: Fine.
`)
	within(t, p.start("run", "go").ended, "end of the program, which its tool kills")
	pid := strings.Join(p.lines("pid"), "")
	var number int
	for _, digit := range pid {
		number = 10*number + int(digit-'0')
	}
	t.Cleanup(func() { _ = syscall.Kill(number, syscall.SIGKILL) })
	tells := func(args ...string) bool {
		c := p.run(exitAnswered, args...)
		told := c.out.String() + c.err.String()
		return strings.Contains(told, "still running: "+pid+" sleep 1234 (since ") && strings.Contains(told, "`kill "+pid+"`")
	}
	if !tells("doctor") || !tells("run", "on") {
		t.Error("nobody is told")
	}
	must(t, syscall.Kill(number, syscall.SIGKILL))
	for deadline := time.Now().Add(patience); tells("doctor"); {
		if time.Now().After(deadline) {
			t.Fatal("what has ended is still told of")
		}
	}
}

// So it is with what has left its command's session, and what that has started.
func TestCrashLeavesDaemons(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: go
call: bash {"command": "setsid sh -c 'sleep 1235 & echo $! $$ >pids; exec sleep 1236' >/dev/null 2>&1 </dev/null & until test -s pids; do :; done; kill -9 $PPID"}

user: on
say: Fine.
`)
	within(t, p.start("run", "go").ended, "end of the program, which its tool kills")
	pids := p.lines("pids")
	t.Cleanup(func() { _ = exec.Command("kill", append([]string{"-9"}, pids...)...).Run() }) // they may have ended
	told := func(args ...string) string {
		c := p.run(exitAnswered, args...)
		return c.out.String() + c.err.String()
	}
	all := func(told string) bool {
		return strings.Contains(told, "2 processes of a run") && strings.Contains(told, pids[0]+" sleep 1235 (") && strings.Contains(told, pids[1]+" sleep 1236 (")
	}
	for deadline := time.Now().Add(patience); !all(told("doctor")); { // they are about to be that
		if time.Now().After(deadline) {
			t.Fatalf("doctor does not tell: %s", told("doctor"))
		}
	}
	if on := told("run", "on"); !all(on) {
		t.Errorf("the next run does not tell: %s", on)
	}
	must(t, exec.Command("kill", append([]string{"-9"}, pids...)...).Run())
	for deadline := time.Now().Add(patience); strings.Contains(told("doctor"), "still running") || p.running() > 0; {
		if time.Now().After(deadline) {
			t.Fatal("what has ended is still told of, or its record is still there")
		}
	}
}
