//go:build !linux

package cli

import "os/exec"

// unprivileged makes a command obey the permissions of files. It does unless
// its user is root.
func unprivileged(cmd *exec.Cmd) *exec.Cmd { return cmd }

func runUnprivileged() {}
