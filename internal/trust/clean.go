package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keepTime is how long a copy stays that nobody uses.
const keepTime = 30 * 24 * time.Hour

// Names of what is no copy yet, and no longer.
const (
	unfinished = "new-"
	removed    = "old-"
)

// clean removes what nobody has used for long, and what was left by processes
// that died. Whoever uses a copy holds a shared lock on its directory for as long
// as the process lives, so taking the lock alone proves that nobody does; what
// such a process has started and left behind has had a month to end. A copy gets
// another name before it is removed, so nobody finds half of it. Failures leave
// things for the next time.
func clean(into, except string) {
	entries, err := os.ReadDir(into)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.Name() == except {
			continue
		}
		dir := filepath.Join(into, e.Name())
		leftover := strings.HasPrefix(e.Name(), unfinished) || strings.HasPrefix(e.Name(), removed)
		switch age := time.Since(info.ModTime()); {
		case leftover && age > time.Hour:
			_ = removeAll(dir)
		case !leftover && len(e.Name()) == len(except) && age > keepTime:
			removeUnused(dir)
		}
	}
}

// removeUnused removes a copy unless somebody uses it.
func removeUnused(dir string) {
	lock, err := os.Open(dir)
	if err != nil {
		return
	}
	defer lock.Close()
	if flock(lock, unix.LOCK_EX|unix.LOCK_NB) == nil && sameFile(lock, dir) {
		_ = remove(dir)
	}
}

// remove takes what lies at dir out of the way at once, and then removes it.
func remove(dir string) error {
	aside, err := os.MkdirTemp(filepath.Dir(dir), removed)
	if err != nil {
		return err
	}
	err = os.Rename(dir, filepath.Join(aside, "it"))
	if errors.Is(err, fs.ErrPermission) { // a directory that may not be written does not move to another
		if err = os.Chmod(dir, 0o700); err == nil {
			err = os.Rename(dir, filepath.Join(aside, "it"))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // another process was first
	}
	return errors.Join(err, removeAll(aside))
}

// removeAll removes a tree whose directories may not be written.
func removeAll(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return err
	})
	return errors.Join(err, os.RemoveAll(dir))
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// sameFile reports whether path still names the open file f.
func sameFile(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, there)
}

// own reports whether a file belongs to the person.
func own(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
