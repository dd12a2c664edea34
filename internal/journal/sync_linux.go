package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes the bytes of a file durable.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
