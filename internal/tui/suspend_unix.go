//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// continued is where it is told that the program goes on after it was stopped.
type continued chan os.Signal

func (c continued) begin() { signal.Notify(c, syscall.SIGCONT) }
func (c continued) end()   { signal.Stop(c) }

// maxStopping is how long it may take until the program is stopped.
const maxStopping = 100 * time.Millisecond

// stopGroup stops the process group as the terminal would have done, and returns
// when it goes on, or soon where no shell could have it go on. The signal may reach
// another thread first, so this one waits to be stopped, too.
//
// Package signal must never be told of SIGTSTP: a program that has asked for it once
// is not stopped by it any more.
func (c continued) stopGroup() {
	select {
	case <-c:
	default:
	}
	_ = syscall.Kill(0, syscall.SIGTSTP)
	select {
	case <-c:
	case <-time.After(maxStopping):
	}
}
