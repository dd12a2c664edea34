package cli

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// unprivileged makes a command obey the permissions of files even if its user
// is root.
func unprivileged(cmd *exec.Cmd) *exec.Cmd {
	if os.Getuid() != 0 {
		return cmd
	}
	path, err := exec.LookPath("unprivileged")
	if err != nil {
		panic(err)
	}
	cmd.Args = append([]string{"unprivileged", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = path
	return cmd
}

// runUnprivileged is the program that gives up what lets root pass over the
// permissions of files and becomes the program of its arguments.
func runUnprivileged() {
	runtime.LockOSThread() // what is given up is the thread's
	err := errors.Join(
		unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_DAC_OVERRIDE, 0, 0, 0),
		unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_DAC_READ_SEARCH, 0, 0, 0))
	if err == nil {
		err = syscall.Exec(os.Args[1], append([]string{"ikigai"}, os.Args[2:]...), os.Environ())
	}
	panic(err)
}
