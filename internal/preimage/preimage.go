// Package preimage keeps what a file holds before it is changed, and says what
// a file is at a moment.
package preimage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ikigai"
)

const (
	// MaxBlob is the most bytes of a file that go into the store.
	MaxBlob = 64 << 20
	// MaxFile is the most bytes of a file that are kept beside the store.
	MaxFile = 1 << 30
)

// Take returns the data of a change of the file at path, which is absolute, and
// the blob with what it holds, if it goes into the store. What is larger is
// copied durably to a file in dir, which is made when it is first needed; where
// dir is "", or the file is larger than MaxFile, it is not kept, and the data
// says so. A symbolic link is not followed. What is neither a file nor a link
// cannot be kept.
func Take(path, dir string) (ikigai.ChangeData, []ikigai.Blob, error) {
	d := ikigai.ChangeData{Path: path}
	info, err := os.Lstat(path)
	switch {
	case Missing(err):
		d.NewDirs = NewDirs(path)
		return d, nil, nil
	case err != nil:
		return d, nil, fmt.Errorf("look at %s before its change: %w", path, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		d.Existed = true
		d.Link, err = os.Readlink(path)
		return d, nil, err
	}
	d.Existed, d.Mode, d.Size, d.Owner = true, Mode(info.Mode()), info.Size(), Owner(info)
	switch {
	case !info.Mode().IsRegular():
		return d, nil, fmt.Errorf("%s is no file", path)
	case info.Size() <= MaxBlob:
		blob, err := read(path)
		d.Blob = blob.Hash
		return d, []ikigai.Blob{blob}, err
	case dir == "":
		d.NotKept = fmt.Sprintf("larger than %d MiB", MaxBlob>>20)
	case info.Size() > MaxFile:
		d.NotKept = fmt.Sprintf("larger than %d MiB", MaxFile>>20)
	default:
		d.File, err = keep(path, dir)
	}
	return d, nil, err
}

// Missing reports whether err says that there is nothing at a path.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// NewDirs returns how many of the directories right above path are not there.
func NewDirs(path string) (n int) {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && (info.IsDir() || info.Mode()&fs.ModeSymlink != 0) {
			break
		}
		n++
	}
	return n
}

// Open opens a regular file to be read. It never waits, whatever is there.
func Open(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func read(path string) (ikigai.Blob, error) {
	f, info, err := Open(path)
	if err != nil {
		return ikigai.Blob{}, fmt.Errorf("keep %s before its change: %w", path, err)
	}
	defer f.Close()
	content := make([]byte, info.Size())
	if _, err := io.ReadFull(f, content); err != nil {
		return ikigai.Blob{}, fmt.Errorf("keep %s before its change: %w", path, err)
	}
	sum := sha256.Sum256(content)
	return ikigai.Blob{Hash: hex.EncodeToString(sum[:]), Bytes: content}, nil
}

// State returns what is at path now. The content is read in passing, never
// held. Where nothing is, or a directory, which is no file, the state is the
// zero one.
func State(path string) (ikigai.FileState, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case Missing(err):
		return ikigai.FileState{}, nil, nil
	case err != nil:
		return ikigai.FileState{}, nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		link, err := os.Readlink(path)
		return ikigai.FileState{Exists: true, Link: link}, info, err
	case info.IsDir():
		return ikigai.FileState{}, info, nil
	}
	s := ikigai.FileState{Exists: true, Mode: Mode(info.Mode()), Size: info.Size()}
	if !info.Mode().IsRegular() {
		return s, info, fmt.Errorf("%s is no file", path)
	}
	f, _, err := Open(path)
	if err != nil {
		return s, info, err
	}
	defer f.Close()
	sum := sha256.New()
	s.Size, err = io.Copy(sum, f)
	s.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return s, info, err
}
