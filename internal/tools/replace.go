package tools

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// errChanged tells that a file is not as it was looked at any more.
var errChanged = errors.New("the file has changed meanwhile")

// replaceFile gives the file at path new content all at once: at any moment,
// and after a crash of the machine, the old content or the new one is there
// whole. Missing parents are created. Mode and, where it is allowed, owner stay
// as they were, but for setuid, which falls with the content as it does with any
// write; old is what is known of the file, nil if it is new. A file that is not
// as old says any more is left alone, with errChanged.
//
// A file with several names, or one that can be written but not replaced (the
// directory takes no new file, the file is mounted), is written in place. The
// note says that, and what has fallen of the mode.
func replaceFile(path string, old fs.FileInfo, content []byte) (note string, err error) {
	if old == nil {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return "", err
		}
	}
	note = "The file could not be replaced and was written in place."
	if n := linkCount(old); n > 1 {
		note = fmt.Sprintf("The file has %d names (hard links) and was written in place, so that all of them show the change.", n)
	} else if err = renameInto(path, old, content); err == nil || old == nil || !irreplaceable(err) {
		removeLeftovers(filepath.Dir(path), time.Now())
		if err != nil {
			return "", err
		}
		return fallen(path, old), nil
	}
	if err := overwrite(path, old, content); err != nil {
		return "", err
	}
	return strings.TrimSpace(note + " " + fallen(path, old)), nil
}

// special are the bits of a mode beside the permissions: their names, and how
// chmod sets them.
var special = []struct {
	bit       fs.FileMode
	name, set string
}{{fs.ModeSetuid, "setuid", "u+s"}, {fs.ModeSetgid, "setgid", "g+s"}, {fs.ModeSticky, "sticky", "+t"}}

// fallen says what a file does not have any more of the special bits it had; "" if
// it has them all.
func fallen(path string, old fs.FileInfo) string {
	if old == nil {
		return ""
	}
	now, err := os.Lstat(path)
	if err != nil {
		return "" // somebody else has taken it away
	}
	var names, sets []string
	for _, s := range special {
		if old.Mode()&^now.Mode()&s.bit != 0 {
			names, sets = append(names, s.name), append(sets, s.set)
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("The file was %s, which the change took away; chmod %s sets that again.", strings.Join(names, " and "), strings.Join(sets, ","))
}

// linkCount returns the number of hard links of a file.
func linkCount(info fs.FileInfo) int {
	if info == nil {
		return 0
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink)
	}
	return 1
}

// checkState returns errChanged unless the file at path is as old says; nil says
// that there is none.
func checkState(path string, old fs.FileInfo) error {
	now, err := os.Lstat(path)
	switch {
	case old == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case old == nil || !os.SameFile(old, now) || old.Size() != now.Size() || !old.ModTime().Equal(now.ModTime()):
		return errChanged
	}
	return nil
}

// irreplaceable reports whether an error is about putting another file in the
// place of one.
func irreplaceable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV)
}

// renameInto writes a new file beside path and renames it. The new file stays
// locked until it has its name.
func renameInto(path string, old fs.FileInfo, content []byte) error {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = 0o600 // until it has the mode of the old one, nobody else reads it
	}
	temp, err := createBeside(path, mode)
	if err != nil {
		return err
	}
	defer temp.Close()
	err = fillFile(temp, old, content)
	if err == nil {
		err = checkState(path, old)
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// writtenAtOnce is the most bytes that are written with one call. For a write of
// many megabytes Linux looks for memory in large pieces, which can take ten times
// as long as the writing.
const writtenAtOnce = 1 << 20

// fillFile writes content to f, and gives it the owner and mode of old.
func fillFile(f *os.File, old fs.FileInfo, content []byte) error {
	for part := range slices.Chunk(content, writtenAtOnce) {
		if _, err := f.Write(part); err != nil {
			return err
		}
	}
	if old != nil {
		keepOwner(f, old)
		if err := keepMode(f, old); err != nil {
			return err
		}
	}
	return f.Sync()
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

// keepMode gives f the mode of old without setuid. Setgid stays where the group
// does: as another group nobody was to act.
func keepMode(f *os.File, old fs.FileInfo) error {
	mode := old.Mode() & (fs.ModePerm | fs.ModeSetgid | fs.ModeSticky)
	if info, err := f.Stat(); err != nil || groupOf(info) != groupOf(old) {
		mode &^= fs.ModeSetgid
	}
	err := f.Chmod(mode)
	if err != nil && mode != mode.Perm() { // not every system lets everybody have these
		err = f.Chmod(mode.Perm())
	}
	return err
}

// groupOf returns the group of a file, -1 if that is not known.
func groupOf(info fs.FileInfo) int {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(sys.Gid)
	}
	return -1
}

// mostRestored bounds the content that overwrite can put back.
const mostRestored = 64 << 20

// overwrite writes content over what is in the file that old tells of. If that
// fails half-way, what was there is put back.
func overwrite(path string, old fs.FileInfo, content []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	before, err := io.ReadAll(io.LimitReader(f, mostRestored+1))
	if err != nil {
		return err
	}
	if err := checkState(path, old); err != nil {
		return err
	}
	err = setContent(f, content, old.Size(), commonPrefix(before, content))
	if err != nil && len(before) <= mostRestored {
		return errors.Join(err, setContent(f, before, int64(len(before)), 0))
	}
	if err == nil && old.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		_ = keepMode(f, old) // the write has taken away setgid, too; only the owner may set it again
	}
	return err
}

// setContent writes content to a file of size bytes, of which the first same
// are right. What makes the file longer is written first: a disk that is full
// shows that before anything is lost.
func setContent(f *os.File, content []byte, size int64, same int) error {
	kept := min(size, int64(len(content)))
	if _, err := f.WriteAt(content[kept:], kept); err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	if _, err := f.WriteAt(content[min(int64(same), kept):kept], min(int64(same), kept)); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(content))); err != nil {
		return err
	}
	return f.Sync()
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
