//go:build linux && (amd64 || arm64)

package killtest

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Become replaces the calling process by a program that stops at each watched
// call, to be started again by who traces it. It returns only an error.
func Become(path string, args, env []string) error {
	runtime.LockOSThread() // the filter is the thread's, and the thread becomes the program
	if err := filter(); err != nil {
		return fmt.Errorf("filter the system calls of %s: %w", path, err)
	}
	return fmt.Errorf("start %s: %w", path, syscall.Exec(path, args, env))
}

func filter() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	code := filterCode()
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}

// filterCode returns the program that the kernel runs at each system call.
func filterCode() []unix.SockFilter {
	const (
		number   = 0  // offset of the number in what the program is given
		argument = 16 // of the first argument, the lower half
		creates  = unix.O_CREAT | unix.O_TRUNC
	)
	load := func(offset int) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: uint32(offset)}
	}
	give := func(verdict uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: verdict}
	}
	code := []unix.SockFilter{load(number)}
	for _, c := range calls {
		then := []unix.SockFilter{give(unix.SECCOMP_RET_TRACE)}
		if c.flags > 0 {
			then = []unix.SockFilter{
				load(argument + 8*c.flags),
				{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: creates, Jf: 1},
				give(unix.SECCOMP_RET_TRACE),
				give(unix.SECCOMP_RET_ALLOW),
			}
		}
		code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(c.nr), Jf: uint8(len(then))})
		code = append(code, then...)
	}
	return append(code, give(unix.SECCOMP_RET_ALLOW))
}
