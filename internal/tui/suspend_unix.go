//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
)

// signals is where the signals come that stop a program at a terminal, or have it
// go on, when somebody else sends them.
type signals chan os.Signal

func (c signals) begin() { signal.Notify(c, syscall.SIGTSTP, syscall.SIGCONT) }
func (c signals) end()   { signal.Stop(c) }

// stopGroup stops the process group as the terminal would have done, and returns
// when it goes on.
func (c signals) stopGroup() {
	signal.Reset(syscall.SIGTSTP)
	_ = syscall.Kill(0, syscall.SIGTSTP) // nobody may have a use for it: then the program goes on
	signal.Notify(c, syscall.SIGTSTP)
}

// stops reports whether s is to stop the program; else it goes on.
func stops(s os.Signal) bool { return s == syscall.SIGTSTP }
