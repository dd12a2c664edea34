package cli

import (
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
