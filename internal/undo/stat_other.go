//go:build !linux

package undo

import (
	"io/fs"
	"os"
	"syscall"
)

// lstat returns what the system says of a path; a symbolic link is not followed.
func lstat(path string) (stat, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return stat{}, err
	}
	s := stat{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: uint32(info.Mode().Perm())}
	switch info.Mode().Type() {
	case 0:
		s.mode |= syscall.S_IFREG
	case fs.ModeDir:
		s.mode |= syscall.S_IFDIR
	case fs.ModeSymlink:
		s.mode |= syscall.S_IFLNK
	}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.ino = uint64(sys.Ino)
	}
	return s, nil
}
