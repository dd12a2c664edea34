//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// continued is where it is told that the program goes on after it was stopped.
type continued chan os.Signal

func (c continued) begin() { signal.Notify(c, syscall.SIGCONT) }
func (c continued) end()   { signal.Stop(c) }

// How long is waited for the program to be stopped.
const (
	stopTime   = 3 * time.Second        // where it will be: on a busy machine it takes a while
	orphanTime = 100 * time.Millisecond // where nobody could have it go on, and the system does not
)

// stopGroup stops the process group as the terminal would have done, and returns
// when it goes on, or soon where no shell could have it go on. The signal may reach
// another thread first, so this one waits to be stopped, too: were the terminal taken
// again before that, the shell would have it as the front needs it.
//
// Package signal must never be told of SIGTSTP: a program that has asked for it once
// is not stopped by it any more.
func (c continued) stopGroup() {
	select {
	case <-c:
	default:
	}
	wait := orphanTime
	if controlled() {
		wait = stopTime
	}
	_ = syscall.Kill(0, syscall.SIGTSTP)
	select {
	case <-c:
	case <-time.After(wait):
	}
}

// controlled reports whether the program was started by one of the same session, such
// as a shell, rather than in a terminal of its own.
func controlled() bool {
	ours, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	parents, err := unix.Getsid(unix.Getppid())
	return err == nil && ours == parents
}
