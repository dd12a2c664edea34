package process

import (
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ikigai/internal/crash"
)

const (
	terminalColumns = 80
	terminalRows    = 24

	// endOfInput is what a person types to end the input of a program.
	endOfInput = 4
	// lookAfter is how often a reader of the terminal finds the end of input.
	lookAfter = 50 * time.Millisecond
)

// terminal is our end of the terminal of one command. Nobody types there: each
// read finds the end of input, so that nothing waits for a person.
type terminal struct {
	ours *os.File
	name string // of the command's end
	over chan struct{}
	fed  sync.WaitGroup
}

// openTerminal gives cmd a terminal and returns our end of it and the file that
// is the command's.
func openTerminal(cmd *exec.Cmd) (ends, []*os.File, error) {
	master, theirs, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	ours, err := interruptible(master)
	if err == nil {
		err = prepare(theirs)
	}
	if err != nil {
		closeFiles(ours, theirs)
		return nil, nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr.Setctty = true // its standard input, descriptor 0
	t := &terminal{ours: ours, name: theirs.Name(), over: make(chan struct{})}
	t.fed.Go(t.feed)
	return t, []*os.File{theirs}, nil
}

// interruptible returns f in a form of which reads can be ended. It closes f.
func interruptible(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// prepare sets the size of a terminal, and that it neither shows what is typed
// nor rings when that is too much.
func prepare(f *os.File) error {
	if err := pty.Setsize(f, &pty.Winsize{Rows: terminalRows, Cols: terminalColumns}); err != nil {
		return os.NewSyscallError("ioctl", err)
	}
	mode, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	if err != nil {
		return os.NewSyscallError("ioctl", err)
	}
	mode.Lflag &^= unix.ECHO
	mode.Iflag &^= unix.IMAXBEL
	return os.NewSyscallError("ioctl", unix.IoctlSetTermios(int(f.Fd()), setTermios, mode))
}

// feed types the end of input whenever the last one was read, or dropped, as
// programs do that ask for a password.
func (t *terminal) feed() {
	look := time.NewTicker(lookAfter)
	defer look.Stop()
	defer crash.Guard()
	for {
		if !t.waiting() {
			_, _ = t.ours.Write([]byte{endOfInput}) // the command may be gone
		}
		select {
		case <-look.C:
		case <-t.over:
			return
		}
	}
}

// waiting reports whether something waits to be read at the command's end.
func (t *terminal) waiting() bool {
	fd, err := unix.Open(t.name, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	_, err = unix.Poll(fds, 0)
	return err == nil && fds[0].Revents&unix.POLLIN != 0
}

// read takes the output in, until the last process has left the terminal or
// stop is called.
func (t *terminal) read(k *capture) {
	in := inlet{stream: Stdout, capture: k}
	defer in.end()
	for {
		n, err := t.ours.Read(in.space())
		in.took(n)
		if err != nil {
			return
		}
	}
}

func (t *terminal) stop() { _ = t.ours.SetReadDeadline(time.Now()) }

func (t *terminal) close() {
	close(t.over)
	_ = t.ours.SetWriteDeadline(time.Now()) // a reader may not have taken what was typed
	t.fed.Wait()
	_ = t.ours.Close()
}
