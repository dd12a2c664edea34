package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// attributes put the command in a session, and so a group, of its own, without
// a terminal, and tie its life to ours.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// onlyZombies reports whether all processes of a group have ended, and only
// wait for a parent that takes its time: in a container, often for ever.
func onlyZombies(group int) bool {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return false
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended since
		}
		// PID (NAME) STATE PARENT GROUP …, where NAME may hold anything.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == strconv.Itoa(group) && !bytes.ContainsAny(fields[0], "ZX") {
			return false
		}
	}
	return true
}
