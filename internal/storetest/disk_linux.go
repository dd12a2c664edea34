package storetest

import (
	"fmt"
	"syscall"
	"testing"
)

// mount mounts a disk of size bytes at dir until the test ends, if this process
// may do that.
func mount(t *testing.T, dir string, size int) (lift func(), ok bool) {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		return nil, false
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return func() {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", 100*size)); err != nil {
			t.Fatal(err)
		}
	}, true
}
