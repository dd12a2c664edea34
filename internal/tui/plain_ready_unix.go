//go:build unix

package tui

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// awaitInput returns what waits until there is something to read, for so many
// milliseconds at most or, with -1, for ever, and reports whether there is. It
// cannot tell of all that can be read.
func awaitInput(in io.Reader) func(millis int) (there, tells bool) {
	file, ok := in.(*os.File)
	if !ok {
		return func(int) (there, tells bool) { return false, false }
	}
	fd := int32(file.Fd())
	return func(millis int) (there, tells bool) {
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: fd, Events: unix.POLLIN}}, millis)
			if err != unix.EINTR {
				return n > 0, err == nil
			}
		}
	}
}
