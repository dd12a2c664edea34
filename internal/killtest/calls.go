//go:build linux && (amd64 || arm64)

package killtest

import (
	"slices"

	"golang.org/x/sys/unix"
)

// watched is a system call by which a program changes the world outside of it.
type watched struct {
	nr    uintptr
	name  string
	about about
	arg   int // of what it is about
	flags int // the argument that says whether a file is created or cut off; 0 if the call always changes something
}

// about says how a call names what it is about.
type about int

const (
	aFile   about = iota // a file descriptor
	aPath                // a path
	aPathAt              // a directory and a path, two arguments
)

// calls are all that are watched.
var calls = slices.Concat(older, []watched{
	{nr: unix.SYS_WRITE, name: "write"},
	{nr: unix.SYS_WRITEV, name: "writev"},
	{nr: unix.SYS_PWRITE64, name: "pwrite64"},
	{nr: unix.SYS_PWRITEV, name: "pwritev"},
	{nr: unix.SYS_PWRITEV2, name: "pwritev2"},
	{nr: unix.SYS_SENDTO, name: "sendto"},
	{nr: unix.SYS_SENDMSG, name: "sendmsg"},
	{nr: unix.SYS_SENDMMSG, name: "sendmmsg"},
	{nr: unix.SYS_SENDFILE, name: "sendfile"},
	{nr: unix.SYS_SPLICE, name: "splice", arg: 2},
	{nr: unix.SYS_COPY_FILE_RANGE, name: "copy_file_range", arg: 2},
	{nr: unix.SYS_FSYNC, name: "fsync"},
	{nr: unix.SYS_FDATASYNC, name: "fdatasync"},
	{nr: unix.SYS_SYNC_FILE_RANGE, name: "sync_file_range"},
	{nr: unix.SYS_FTRUNCATE, name: "ftruncate"},
	{nr: unix.SYS_FALLOCATE, name: "fallocate"},
	{nr: unix.SYS_FLOCK, name: "flock"},
	{nr: unix.SYS_FCHMOD, name: "fchmod"},
	{nr: unix.SYS_TRUNCATE, name: "truncate", about: aPath},
	{nr: unix.SYS_EXECVE, name: "execve", about: aPath},
	{nr: unix.SYS_EXECVEAT, name: "execveat", about: aPathAt},
	{nr: unix.SYS_OPENAT, name: "openat", about: aPathAt, flags: 2},
	{nr: unix.SYS_RENAMEAT, name: "renameat", about: aPathAt, arg: 2},
	{nr: unix.SYS_RENAMEAT2, name: "renameat2", about: aPathAt, arg: 2},
	{nr: unix.SYS_LINKAT, name: "linkat", about: aPathAt, arg: 2},
	{nr: unix.SYS_SYMLINKAT, name: "symlinkat", about: aPathAt, arg: 1},
	{nr: unix.SYS_UNLINKAT, name: "unlinkat", about: aPathAt},
	{nr: unix.SYS_MKDIRAT, name: "mkdirat", about: aPathAt},
	{nr: unix.SYS_FCHMODAT, name: "fchmodat", about: aPathAt},
})

// callOf returns the watched call with a number.
func callOf(nr uint64) (watched, bool) {
	for _, c := range calls {
		if uint64(c.nr) == nr {
			return c, true
		}
	}
	return watched{}, false
}
