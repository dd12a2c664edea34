//go:build linux && (amd64 || arm64)

// Command launch becomes the program of its arguments, watched: package
// killtest starts programs with it.
package main

import (
	"fmt"
	"os"

	"ikigai/internal/killtest"
)

func main() {
	err := killtest.Become(os.Args[1], os.Args[1:], os.Environ())
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
