package exttool

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lingering is how long processes of a tool may take to end after it.
const lingering = 500 * time.Millisecond

// leftovers looks for processes that outlive the tool. The harness ends those
// that stay in its group; others go on behind everybody's back.
func (c *trial) leftovers(rule string, input []byte) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		c.add(rule, Skip, "This system does not tell", "")
		return
	}
	if err := c.alone(input); err != nil {
		c.add(rule, Skip, "The tool did not end in its time", "")
		return
	}
	left := marked(callID + c.id)
	for began := time.Now(); len(left) > 0 && time.Since(began) < lingering; left = marked(callID + c.id) {
		time.Sleep(10 * time.Millisecond)
	}
	why := ""
	if len(left) > 0 {
		why = "Still running: " + commandLine(left[0])
	}
	c.rule(rule, Fail, why, "Wait for what the tool starts, or end it")
}

// endLeftovers ends what calls have left running, of whichever rule.
func (c *trial) endLeftovers() {
	for _, pid := range marked(callID + c.id) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
	}
}

// alone runs the tool without anybody who ends what it leaves behind.
func (c *trial) alone(input []byte) error {
	ctx, cancel := context.WithTimeout(c.ctx, c.spec.limit())
	defer cancel()
	cmd := exec.CommandContext(ctx, c.path)
	if !c.spec.Stdin {
		cmd.Args = append(cmd.Args, string(input))
	}
	cmd.Dir, cmd.Env, cmd.Stdin = c.dir, c.environment(), bytes.NewReader(input)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = lingering
	_ = cmd.Run() // how it ended is told by another rule
	return ctx.Err()
}

// marked returns the processes that have a pair in their environment, daemons
// too.
func marked(pair string) []int {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	var pids []int
	for _, path := range paths {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(env, []byte(pair+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// commandLine returns what a process was started with.
func commandLine(pid int) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(raw) == 0 {
		return fmt.Sprintf("process %d", pid)
	}
	return strings.TrimSpace(strings.ReplaceAll(string(raw), "\x00", " "))
}
