package process

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
// environment they were started with, whether or not they lead a session of their
// own, as daemons do. Those that are about to end are not among them, nor this
// process and those it descends from: somebody works with them. gone is true
// where no process has the mark, and none may turn out to have it.
func Marked(mark string) (found []Info, gone bool) {
	ours := lineage(os.Getpid())
	gone = true
	for _, pid := range processes() {
		env, known := environment(pid)
		if known && !hasMark(env, mark) {
			continue
		}
		s, ok := statusOf(pid)
		if !ok || s.ended {
			continue
		}
		gone = false
		if !known || slices.Contains(ours, pid) || isEnding(pid, s) {
			continue
		}
		if now, ok := statusOf(pid); ok && !now.ended && now.start == s.start { // it has not ended meanwhile
			found = append(found, Info{PID: pid, Command: commandOf(pid), Since: bootTime().Add(s.start)})
		}
	}
	return found, gone
}

// lineage returns a process and those it descends from, without the first of
// all, which takes in everybody's children.
func lineage(pid int) (all []int) {
	for ok := true; ok && pid > 1; {
		all = append(all, pid)
		var s status
		s, ok = statusOf(pid)
		pid = s.parent
	}
	return all
}

// isEnding reports whether a process was sent SIGKILL, or is about to be: a
// command of ours is when the one that started it ends, which gives its locks back
// before the system tells its children.
func isEnding(pid int, s status) bool {
	if s.session == pid {
		if _, ok := statusOf(s.parent); ok && commandOf(s.parent) == "" {
			return true
		}
	}
	_, rest, _ := bytes.Cut(procFile(pid, "status"), []byte("\nShdPnd:\t"))
	line, _, _ := bytes.Cut(rest, []byte{'\n'})
	pending, _ := strconv.ParseUint(string(line), 16, 64) // the system writes numbers
	return pending&(1<<(syscall.SIGKILL-1)) != 0
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
	ended                  bool // it only waits for its parent
	parent, group, session int
	start                  time.Duration // since the system was started
	begun                  bool          // the program that it runs is loaded
	variables              int           // bytes of its environment, 0 where the system does not tell
}

func statusOf(pid int) (status, bool) {
	// PID (NAME) STATE PARENT GROUP SESSION …, where NAME may hold anything.
	stat := procFile(pid, "stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const startField, codeField, variablesField, ticksPerSecond = 19, 23, 47, 100
	if len(fields) <= variablesField+1 {
		return status{}, false // it has ended since
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(fields[i])) // the system writes numbers
		return n
	}
	return status{
		ended: bytes.ContainsAny(fields[0], "ZX"), parent: number(1), group: number(2), session: number(3),
		start:     time.Duration(number(startField)) * (time.Second / ticksPerSecond),
		begun:     number(codeField) > 0, // where its code lies: the last that is set
		variables: number(variablesField+1) - number(variablesField),
	}, true
}

// environment returns what a process was started with. It is not known of one
// that is just between two programs (exec): then it has none.
func environment(pid int) (env []byte, known bool) {
	if env = procFile(pid, "environ"); len(env) > 0 {
		s, _ := statusOf(pid)
		return env, len(env) >= s.variables // else another program has begun between two reads
	}
	switch s, _ := statusOf(pid); {
	case !s.begun:
		_, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
		return nil, err != nil // it has ended, is the system's or somebody else's
	case s.variables == 0:
		return nil, true // it was given none
	}
	env = procFile(pid, "environ") // the next program has just begun
	return env, len(env) > 0
}

// hasMark reports whether mark is one of the pairs of an environment. A bash that
// begins takes the pairs apart, one after the other, and puts them together again.
func hasMark(env []byte, mark string) bool {
	name, value, _ := strings.Cut(mark, "=")
	before := ""
	for pair := range strings.SplitSeq(string(env), "\x00") {
		if pair == mark || before == name && pair == value {
			return true
		}
		before = pair
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
