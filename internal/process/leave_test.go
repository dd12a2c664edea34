package process

import (
	"testing"
	"time"
)

// A command that is told to leave ends at once, whoever else has not stopped it and
// whatever it does about that.
func TestLeave(t *testing.T) {
	leave := make(chan struct{})
	c := bash(t, "trap '' TERM; sleep 1000 & echo there; wait; sleep 1000")
	c.Leave, c.Timeout, c.Progress = leave, 30*time.Second, func([]byte) { close(leave) }
	ran := mustRun(t, c)
	if !ran.Cancelled || ran.Exit != 128+9 {
		t.Errorf("it ended with %d, cancelled %v", ran.Exit, ran.Cancelled)
	}
}
