package preimage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// keep copies the file at path, durably, to a file in dir whose name is its
// hash, and returns that file's path.
func keep(path, dir string) (string, error) {
	from, _, err := Open(path)
	if err != nil {
		return "", fmt.Errorf("keep %s before its change: %w", path, err)
	}
	defer from.Close()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	temp, err := os.CreateTemp(dir, ".part-")
	if err != nil {
		return "", err
	}
	hash, err := copyHashed(temp, from)
	if err == nil {
		err = temp.Sync()
	}
	err = errors.Join(err, temp.Close())
	kept := filepath.Join(dir, hash)
	if err == nil {
		err = os.Rename(temp.Name(), kept)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return "", fmt.Errorf("keep %s before its change: %w", path, err)
	}
	return kept, SyncDir(dir)
}

// copyHashed copies all of from to to and returns its hash. Where the file
// system can share the bytes of two files, nothing is written.
func copyHashed(to, from *os.File) (string, error) {
	sum := sha256.New()
	var err error
	if clone(to, from) == nil {
		_, err = io.Copy(sum, to)
	} else {
		buffer := make([]byte, 1<<20)
		_, err = io.CopyBuffer(io.MultiWriter(to, sum), onlyReader{from}, buffer)
	}
	return hex.EncodeToString(sum.Sum(nil)), err
}

// onlyReader hides WriteTo, which would take small pieces.
type onlyReader struct{ io.Reader }

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
