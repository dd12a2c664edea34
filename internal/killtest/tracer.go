//go:build linux && (amd64 || arm64)

package killtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// letGo is how long after its patience a run is waited for: a program that is
// killed is gone by then, with what ends with it.
const letGo = 10 * time.Second

// Run runs p until neither it nor anything that it started is left. The error
// is that it could not be run or traced, or did not end in time.
func Run(p Program) (Outcome, error) {
	type ended struct {
		outcome Outcome
		err     error
	}
	done := make(chan ended, 1) // nobody may take it any more
	go func() {
		// Whoever starts a process to be traced is its tracer: this thread. It
		// ends with the goroutine, so that nothing of it is left behind.
		runtime.LockOSThread()
		outcome, err := trace(p)
		done <- ended{outcome, err}
	}()
	limit := time.NewTimer(p.Patience + letGo)
	defer limit.Stop()
	select {
	case e := <-done:
		if e.err != nil {
			return e.outcome, fmt.Errorf("trace %s: %w", p.Path, e.err)
		}
		return e.outcome, nil
	case <-limit.C: // what is left of it ends with this process
		return Outcome{}, fmt.Errorf("trace %s: something of it is left %s after it was to be killed", p.Path, letGo)
	}
}

// tracer follows one program and all that it starts.
type tracer struct {
	Program
	root    int // the program's process
	tasks   map[int]*task
	gone    map[int]bool // tasks that ended before anybody told of their beginning
	begun   bool         // the launcher runs
	running bool         // the program has taken its place
	counts  map[string]int
	outcome Outcome
}

// task is a thread of the program or of one of its tools.
type task struct {
	process int  // that it is a thread of
	met     bool // the stop that it begins with is over
	waits   bool // it stands still, and who started it is not known yet
	leaving bool // it is in the call after which the program is to be killed
}

const options = unix.PTRACE_O_EXITKILL | unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACEEXEC |
	unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK

// syscallStop is the signal of a stop at the end of a call.
const syscallStop = unix.SIGTRAP | 0x80

func trace(p Program) (Outcome, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return Outcome{}, err
	}
	defer null.Close()
	input := null
	if p.Typed {
		input = p.Terminal
	}
	handle := -1
	pid, err := syscall.ForkExec(p.Launcher, append([]string{p.Launcher, p.Path}, p.Args...), &syscall.ProcAttr{
		Dir: p.Dir, Env: p.Env, Files: []uintptr{input.Fd(), p.Terminal.Fd(), p.Terminal.Fd()},
		Sys: &syscall.SysProcAttr{Ptrace: true, PidFD: &handle},
	})
	if err != nil {
		return Outcome{}, err
	}
	defer unix.Close(handle)
	t := &tracer{Program: p, root: pid, tasks: map[int]*task{pid: {process: pid, met: true}}, gone: map[int]bool{}, counts: map[string]int{}}
	timer := time.AfterFunc(p.Patience, func() { _ = unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0) })
	err = t.follow()
	if !timer.Stop() {
		err = errors.Join(err, fmt.Errorf("it did not end within %s", p.Patience))
	}
	return t.outcome, err
}

// follow serves the tasks until none is left.
func (t *tracer) follow() error {
	var failed error
	for len(t.tasks) > 0 {
		pid, status, err := t.next()
		switch {
		case err != nil:
			return errors.Join(failed, err)
		case status.Exited() || status.Signaled():
			err = t.ended(pid, status)
		default:
			err = t.stopped(pid, status)
		}
		// A task that was killed is gone, whatever it stood at.
		if err != nil && !errors.Is(err, unix.ESRCH) && failed == nil {
			failed = err
			t.kill()
		}
	}
	return failed
}

// next waits for a task that has stopped or ended. This thread may have started
// other processes before, whose ends others wait for.
func (t *tracer) next() (int, unix.WaitStatus, error) {
	var status unix.WaitStatus
	for {
		var news waitInfo
		err := unix.Waitid(unix.P_ALL, 0, (*unix.Siginfo)(unsafe.Pointer(&news)),
			unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|unix.WALL|unix.WNOTHREAD, nil)
		pid := int(news.pid)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, status, os.NewSyscallError("waitid", err)
		case t.tasks[pid] == nil && !traced(pid):
			// One of the others has ended, and hides what comes behind it for as
			// long as nobody waits for it.
			if pid, status := t.poll(); pid != 0 {
				return pid, status, nil
			}
			time.Sleep(time.Millisecond)
		default:
			// It must not be waited for: when its process ends meanwhile, a first
			// thread that stood still is no news any more until somebody, this
			// thread, has taken the ends of all the others.
			got, err := unix.Wait4(pid, &status, unix.WALL|unix.WNOTHREAD|unix.WNOHANG, nil)
			if got != 0 || err != nil {
				return pid, status, os.NewSyscallError("wait4", err)
			}
		}
	}
}

// poll returns a task that is known and has stopped or ended, 0 if none has.
func (t *tracer) poll() (int, unix.WaitStatus) {
	var status unix.WaitStatus
	for pid := range t.tasks {
		if got, err := unix.Wait4(pid, &status, unix.WALL|unix.WNOTHREAD|unix.WNOHANG, nil); err == nil && got == pid {
			return pid, status
		}
	}
	return 0, status
}

// waitInfo is what waitid tells.
type waitInfo struct {
	_   [4]int32
	pid int32
	_   [108]byte
}

// traced reports whether a process that has ended, or stopped, is traced. A
// task may end before anybody has told of its beginning.
func traced(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && !bytes.Contains(status, []byte("\nTracerPid:\t0\n"))
}

// kill kills the program. What it has started lives or dies as it would
// without a tracer.
func (t *tracer) kill() { _ = unix.Kill(t.root, unix.SIGKILL) }

// ended takes in the end of a task. With the program ends who would have told
// who started those that still wait.
func (t *tracer) ended(pid int, status unix.WaitStatus) error {
	if t.tasks[pid] == nil {
		t.gone[pid] = true
	}
	delete(t.tasks, pid)
	if pid != t.root {
		return nil
	}
	t.outcome.Status = status
	var failed error
	for pid, self := range t.tasks {
		if self.waits {
			failed = errors.Join(failed, t.started(pid, pid))
		}
	}
	return failed
}

// stopped serves a task that has stopped, and lets it go on.
func (t *tracer) stopped(pid int, status unix.WaitStatus) error {
	self := t.tasks[pid]
	switch {
	case self == nil: // it has stopped before who started it did
		t.tasks[pid] = &task{waits: true}
		if t.tasks[t.root] == nil {
			return t.started(pid, pid)
		}
		return nil
	case !t.begun: // the launcher stands at its first instruction
		t.begun = true
		return errors.Join(unix.PtraceSetOptions(pid, options), unix.PtraceCont(pid, 0))
	}
	signal := 0
	switch cause := status.TrapCause(); {
	case cause == unix.PTRACE_EVENT_SECCOMP:
		return t.called(pid, self)
	case cause == unix.PTRACE_EVENT_CLONE, cause == unix.PTRACE_EVENT_FORK, cause == unix.PTRACE_EVENT_VFORK:
		child, err := unix.PtraceGetEventMsg(pid)
		if err != nil {
			return err
		}
		process := int(child)
		if cause == unix.PTRACE_EVENT_CLONE {
			process = self.process
		}
		if err := t.started(int(child), process); err != nil {
			return err
		}
	case cause == unix.PTRACE_EVENT_EXEC && !t.running:
		return t.became(pid)
	case cause == unix.PTRACE_EVENT_EXEC, status.StopSignal() == syscallStop:
		if self.leaving {
			t.reach()
		}
	case !self.met: // a task begins with a stop
		self.met = true
	default:
		signal = int(status.StopSignal())
	}
	return unix.PtraceCont(pid, signal)
}

// became takes in that the launcher has become the program. The thread that did
// it has taken the place of the first one.
func (t *tracer) became(pid int) error {
	t.running = true
	thread, err := unix.PtraceGetEventMsg(pid)
	if err != nil {
		return err
	}
	if int(thread) != pid {
		delete(t.tasks, int(thread))
	}
	return unix.PtraceCont(pid, 0)
}

// started takes in a new task.
func (t *tracer) started(pid, process int) error {
	if t.gone[pid] {
		delete(t.gone, pid)
		return nil
	}
	self := t.tasks[pid]
	if self == nil || !self.waits {
		t.tasks[pid] = &task{process: process}
		return nil
	}
	*self = task{process: process, met: true}
	return unix.PtraceCont(pid, 0)
}

// called counts a call that is about to begin, and kills the program if this
// is the point.
func (t *tracer) called(pid int, self *task) error {
	if t.running {
		c, err := describe(pid, self.process)
		if err != nil {
			return err
		}
		c.Tool = self.process != t.root
		if class := t.Class(c); class != "" && t.count(c, class) {
			if t.Kill.After {
				self.leaving = true
				return unix.PtraceSyscall(pid, 0)
			}
			t.reach()
		}
	}
	return unix.PtraceCont(pid, 0)
}

// count counts a call, and reports whether it is that of the point.
func (t *tracer) count(c Call, class string) bool {
	t.counts[class]++
	n := t.counts[class]
	t.outcome.Calls = append(t.outcome.Calls, Counted{c, class, n})
	return t.Kill != nil && t.Kill.Class == class && t.Kill.N == n
}

// reach kills the program at its point. A call that is about to begin does not
// begin any more.
func (t *tracer) reach() {
	t.outcome.Reached = true
	t.kill()
}
