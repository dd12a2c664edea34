package tools

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A new content is written to ".NAME.ikigai-XXXXXXXXXX" beside the file first.
// A process that is killed leaves that file behind.
const (
	leftoverMark   = ".ikigai-"
	leftoverRandom = 10 // letters and digits that end the name
	leftoverAge    = time.Hour
	mostNames      = 4096 // of a directory, that are looked through after a write
)

// createBeside creates a file of a new name in the directory of path, with what
// the system leaves of mode. It is locked until it is closed.
func createBeside(path string, mode fs.FileMode) (*os.File, error) {
	const longestName = 200 // leaves room for what is added
	dir, name := filepath.Split(path)
	base := "." + strings.ToValidUTF8(name[:min(len(name), longestName)], "") + leftoverMark
	for range 1000 {
		f, err := os.OpenFile(filepath.Join(dir, base+rand.Text()[:leftoverRandom]), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err == nil {
			_ = lock(f) // not every file system can
		}
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fs.ErrExist
}

// lock takes the lock of f, if nobody has it.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// removeLeftovers removes from a directory what processes that were killed have
// left there: files of the form above that are old and that nobody has locked.
// What cannot be removed stays.
func removeLeftovers(dir string, now time.Time) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(mostNames)
	for _, name := range names {
		if isLeftover(name) {
			removeAbandoned(filepath.Join(dir, name), now)
		}
	}
}

func isLeftover(name string) bool {
	_, end, ok := cutLast(name, leftoverMark)
	return ok && strings.HasPrefix(name, ".") && len(end) == leftoverRandom && strings.Trim(end, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// cutLast is strings.Cut around the last sep.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// removeAbandoned removes an old file, if it can have its lock.
func removeAbandoned(path string, now time.Time) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || now.Sub(info.ModTime()) < leftoverAge {
		return
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) == nil {
		_ = os.Remove(path)
	}
}
