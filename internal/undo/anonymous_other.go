//go:build !linux

package undo

import "os"

// anonymous returns a file of the disk without a name.
func anonymous() (*os.File, error) { return unnamed() }
