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

	"ikigai/internal/crash"
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

	// Terminal runs the command at a terminal of its own, where it reads nothing
	// but the end of input, and both its streams are one, Stdout. Stdin is then
	// of no effect.
	Terminal bool

	// Timeout ends the command; 0 means that only the context does. It begins
	// with the start.
	Timeout time.Duration

	// Limits bound the bytes kept of standard output and standard error, in
	// this order. Of a stream that is longer, its beginning and its end are
	// kept, and both streams go whole, as they arrived, to a file.
	Limits [2]int

	// Spill creates the file for the whole output, when it is first needed. It
	// is closed with the command's end. It may be nil: then what exceeds the limits is lost.
	Spill func() (*os.File, error)

	// Leave, when it is closed, ends the command, without the grace that one that
	// is stopped has. It may be nil.
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

// Run runs a command to its end, or ends it when ctx ends, and returns what
// became of it. An error means that it could not be started.
func Run(ctx context.Context, c Command) (Result, error) {
	p, err := Start(c)
	if err != nil {
		return Result{}, err
	}
	return p.Wait(ctx), nil
}

// Process is a command that was started.
type Process struct {
	start   time.Time
	timeout time.Duration
	leave   <-chan struct{}

	capture *capture
	pid     int           // of the command, also of its group
	exited  chan int      // the exit code, once
	exit    int           // the exit code, once it is known
	ended   bool          // exit is known
	ends    ends          // ours
	drained chan struct{} // closed when all output is in
}

// ends are our ends of what a command reads and prints.
type ends interface {
	read(*capture) // takes the output in, until its end or until stop is called
	stop()         // makes read return soon
	close()
}

// Start starts a command. Whoever starts it has to wait for it.
//
// The command reads c.Stdin, has no terminal unless it gets one of its own, and
// leads a session and a process group of its own. When this process dies, the
// system kills the command where it can (Linux).
func Start(c Command) (*Process, error) {
	cmd := &exec.Cmd{Path: c.Path, Args: append([]string{c.Path}, c.Args...), Dir: c.Dir, Env: c.Env, SysProcAttr: attributes()}
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	ours, theirs, err := open(c, cmd)
	if err != nil {
		return nil, err
	}
	p := &Process{start: time.Now(), timeout: c.Timeout, leave: c.Leave, capture: newCapture(c), ends: ours}
	err = p.launch(cmd)
	closeFiles(theirs...) // the command has its own
	if err != nil {
		ours.close()
		return nil, err
	}
	p.drained = make(chan struct{})
	go func() {
		defer crash.Guard()
		p.ends.read(p.capture)
		close(p.drained)
	}()
	return p, nil
}

// launch starts cmd, and sees to it that its exit code is told.
func (p *Process) launch(cmd *exec.Cmd) error {
	started := make(chan error, 1)
	p.exited = make(chan int, 1)
	go func() {
		// The system kills the command when the thread that started it ends.
		// This one stays until the command has ended, and waits for it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer crash.Guard()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the state says it
			p.exited <- exitCode(cmd.ProcessState)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	p.pid = cmd.Process.Pid
	return nil
}

// Output returns the output since it was last asked for, within the limits of
// the command. What is taken stands in the file as well, if there can be one.
func (p *Process) Output() Output { return p.capture.take(false) }

// Wait waits for the end of the command and returns what became of it, and the
// output that was not asked for. It is called once.
//
// When the command ends, when its time is over, when ctx ends or Leave is closed,
// the whole group gets SIGTERM, after a grace of one second SIGKILL (at once, if
// Leave is closed): nothing that it started in the background outlives it, unless it left
// the group (setsid). Such a process cannot hold Wait up: the streams are then
// closed.
func (p *Process) Wait(ctx context.Context) Result {
	var result Result
	result.TimedOut, result.Cancelled = p.await(ctx)
	p.endGroup(result.TimedOut || result.Cancelled)
	p.endStreams()
	result.Exit = p.exit
	result.Output = p.capture.take(true)
	result.Duration = time.Since(p.start)
	return result
}

// await waits for the end of the command, of its time or of ctx, or until it is to
// end at once.
func (p *Process) await(ctx context.Context) (timedOut, cancelled bool) {
	var expired <-chan time.Time
	if p.timeout > 0 {
		t := time.NewTimer(p.timeout - time.Since(p.start))
		defer t.Stop()
		expired = t.C
	}
	select {
	case p.exit = <-p.exited:
		p.ended = true
	case <-expired:
		timedOut = true
	case <-ctx.Done():
		cancelled = true
	case <-p.leave:
		cancelled = true
	}
	return timedOut, cancelled
}

// endStreams lets the readers finish. A process that left the group may hold
// the streams open; then they are closed.
func (p *Process) endStreams() {
	if !p.awaitDrain(drain) {
		p.ends.stop()
		<-p.drained
	}
	p.ends.close()
}

func (p *Process) awaitDrain(limit time.Duration) bool {
	select {
	case <-p.drained:
		return true
	default:
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-p.drained:
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
