//go:build !unix

package tui

import "io"

// awaitInput cannot tell whether there is something to read.
func awaitInput(io.Reader, int) (there, tells bool) { return false, false }
