package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ikigai/internal/crash"
)

// turn is the order in which processes write. SQLite's own way to wait for its
// lock is to sleep and try again, which lets one busy writer keep the others
// out for a second; here the system wakes who waited. It is a courtesy: the
// lock of the database is what counts, and where there can be no file for the
// turn, all do without.
type turn struct {
	path string
	file *os.File

	mu      sync.Mutex
	waiting bool          // a goroutine waits for the lock, which cannot be called off
	wanted  chan struct{} // takes the lock, nil when nobody wants it
}

// errTurn means that others wrote all the time.
var errTurn = errors.New("the turn to write did not come")

// take waits for the turn, at most until the deadline. The error is errTurn or
// that of ctx.
func (t *turn) take(ctx context.Context, deadline time.Time) error {
	if t.file == nil && !t.open() || t.try() {
		return nil
	}
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	wanted := t.ask()
	var err error
	select {
	case <-wanted:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-late.C:
		err = errTurn
	}
	t.callOff(wanted)
	return err
}

func (t *turn) open() bool {
	_ = os.Mkdir(filepath.Dir(t.path), 0o700) // there already, or we do without
	f, err := os.OpenFile(t.path, os.O_CREATE|os.O_RDWR, 0o600)
	t.file = f
	if err != nil {
		t.file = nil
	}
	return err == nil
}

// try takes the turn if nobody has it, and if this process does not wait for
// it already: the lock is one for all that use the file. Where there are no such
// locks, it is always this one's turn.
func (t *turn) try() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.waiting && flock(t.file, unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK
}

// ask has a goroutine wait for the lock, unless one does from an earlier time.
func (t *turn) ask() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wanted = make(chan struct{}, 1)
	if !t.waiting {
		t.waiting = true
		go t.wait(t.file)
	}
	return t.wanted
}

func (t *turn) wait(f *os.File) {
	defer crash.Guard()
	_ = flock(f, unix.LOCK_EX) // or do without
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = false
	switch {
	case t.wanted != nil:
		t.wanted <- struct{}{}
		t.wanted = nil
	case t.file == nil: // closed
		_ = f.Close()
	default:
		_ = flock(f, unix.LOCK_UN)
	}
}

// callOff gives the turn back if it came meanwhile; if it comes later, wait
// does.
func (t *turn) callOff(wanted <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wanted = nil
	select {
	case <-wanted:
		_ = flock(t.file, unix.LOCK_UN)
	default:
	}
}

// give gives the turn back.
func (t *turn) give() {
	if t.file != nil {
		_ = flock(t.file, unix.LOCK_UN)
	}
}

// close closes the file. A goroutine that still waits for the lock does that
// when it has it.
func (t *turn) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != nil && !t.waiting {
		_ = t.file.Close()
	}
	t.file = nil
}
