package undo

import "syscall"

// lstat returns what the system says of a path; a symbolic link is not followed.
func lstat(path string) (stat, error) {
	var s syscall.Stat_t
	if err := syscall.Lstat(path, &s); err != nil {
		return stat{}, err
	}
	return stat{size: s.Size, mtime: s.Mtim.Nano(), ctime: s.Ctim.Nano(), ino: s.Ino, mode: s.Mode, uid: s.Uid, gid: s.Gid}, nil
}
