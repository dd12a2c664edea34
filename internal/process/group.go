package process

import (
	"syscall"
	"time"
)

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

// endGroup ends what is left of the group. Output that is still on its way gets
// its time first, unless the command is stopped.
func (p *Process) endGroup(stop bool) {
	if !stop {
		p.awaitDrain(drain)
	}
	if p.gone() {
		return
	}
	p.signal(syscall.SIGTERM)
	if p.awaitGone(grace, p.leave) {
		return
	}
	p.signal(syscall.SIGKILL)
	p.awaitGone(abandon, nil)
	if !p.ended {
		p.exit = 128 + int(syscall.SIGKILL)
	}
}

// awaitGone waits until the group is gone, and reports whether it is. It waits
// no longer than limit, or until leave is closed.
func (p *Process) awaitGone(limit time.Duration, leave <-chan struct{}) bool {
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		if p.gone() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		select {
		case p.exit = <-p.exited:
			p.ended = true
		case <-leave:
			return p.gone()
		case <-time.After(pause):
		}
	}
}

// gone reports whether the command has ended and no process of its group is
// left.
func (p *Process) gone() bool {
	return p.ended && (syscall.Kill(-p.pid, 0) == syscall.ESRCH || onlyZombies(p.pid))
}

func (p *Process) signal(s syscall.Signal) {
	_ = syscall.Kill(-p.pid, s) // the group may have ended by itself
}
