//go:build !linux

package preimage

import (
	"errors"
	"os"
)

// clone is not to be had here.
func clone(_, _ *os.File) error { return errors.ErrUnsupported }
