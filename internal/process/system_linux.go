package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// attributes put the command in a session, and so a group, of its own, without
// a terminal, and tie its life to ours.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// onlyZombies reports whether all processes of a group have ended, and only
// wait for a parent that takes its time: in a container, often for ever.
func onlyZombies(group int) bool {
	all := processes()
	for _, pid := range all {
		if s, ok := statusOf(pid); ok && s.group == group && !s.ended {
			return false
		}
	}
	return len(all) > 0
}

// Marked returns the processes of this user that have mark, a NAME=VALUE, in the
// environment they were started with. Those that left the session they were
// started in, as daemons do, are not among them.
func Marked(mark string) []Info {
	var found []Info
	for _, pid := range processes() {
		if !hasMark(pid, mark) {
			continue
		}
		s, ok := statusOf(pid)
		if !ok || s.ended || hasMark(s.session, mark) { // a command that leads its session dies with us
			continue
		}
		found = append(found, Info{PID: pid, Command: commandOf(pid), Since: bootTime().Add(s.start)})
	}
	return found
}

// processes returns the IDs of all processes.
func processes() []int {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is good
	all := make([]int, 0, len(dirs))
	for _, dir := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// status is what the system tells of a process.
type status struct {
	ended          bool // it only waits for its parent
	group, session int
	start          time.Duration // since the system was started
}

func statusOf(pid int) (status, bool) {
	// PID (NAME) STATE PARENT GROUP SESSION …, where NAME may hold anything.
	stat := procFile(pid, "stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const startField, ticksPerSecond = 19, 100
	if len(fields) <= startField {
		return status{}, false // it has ended since
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(fields[i])) // the system writes numbers
		return n
	}
	return status{
		ended: bytes.ContainsAny(fields[0], "ZX"), group: number(2), session: number(3),
		start: time.Duration(number(startField)) * (time.Second / ticksPerSecond),
	}, true
}

// hasMark reports whether a process was started with mark in its environment.
func hasMark(pid int, mark string) bool {
	for pair := range bytes.SplitSeq(procFile(pid, "environ"), []byte{0}) {
		if string(pair) == mark {
			return true
		}
	}
	return false
}

// commandOf returns the words of a command, with spaces between them.
func commandOf(pid int) string {
	return string(bytes.ReplaceAll(bytes.TrimRight(procFile(pid, "cmdline"), "\x00"), []byte{0}, []byte{' '}))
}

// bootTime returns when the system was started.
func bootTime() time.Time {
	stat, _ := os.ReadFile("/proc/stat") // without it, times are wrong
	_, rest, _ := bytes.Cut(stat, []byte("\nbtime "))
	line, _, _ := bytes.Cut(rest, []byte{'\n'})
	seconds, _ := strconv.ParseInt(string(line), 10, 64)
	return time.Unix(seconds, 0)
}

// procFile returns what the system tells of a process, nothing if it has ended
// or belongs to somebody else.
func procFile(pid int, name string) []byte {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/" + name)
	return b
}
