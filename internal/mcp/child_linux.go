package mcp

import "syscall"

// attributes put a server in a session, and so a group, of its own, without a
// terminal, and tie its life to ours.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
