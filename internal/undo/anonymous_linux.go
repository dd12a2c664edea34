package undo

import (
	"os"

	"golang.org/x/sys/unix"
)

// anonymous returns a file in memory, or one of the disk without a name.
func anonymous() (*os.File, error) {
	fd, err := unix.MemfdCreate("ikigai-undo", unix.MFD_CLOEXEC)
	if err != nil {
		return unnamed()
	}
	return os.NewFile(uintptr(fd), "ikigai-undo"), nil
}
