//go:build unix

package tui

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// awaitInput waits until there is something to read, for so many milliseconds at
// most or, with -1, for ever, and reports whether there is. It cannot tell of all
// that can be read.
func awaitInput(in io.Reader, millis int) (there, tells bool) {
	file, ok := in.(*os.File)
	if !ok {
		return false, false
	}
	for {
		fds := []unix.PollFd{{Fd: int32(file.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, millis)
		if err != unix.EINTR {
			return n > 0, err == nil
		}
	}
}
