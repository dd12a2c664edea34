//go:build !linux

package undo

import (
	"io/fs"
	"os"
	"syscall"

	"ikigai/internal/preimage"
)

// lstat returns what the system says of a path; a symbolic link is not followed.
func lstat(path string) (stat, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return stat{}, err
	}
	s := stat{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: preimage.Mode(info.Mode())}
	switch info.Mode().Type() {
	case 0:
		s.mode |= syscall.S_IFREG
	case fs.ModeDir:
		s.mode |= syscall.S_IFDIR
	case fs.ModeSymlink:
		s.mode |= syscall.S_IFLNK
	}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.ino, s.uid, s.gid = uint64(sys.Ino), sys.Uid, sys.Gid
	}
	return s, nil
}
