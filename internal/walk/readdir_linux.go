package walk

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"syscall"
)

// readDir hands out the entries of a directory, in the order of the system,
// until each returns false. A name is good until each returns.
//
// It asks the system itself: os.ReadDir makes a value of each entry and tries to
// have the directory polled.
func readDir(path string, buffer []byte, each func(name []byte, mode fs.FileMode) bool) error {
	fd, err := retry(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = syscall.Close(fd) }()
	for {
		n, err := retry(func() (int, error) { return syscall.ReadDirent(fd, buffer) })
		if err != nil {
			return &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if n <= 0 {
			return nil
		}
		for rest := buffer[:n]; len(rest) > 0; {
			// A linux_dirent64: inode and offset of 8 bytes, length of 2, type of 1, name.
			entry := rest[:binary.NativeEndian.Uint16(rest[16:])]
			rest = rest[len(entry):]
			name, _, _ := bytes.Cut(entry[19:], []byte{0})
			if string(name) == "." || string(name) == ".." {
				continue
			}
			mode, ok := modeOf(entry[18], path, name)
			if ok && !each(name, mode) {
				return nil
			}
		}
	}
}

func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != syscall.EINTR {
			return n, err
		}
	}
}

// modeOf returns the type bits for a type of a directory's entry. It is false
// for an entry that is gone.
func modeOf(kind byte, dir string, name []byte) (fs.FileMode, bool) {
	switch kind {
	case syscall.DT_REG:
		return 0, true
	case syscall.DT_DIR:
		return fs.ModeDir, true
	case syscall.DT_LNK:
		return fs.ModeSymlink, true
	}
	info, err := os.Lstat(dir + "/" + string(name)) // rare, or a file system that does not tell
	if err != nil {
		return 0, false
	}
	return info.Mode().Type(), true
}
