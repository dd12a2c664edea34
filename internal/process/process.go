// Package process runs a command with everything that belongs to it: its
// process group, its two output streams, its limits of time and memory.
package process

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Command says what to run and what to keep of it.
type Command struct {
	Path string   // of the executable
	Args []string // without the name of the program
	Dir  string
	Env  []string // nil means none

	// Stdin is what the command reads; it may read less. Where it is empty, the
	// command reads /dev/null.
	Stdin []byte

	// Timeout ends the command; 0 means that only the context does.
	Timeout time.Duration

	// Limits bound the bytes kept of standard output and standard error, in
	// this order. Of a stream that is longer, its beginning and its end are
	// kept, and both streams go whole, as they arrived, to a file.
	Limits [2]int

	// Spill creates the file for the whole output, when it is first needed.
	// Run closes it. It may be nil: then what exceeds the limits is lost.
	Spill func() (*os.File, error)

	// Leave, when it is closed, takes away the grace that a command that is
	// being stopped has. It may be nil.
	Leave <-chan struct{}

	// Progress takes the output as it arrives. It may be nil, is called from
	// one goroutine at a time and must not keep the bytes.
	Progress func([]byte)
}

// Result is what became of a command.
type Result struct {
	Exit      int // as a shell has it: 128+n when signal n ended the command
	TimedOut  bool
	Cancelled bool
	Duration  time.Duration
	Output    Output
}

const (
	// grace is the time between SIGTERM and SIGKILL.
	grace = time.Second
	// drain is the time in which output may still come once the command
	// itself has ended and others hold its streams open.
	drain = 200 * time.Millisecond
	// abandon is the time after SIGKILL in which a command must be gone. The
	// system may hold it for longer; nobody waits for that.
	abandon = 2 * time.Second
)

// Run runs a command to its end and returns what became of it. An error means
// that it could not be started.
//
// The command reads c.Stdin, has no terminal, and leads a session
// and a process group of its own. When it ends, when its time is over or when
// ctx ends, the whole group gets SIGTERM, after a grace of one second SIGKILL
// (at once, if c.Leave is closed):
// nothing that it started in the background outlives it, unless it left the
// group (setsid). Such a process cannot hold Run up: the streams are then
// closed. When this process dies, the system kills the command where it can
// (Linux).
func Run(ctx context.Context, c Command) (Result, error) {
	start := time.Now()
	r := &run{capture: newCapture(c), leave: c.Leave}
	if err := r.start(c); err != nil {
		return Result{}, err
	}
	var result Result
	result.TimedOut, result.Cancelled = r.wait(ctx, c.Timeout)
	r.endGroup(result.TimedOut || result.Cancelled)
	r.endStreams()
	result.Exit = r.exit
	result.Output = r.capture.finish()
	result.Duration = time.Since(start)
	return result, nil
}

// run is one command in the course of Run.
type run struct {
	capture *capture
	pid     int      // of the command, also of its group
	exited  chan int // the exit code, once
	exit    int      // the exit code, once it is known
	ended   bool     // exit is known
	input   input
	streams *streams      // our ends
	drained chan struct{} // closed when both streams are at their end
	leave   <-chan struct{}
}

func (r *run) start(c Command) error {
	cmd := &exec.Cmd{Path: c.Path, Args: append([]string{c.Path}, c.Args...), Dir: c.Dir, Env: c.Env, SysProcAttr: attributes()}
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	streams, theirs, err := openStreams()
	if err != nil {
		return err
	}
	input, reads, err := openInput(c.Stdin)
	if err != nil {
		closeFiles(theirs[:]...)
		streams.close()
		return err
	}
	if reads != nil {
		cmd.Stdin = reads
	}
	cmd.Stdout, cmd.Stderr = theirs[Stdout], theirs[Stderr]
	started := make(chan error, 1)
	r.exited = make(chan int, 1)
	go func() {
		// The system kills the command when the thread that started it ends.
		// This one stays until the command has ended, and waits for it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the state says it
			r.exited <- exitCode(cmd.ProcessState)
		}
	}()
	err = <-started
	closeFiles(theirs[Stdout], theirs[Stderr], reads) // the command has its own
	if err != nil {
		input.close()
		streams.close()
		return err
	}
	r.pid, r.input, r.streams, r.drained = cmd.Process.Pid, input, streams, make(chan struct{})
	go func() {
		streams.read(r.capture)
		close(r.drained)
	}()
	return nil
}

// wait waits for the end of the command, of its time or of ctx.
func (r *run) wait(ctx context.Context, timeout time.Duration) (timedOut, cancelled bool) {
	var expired <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		expired = t.C
	}
	select {
	case r.exit = <-r.exited:
		r.ended = true
	case <-expired:
		timedOut = true
	case <-ctx.Done():
		cancelled = true
	}
	return timedOut, cancelled
}

// endGroup ends what is left of the group. Output that is still on its way gets
// its time first, unless the command is stopped.
func (r *run) endGroup(stop bool) {
	if !stop {
		r.awaitDrain(drain)
	}
	if r.gone() {
		return
	}
	r.signal(syscall.SIGTERM)
	if r.awaitGone(grace, r.leave) {
		return
	}
	r.signal(syscall.SIGKILL)
	r.awaitGone(abandon, nil)
	if !r.ended {
		r.exit = 128 + int(syscall.SIGKILL)
	}
}

// awaitGone waits until the group is gone, and reports whether it is. It waits
// no longer than limit, or until leave is closed.
func (r *run) awaitGone(limit time.Duration, leave <-chan struct{}) bool {
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		if r.gone() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		select {
		case r.exit = <-r.exited:
			r.ended = true
		case <-leave:
			return r.gone()
		case <-time.After(pause):
		}
	}
}

// gone reports whether the command has ended and no process of its group is
// left.
func (r *run) gone() bool {
	return r.ended && (syscall.Kill(-r.pid, 0) == syscall.ESRCH || onlyZombies(r.pid))
}

func (r *run) signal(s syscall.Signal) {
	_ = syscall.Kill(-r.pid, s) // the group may have ended by itself
}

// endStreams lets the readers finish. A process that left the group may hold
// the streams open; then they are closed.
func (r *run) endStreams() {
	if !r.awaitDrain(drain) {
		r.streams.stop()
		<-r.drained
	}
	r.streams.close()
	r.input.close()
}

// closeFiles closes those that are open.
func closeFiles(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // a nil file only says that it is none
	}
}

func (r *run) awaitDrain(limit time.Duration) bool {
	select {
	case <-r.drained:
		return true
	default:
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-r.drained:
		return true
	case <-t.C:
		return false
	}
}

// exitCode returns the exit code that a shell would report.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
