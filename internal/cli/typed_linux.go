package cli

import "golang.org/x/sys/unix"

// forgetInput drops what waits in the input queue of a terminal. Anything else
// has no such queue.
func forgetInput(fd uintptr) { _ = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }
