package storetest

import (
	"os/signal"
	"syscall"
	"testing"
)

// SmallDisk returns a directory in which only little more than room bytes can
// be written into a file, and a function that lifts the limit. Where no disk
// of that size can be mounted, it is a limit on the files of this process: the
// test must not run beside others.
func SmallDisk(t *testing.T, room int) (dir string, lift func()) {
	t.Helper()
	dir = t.TempDir()
	if lift, ok := mount(t, dir, room); ok {
		return dir, lift
	}
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := before
	limit.Cur = uint64(room)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	lift = func() { _ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before) }
	t.Cleanup(lift)
	return dir, lift
}
