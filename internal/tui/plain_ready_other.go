//go:build !unix

package tui

import "io"

// awaitInput returns what cannot tell whether there is something to read.
func awaitInput(io.Reader) func(millis int) (there, tells bool) {
	return func(int) (there, tells bool) { return false, false }
}
