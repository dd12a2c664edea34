package undo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ikigai"
	"ikigai/internal/preimage"
)

// errDamaged says that what was kept is not what the log says of it.
var errDamaged = errors.New("what was kept of it is damaged")

// write gives the file of a step what it held, all at once. A file that has
// several names, or that can be written but not replaced, is written in place:
// what it held and what it will hold are both kept.
func (w *Worker) write(s *Step, content func(io.Writer) error) error {
	old, err := os.Lstat(s.Path)
	if err != nil {
		old = nil
	}
	if old != nil && old.Mode().IsRegular() && names(old) > 1 {
		return w.overwrite(s, content)
	}
	err = w.replace(s, old, content)
	if old != nil && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV)) {
		return w.overwrite(s, content)
	}
	return err
}

// names returns how many names a file has.
func names(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}

// replace writes a new file beside the old one, which may be nil, and renames it.
func (w *Worker) replace(s *Step, old fs.FileInfo, content func(io.Writer) error) error {
	_ = os.Remove(beside(s.Path)) // of an undo that did not come to its end
	temp, err := os.OpenFile(beside(s.Path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	w.at("write " + s.Path)
	err = fill(temp, s.want.SHA256, content)
	if err == nil && old != nil {
		keepOwner(temp, old)
	}
	if err == nil {
		err = setMode(temp, s.Target)
	}
	if err == nil {
		err = temp.Sync()
	}
	err = errors.Join(err, temp.Close())
	if err == nil {
		w.at("rename " + s.Path)
		err = os.Rename(temp.Name(), s.Path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// fill writes content to f and checks it.
func fill(f io.Writer, want string, content func(io.Writer) error) error {
	sum := sha256.New()
	if err := content(io.MultiWriter(f, sum)); err != nil {
		return err
	}
	return check(sum, want)
}

func check(sum hash.Hash, want string) error {
	if hex.EncodeToString(sum.Sum(nil)) != want {
		return errDamaged
	}
	return nil
}

// overwrite writes over what is in the file. What is kept is checked first.
func (w *Worker) overwrite(s *Step, content func(io.Writer) error) error {
	if err := fill(io.Discard, s.want.SHA256, content); err != nil {
		return err
	}
	f, err := os.OpenFile(s.Path, os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) // a named pipe would wait for a reader
	if err != nil {
		return err
	}
	w.at("write " + s.Path)
	to := io.NewOffsetWriter(f, 0)
	err = content(to)
	if err == nil {
		err = f.Truncate(s.Target.Size)
	}
	if err == nil {
		err = setMode(f, s.Target) // the write has taken setuid and setgid away
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// setMode gives a file the mode that it had.
func setMode(f *os.File, d ikigai.ChangeData) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return f.Chmod(mode(d, info))
}

// mode returns the mode that a file gets back. Setuid and setgid let whoever runs it
// act as its owner, so nobody else may become that by an undo.
func mode(d ikigai.ChangeData, info fs.FileInfo) fs.FileMode {
	m := preimage.FileMode(d.Mode)
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok || preimage.OwnerOf(d.Mode, sys.Uid, sys.Gid) != d.Owner {
		m &^= fs.ModeSetuid | fs.ModeSetgid
	}
	return m
}

// link makes the symbolic link of a step anew.
func (w *Worker) link(s *Step) error {
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o777); err != nil {
		return err
	}
	temp := beside(s.Path)
	_ = os.Remove(temp) // of an undo that did not come to its end
	w.at("link " + s.Path)
	if err := os.Symlink(s.Target.Link, temp); err != nil {
		return err
	}
	err := os.Rename(temp, s.Path)
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}

// beside returns the name in the directory of path under which it is written.
// It is always the same, so that what a death left there is written over when
// the undo goes on.
func beside(path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(filepath.Dir(path), ".ikigai-undo-"+hex.EncodeToString(sum[:8]))
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
