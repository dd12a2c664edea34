package tools

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// replaceFile gives the file at path new content all at once: at any moment,
// and after a crash of the machine, the old content or the new one is there
// whole. Missing parents are created. Mode and, where it is allowed, owner stay
// as they were; old is what is known of the file, nil if it is new.
//
// Where a file can be written but not replaced (the directory takes no new
// file, the file is mounted) it is written in place, and the note says so.
func replaceFile(path string, old fs.FileInfo, content string) (note string, err error) {
	if old == nil {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return "", err
		}
	}
	err = renameInto(path, old, content)
	if err == nil || old == nil || !irreplaceable(err) {
		return "", err
	}
	if err := overwrite(path, content); err != nil {
		return "", err
	}
	return "The file could not be replaced and was written in place.", nil
}

// irreplaceable reports whether an error is about putting another file in the
// place of one.
func irreplaceable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV)
}

// renameInto writes a new file beside path and renames it.
func renameInto(path string, old fs.FileInfo, content string) error {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = 0o600 // until it has the mode of the old one, nobody else reads it
	}
	temp, err := createBeside(path, mode)
	if err != nil {
		return err
	}
	if err := fillFile(temp, old, content); err != nil {
		_ = os.Remove(temp.Name())
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		_ = os.Remove(temp.Name())
		return err
	}
	return nil
}

// createBeside creates a file of a new name in the directory of path, with what
// the system leaves of mode.
func createBeside(path string, mode fs.FileMode) (*os.File, error) {
	const longestName = 200 // leaves room for what is added
	dir, name := filepath.Split(path)
	base := "." + strings.ToValidUTF8(name[:min(len(name), longestName)], "") + ".ikigai-"
	for range 1000 {
		f, err := os.OpenFile(filepath.Join(dir, base+randomName()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fs.ErrExist
}

// fillFile writes content to f, gives it the owner and mode of old, and closes
// it.
func fillFile(f *os.File, old fs.FileInfo, content string) error {
	_, err := io.WriteString(f, content)
	if err == nil && old != nil {
		keepOwner(f, old)
		err = f.Chmod(old.Mode().Perm()) // a write takes setuid away, and so does this
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// keepOwner gives f the owner and group of old, as far as this user may.
func keepOwner(f *os.File, old fs.FileInfo) {
	was, ok := old.Sys().(*syscall.Stat_t)
	info, err := f.Stat()
	if !ok || err != nil {
		return
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok || is.Uid == was.Uid && is.Gid == was.Gid {
		return
	}
	if f.Chown(int(was.Uid), int(was.Gid)) != nil {
		_ = f.Chown(-1, int(was.Gid)) // the group alone may be allowed
	}
}

// mostRestored bounds the content that overwrite can put back.
const mostRestored = 64 << 20

// overwrite writes content over what is in the file. If that fails half-way,
// what was there is put back.
func overwrite(path, content string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	before, err := io.ReadAll(io.LimitReader(f, mostRestored+1))
	if err != nil {
		return err
	}
	err = setContent(f, []byte(content))
	if err != nil && len(before) <= mostRestored {
		return errors.Join(err, setContent(f, before))
	}
	return err
}

func setContent(f *os.File, content []byte) error {
	if _, err := f.WriteAt(content, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(content))); err != nil {
		return err
	}
	return f.Sync()
}

func randomName() string { return rand.Text()[:10] }
