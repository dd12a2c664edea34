package storetest

import (
	"os/signal"
	"syscall"
	"testing"
)

// SmallDisk returns a directory on a disk of the given size, and a function
// that makes it large. Where none can be mounted, each file of this process and
// its children is limited to file bytes instead, wherever it is: the test must
// not run beside others.
func SmallDisk(t *testing.T, disk, file int) (dir string, lift func()) {
	t.Helper()
	dir = t.TempDir()
	if lift, ok := mount(t, dir, disk); ok {
		return dir, lift
	}
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := before
	limit.Cur = uint64(file)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	lift = func() { _ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before) }
	t.Cleanup(lift)
	return dir, lift
}
