//go:build unix && !linux

package mcp

import "syscall"

// attributes put a server in a session, and so a group, of its own, without a
// terminal.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}
