//go:build unix && !linux

package process

import "syscall"

// attributes put the command in a session, and so a group, of its own, without
// a terminal.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}

// onlyZombies is not known here: what is left of a group counts as running.
func onlyZombies(int) bool { return false }

// Marked finds nothing here: the environment of others is not told.
func Marked(string) (found []Info, gone bool) { return nil, true }
