package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/journal"
)

const (
	// storeTimeout bounds one attempt to write to the store.
	storeTimeout = 10 * time.Second
	// retryTimeout bounds an attempt with a store that has failed: nothing
	// hangs on it while a journal takes the events.
	retryTimeout = time.Second
	// retryTime is how long a store that failed is left alone.
	retryTime = 5 * time.Second
)

// ladder writes events as durably as can be: into the store, else into the
// first journal that takes them, else nowhere. It goes down a rung when the one
// above fails and back to the store when that works again; the person is told
// of every step. It is used by one goroutine at a time.
type ladder struct {
	log    ikigai.Log
	grant  ikigai.Grant
	dirs   []string // of journals, best first
	notice func(string)

	last    ikigai.Seq     // the last event on any disk
	backlog []ikigai.Event // on no disk
	waiting bool           // there are events in journals

	rung    int // 0 is the store, then the journals, then nothing
	told    int // the lowest rung that the person knows of
	journal *journal.Journal
	retryAt time.Time // when the store is tried again
	lost    bool      // the session has passed to another holder: the store is never tried again
}

// write makes events durable, after whatever is on no disk yet, and returns how
// durable they are.
func (l *ladder) write(events []ikigai.Event) ikigai.Durability {
	l.backlog = append(l.backlog, events...)
	if l.rung == 0 || !l.lost && !time.Now().Before(l.retryAt) {
		err := l.toStore()
		if err == nil {
			return ikigai.Stored
		}
		l.storeFailed(err)
	}
	for l.rung <= len(l.dirs) {
		err := l.toJournal()
		if err == nil {
			return ikigai.Journalled
		}
		l.journalFailed(err)
	}
	return ikigai.Volatile
}

// toStore brings everything that is not in the store into it.
func (l *ladder) toStore() error {
	timeout := storeTimeout
	if l.rung > 0 && l.rung <= len(l.dirs) {
		timeout = retryTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if l.waiting {
		if err := l.deliver(ctx); err != nil {
			return err
		}
	}
	if len(l.backlog) > 0 {
		if err := l.log.Append(ctx, l.grant, l.last, l.backlog...); err != nil {
			return err
		}
		l.settle()
	}
	if l.rung > 0 {
		l.rung, l.told = 0, 0
		l.notice("The database works again. All events of this session are in it.")
	}
	return nil
}

// settle empties the backlog, which is now on a disk.
func (l *ladder) settle() {
	l.last = l.backlog[len(l.backlog)-1].Seq
	l.backlog = nil
}

func (l *ladder) storeFailed(err error) {
	l.retryAt = time.Now().Add(retryTime)
	l.lost = errors.Is(err, ikigai.ErrFenced) || errors.Is(err, ikigai.ErrConflict)
	if l.rung == 0 || l.rung > len(l.dirs) {
		l.rung = 1 // try the journals, again if none took anything before
	}
	if len(l.dirs) > 0 {
		l.tell(1, "The database takes no events: %v. They are kept in a journal in %s and delivered when it works again.",
			reason(err), l.dirs[0])
	}
}

// toJournal writes the backlog to the journal of the rung.
func (l *ladder) toJournal() error {
	if l.journal == nil {
		j, err := journal.Open(l.dirs[l.rung-1], l.grant)
		if err != nil {
			return err
		}
		l.journal = j
	}
	if err := l.journal.Append(l.last, l.backlog...); err != nil {
		return err
	}
	l.waiting = true
	l.settle()
	return nil
}

func (l *ladder) journalFailed(err error) {
	l.closeJournal()
	l.rung++
	if l.rung <= len(l.dirs) {
		l.tell(l.rung, "The journal takes no events: %v. They are kept in a second one in %s.", reason(err), l.dirs[l.rung-1])
		return
	}
	l.tell(l.rung, "No disk takes events: %v. What happens now is lost when the program ends; free some space.", reason(err))
}

// reason returns the text of err without its last full stop.
func reason(err error) string { return strings.TrimSuffix(err.Error(), ".") }

// tell tells the person of a step down, once until the store works again.
func (l *ladder) tell(rung int, format string, args ...any) {
	if rung > l.told {
		l.told = rung
		l.notice(fmt.Sprintf(format, args...))
	}
}

// deliver brings what waits in the journals into the store.
func (l *ladder) deliver(ctx context.Context) error {
	l.closeJournal()
	if err := journal.Deliver(ctx, l.grant, l.log, l.dirs...); err != nil {
		return err
	}
	l.waiting = false
	return nil
}

// close makes a last attempt to bring everything into the store. What waits in
// a journal is delivered at a later start otherwise.
func (l *ladder) close() {
	if l.rung > 0 && !l.lost {
		_ = l.toStore()
	}
	if n := len(l.backlog); n > 0 {
		l.notice(fmt.Sprintf("%d events of this session could be kept on no disk. They are lost with the end of the program.", n))
	}
	l.closeJournal()
}

func (l *ladder) closeJournal() {
	if l.journal != nil {
		_ = l.journal.Close() // every append has been synced
		l.journal = nil
	}
}
