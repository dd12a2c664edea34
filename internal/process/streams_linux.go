package process

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// streams are our ends of the two streams of a command. One goroutine reads
// both, in the order in which they became readable: what the command printed to
// one and then to the other is kept in that order, as far as the system knows
// it.
type streams struct {
	fds  [2]int
	poll *os.File // an epoll instance that watches both
}

// openStreams returns the streams and the ends that are the command's.
func openStreams() (s *streams, theirs [2]*os.File, err error) {
	s = &streams{fds: [2]int{-1, -1}}
	defer func() {
		if err != nil {
			s.close()
			for _, f := range theirs {
				_ = f.Close()
			}
		}
	}()
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return s, theirs, os.NewSyscallError("epoll_create1", err)
	}
	if err := unix.SetNonblock(epoll, true); err != nil {
		_ = unix.Close(epoll)
		return s, theirs, os.NewSyscallError("fcntl", err)
	}
	s.poll = os.NewFile(uintptr(epoll), "epoll")
	for i := range s.fds {
		var pipe [2]int
		if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
			return s, theirs, os.NewSyscallError("pipe2", err)
		}
		s.fds[i], theirs[i] = pipe[0], os.NewFile(uintptr(pipe[1]), "pipe")
		if err := unix.SetNonblock(pipe[0], true); err != nil {
			return s, theirs, os.NewSyscallError("fcntl", err)
		}
		event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: int32(i)}
		if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, pipe[0], &event); err != nil {
			return s, theirs, os.NewSyscallError("epoll_ctl", err)
		}
	}
	return s, theirs, nil
}

// read takes both streams in, until both are at their end or stop is called.
func (s *streams) read(k *capture) {
	inlets := [2]inlet{{stream: Stdout, capture: k}, {stream: Stderr, capture: k}}
	defer inlets[Stdout].end()
	defer inlets[Stderr].end()
	conn, err := s.poll.SyscallConn()
	if err != nil {
		return // it is closed
	}
	var more, ended [2]bool // more: there may be bytes for which no event comes
	for !ended[Stdout] || !ended[Stderr] {
		var events [2]unix.EpollEvent
		n := 0
		err := conn.Read(func(fd uintptr) bool {
			n, _ = unix.EpollWait(int(fd), events[:], 0)
			return n > 0 || more[Stdout] || more[Stderr]
		})
		if err != nil {
			return
		}
		for i := range n {
			more[events[i].Fd] = true
			s.take(&inlets[events[i].Fd], events[i].Events&unix.EPOLLHUP != 0, &more, &ended)
		}
		for i := range inlets {
			if n == 0 && more[i] {
				s.take(&inlets[i], true, &more, &ended)
			}
		}
	}
}

// mostReads bounds the reads of one stream in a row, so that the other, and
// stop, have their turn.
const mostReads = 16

// take reads what one stream holds. When the other end is closed, it reads on
// to the end; otherwise a read that does not fill the space has emptied it.
func (s *streams) take(in *inlet, closed bool, more, ended *[2]bool) {
	for range mostReads {
		space := in.space()
		n, err := unix.Read(s.fds[in.stream], space)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			more[in.stream] = false
			return
		case n <= 0:
			more[in.stream], ended[in.stream] = false, true
			return
		}
		if in.took(n) {
			// A larger pipe holds the command up less; the system may refuse.
			_, _ = unix.FcntlInt(uintptr(s.fds[in.stream]), unix.F_SETPIPE_SZ, 4*largeBuffer)
		}
		if n < len(space) && !closed {
			more[in.stream] = false
			return
		}
	}
}

// stop makes read return soon.
func (s *streams) stop() { _ = s.poll.SetReadDeadline(time.Now()) }

func (s *streams) close() {
	if s.poll != nil {
		_ = s.poll.Close()
	}
	for _, fd := range s.fds {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
