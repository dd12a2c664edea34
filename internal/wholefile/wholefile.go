// Package wholefile replaces small files of the program's own in one step, and has those
// who change one take turns.
package wholefile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace puts content into the file at path. Whoever reads it, also after the
// machine went down, finds all of the old content or all of the new; of several
// who write at once, one wins whole. Parents that are missing are made. The file
// and they are for their owner alone, whatever the file was before.
//
// A symbolic link at path is replaced itself, so that nothing is written where
// another has it lead; who keeps the file elsewhere by one resolves path first.
func Replace(path string, content []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what failed first is told
	}
	return err
}
