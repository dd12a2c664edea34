package preimage

import (
	"fmt"
	"io/fs"
	"syscall"
)

// special are the bits of a mode beside the permissions, as Go and as Unix has them.
var special = []struct {
	bit  fs.FileMode
	unix uint32
}{{fs.ModeSetuid, syscall.S_ISUID}, {fs.ModeSetgid, syscall.S_ISGID}, {fs.ModeSticky, syscall.S_ISVTX}}

// Mode returns the mode of a file as a FileState has it.
func Mode(m fs.FileMode) uint32 {
	mode := uint32(m.Perm())
	for _, s := range special {
		if m&s.bit != 0 {
			mode |= s.unix
		}
	}
	return mode
}

// FileMode returns the mode that a FileState has.
func FileMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode).Perm()
	for _, s := range special {
		if mode&s.unix != 0 {
			m |= s.bit
		}
	}
	return m
}

// Owner returns whom a file with setuid or setgid belongs to, as a change event has
// it; "" for any other.
func Owner(info fs.FileInfo) string {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return OwnerOf(Mode(info.Mode()), sys.Uid, sys.Gid)
	}
	return ""
}

// OwnerOf is Owner for what the system says of a file.
func OwnerOf(mode, uid, gid uint32) string {
	if mode&(syscall.S_ISUID|syscall.S_ISGID) == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d", uid, gid)
}
