//go:build !linux

package cli

// forgetInput drops what waits in the input queue of a terminal, where that is
// known to work. Here it does nothing: what was typed before a question may
// answer it.
func forgetInput(uintptr) {}
