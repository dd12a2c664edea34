package main

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// hide keeps the environment and the memory of the program, which hold keys, from
// other programs of the same user, such as the commands that a model has run. What
// is started here is not hidden by it. Whoever traces the program sees all of it,
// and is to go on doing so.
func hide() {
	status, _ := os.ReadFile("/proc/self/status") // without /proc nobody is seen, nor is a tracer
	if _, tracer, ok := bytes.Cut(status, []byte("\nTracerPid:\t")); ok && !bytes.HasPrefix(tracer, []byte("0\n")) {
		return
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // on any system since 2003 it cannot fail
}
