//go:build linux && (amd64 || arm64)

package killtest

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// callInfo is what PTRACE_GET_SYSCALL_INFO gives at the beginning of a call.
type callInfo struct {
	op   uint8
	_    [3]uint8
	arch uint32
	ip   uint64
	sp   uint64
	nr   uint64
	args [6]uint64
	_    [2]uint32
}

// describe returns the call at which a thread of a process stands.
func describe(thread, process int) (Call, error) {
	var info callInfo
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(thread),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return Call{}, os.NewSyscallError("ptrace", errno)
	}
	w, ok := callOf(info.nr)
	if !ok {
		return Call{}, fmt.Errorf("the system call %d is not watched and stopped the program", info.nr)
	}
	c := Call{Name: w.name}
	switch arg := info.args[w.arg]; w.about {
	case aFile:
		c.On = file(process, int32(arg))
	case aPath:
		c.On = path(process, unix.AT_FDCWD, arg)
	case aPathAt:
		c.On = path(process, int32(arg), info.args[w.arg+1])
	}
	return c, nil
}

// file names an open file of a process.
func file(pid int, fd int32) string {
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
	if err != nil {
		return ""
	}
	if strings.HasPrefix(name, "socket:") {
		if peer, err := peer(pid, fd); err == nil {
			return peer
		}
	}
	return name
}

// peer names what a socket of a process is connected to.
func peer(pid int, fd int32) (string, error) {
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(handle)
	socket, err := unix.PidfdGetfd(handle, int(fd), 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(socket)
	address, err := unix.Getpeername(socket)
	if err != nil {
		return "", err
	}
	switch a := address.(type) {
	case *unix.SockaddrInet4:
		return fmt.Sprintf("tcp:%s", netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))), nil
	case *unix.SockaddrInet6:
		return fmt.Sprintf("tcp:%s", netip.AddrPortFrom(netip.AddrFrom16(a.Addr).Unmap(), uint16(a.Port))), nil
	case *unix.SockaddrUnix:
		return "unix:" + a.Name, nil
	}
	return "", errors.ErrUnsupported
}

// path returns the absolute path that stands in the memory of a process, relative
// to a directory that it has open.
func path(pid int, dir int32, at uint64) string {
	text := make([]byte, unix.PathMax)
	local := unix.Iovec{Base: &text[0]}
	local.SetLen(len(text))
	n, err := unix.ProcessVMReadv(pid, []unix.Iovec{local}, []unix.RemoteIovec{{Base: uintptr(at), Len: len(text)}}, 0)
	if err != nil {
		return ""
	}
	name, _, _ := bytes.Cut(text[:n], []byte{0})
	if filepath.IsAbs(string(name)) {
		return string(name)
	}
	from := fmt.Sprintf("/proc/%d/cwd", pid)
	if dir != unix.AT_FDCWD {
		from = fmt.Sprintf("/proc/%d/fd/%d", pid, dir)
	}
	base, err := os.Readlink(from)
	if err != nil {
		return string(name)
	}
	return filepath.Join(base, string(name))
}
