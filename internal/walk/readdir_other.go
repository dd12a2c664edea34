//go:build !linux

package walk

import (
	"io/fs"
	"os"
)

// readDir hands out the entries of a directory, in the order of the system,
// until each returns false. A name is good until each returns.
func readDir(path string, _ []byte, each func(name []byte, mode fs.FileMode) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(-1)
	for _, e := range entries {
		if !each([]byte(e.Name()), e.Type()) {
			break
		}
	}
	return err
}
