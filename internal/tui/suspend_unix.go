//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
)

// continued is where it is told that the program goes on after it was stopped.
type continued chan os.Signal

func (c continued) begin() { signal.Notify(c, syscall.SIGCONT) }
func (c continued) end()   { signal.Stop(c) }

// stopGroup stops the process group as the terminal would have done, and returns
// when it goes on, or at once where no shell could have it go on. Package signal
// must never be told of SIGTSTP: a program that has asked for it once is not
// stopped by it any more.
func stopGroup() { _ = syscall.Kill(0, syscall.SIGTSTP) }
