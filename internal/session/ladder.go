package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
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
// of every step. It is used by one goroutine at a time, hasten aside.
type ladder struct {
	store  journal.Store
	grant  ikigai.Grant
	dirs   []string // of journals, best first
	notice func(string)

	last    ikigai.Seq     // the last event on any disk
	lastID  ikigai.ID      // its ID
	backlog []ikigai.Event // on no disk
	waiting bool           // there are events in journals

	rung    int  // 0 is the store, then the journals, then nothing
	told    int  // the lowest rung that the person knows of
	back    bool // the store works again, which the person does not know yet
	journal *journal.Journal
	release func()    // gives the journals back, from the first event in one on; nil while they are not held here
	retryAt time.Time // when the store is tried again
	lost    bool      // the session has passed to another holder: the store is never tried again
	refused bool      // events lie in a file that can never be delivered

	mu    sync.Mutex
	hasty bool   // somebody waits for the end
	stop  func() // ends the attempt under way; nil without one
}

// hasten has no attempt last longer than retryTimeout from here on. It may be called
// at any time, by any goroutine.
func (l *ladder) hasten() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hasty = true; l.stop != nil {
		time.AfterFunc(retryTimeout, l.stop)
	}
}

// attempt returns the context of an attempt to write to the store.
func (l *ladder) attempt(timeout time.Duration) (ctx context.Context, end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hasty {
		timeout = min(timeout, retryTimeout)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	l.stop = cancel
	return ctx, func() {
		cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.stop = nil
	}
}

// write makes events durable, after whatever is on no disk yet, and returns how
// durable they are. While the store does not work, it is not asked: climb does
// that when nobody waits.
func (l *ladder) write(events []ikigai.Event) ikigai.Durability {
	l.backlog = append(l.backlog, events...)
	if l.rung == 0 {
		err := l.toStore(storeTimeout)
		if err == nil {
			return ikigai.Stored
		}
		l.storeFailed(err)
	}
	if l.rung > len(l.dirs) && l.climb() {
		return ikigai.Stored // nothing else takes events, so this is worth the wait
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

// climb goes back to the store, if it is time to try and it works. A store that
// takes long to fail is tried rarely.
func (l *ladder) climb() bool {
	start := time.Now()
	if l.rung == 0 || l.lost || start.Before(l.retryAt) {
		return false
	}
	err := l.toStore(retryTimeout)
	if err != nil {
		l.storeFailed(err)
		l.retryAt = time.Now().Add(max(retryTime, 10*time.Since(start)))
		if l.rung > len(l.dirs) {
			l.rung = 1 // there may be room in a journal again
		}
	}
	return err == nil
}

// toStore brings everything that is not in the store into it.
func (l *ladder) toStore(timeout time.Duration) error {
	ctx, end := l.attempt(timeout)
	defer end()
	if l.waiting {
		l.closeJournal()
		if err := journal.Replay(ctx, l.grant, l.store, l.dirs...); err != nil {
			return err
		}
		l.waiting = false
	}
	if len(l.backlog) > 0 {
		if err := l.store.Append(ctx, l.grant, l.last, l.backlog...); err != nil {
			return err
		}
		l.settle()
	}
	if l.rung > 0 {
		l.rung, l.told, l.back = 0, 0, true
	}
	return nil
}

// tellBack tells the person, once, that the store works again.
func (l *ladder) tellBack() {
	if l.back {
		l.back = false
		l.notice("The database works again. All events of this session are in it.")
	}
}

// settle empties the backlog, which is now on a disk.
func (l *ladder) settle() {
	last := l.backlog[len(l.backlog)-1]
	l.last, l.lastID, l.backlog = last.Seq, last.ID, nil
}

func (l *ladder) storeFailed(err error) {
	l.rung = max(l.rung, 1)
	if outdone(err) {
		l.lost = true
		l.notice("Another process has gone on with this session. What happens here is kept in a journal and becomes a session of its own, a fork of this one, when the program ends.")
		return
	}
	l.retryAt = time.Now().Add(retryTime)
	if len(l.dirs) > 0 {
		l.tell(1, "The database takes no events: %v. They are kept in a journal in %s and delivered when it works again.",
			reason(err), l.dirs[0])
	}
}

// toJournal writes the backlog to the journal of the rung.
func (l *ladder) toJournal() error {
	if l.journal == nil {
		l.hold()
		j, err := journal.Open(l.dirs[l.rung-1], l.grant)
		if err != nil {
			return err
		}
		l.journal = j
	}
	if err := l.journal.Append(l.last, l.lastID, l.backlog...); err != nil {
		return err
	}
	l.waiting = true
	l.settle()
	return nil
}

// hold keeps the journals of the session for this process, also while none of them is
// open. Where they are held already, it is by whoever opened the session here, or by
// the process that this one has taken over from.
func (l *ladder) hold() {
	if l.release == nil {
		l.release, _ = journal.Hold(l.grant.Session, l.dirs...)
	}
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
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return "it did not answer in time"
	}
	return strings.TrimSuffix(err.Error(), ".")
}

// tell tells the person of a step down, once until the store works again.
func (l *ladder) tell(rung int, format string, args ...any) {
	if rung > l.told {
		l.told = rung
		l.notice(fmt.Sprintf(format, args...))
	}
}

// deliver brings what waits in the journals into the store, and tells where
// that is if it is not this session.
func (l *ladder) deliver(ctx context.Context) error {
	l.closeJournal()
	done, err := journal.Deliver(ctx, l.grant, l.store, l.dirs...)
	for _, d := range done {
		if d.Fork != "" {
			l.notice(fmt.Sprintf("Another process had gone on with this session. What was kept in a journal, %s, is in the session %s now, a fork of it: go on there with `ikigai run --resume %s`.",
				countEvents(d.Events), d.Fork, d.Fork))
		}
	}
	if err == nil {
		l.waiting = false
	}
	return err
}

// goOn goes on behind what waits in the journals, which are all that can be reached
// of the session. cause is why the store is away.
func (l *ladder) goOn(cause error) {
	l.waiting = true
	l.storeFailed(cause)
}

// close ends the writing. What waits in a journal is delivered at a later start.
func (l *ladder) close() {
	if n := len(l.backlog); n > 0 {
		l.notice(fmt.Sprintf("%s of this session could be kept on no disk. Copy what you need from the screen: it is lost with the end of the program.", countEvents(n)))
	}
	l.closeJournal()
	if l.release != nil {
		l.release()
	}
}

// lastAttempt tries, before the end, to bring everything into the store, and reports
// whether that took it although it did not before.
func (l *ladder) lastAttempt() bool {
	if l.rung == 0 {
		return false
	}
	if !l.lost {
		err := l.toStore(retryTimeout)
		if l.lost = outdone(err); !l.lost {
			return err == nil
		}
	}
	for l.rung = 1; len(l.backlog) > 0 && l.rung <= len(l.dirs); l.rung++ {
		if l.toJournal() == nil {
			break
		}
		l.closeJournal()
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	switch err := l.deliver(ctx); {
	case errors.Is(err, ikigai.ErrConflict):
		l.refused = true
		l.notice(fmt.Sprintf("What happened here since another process went on cannot be brought into the database: %s. Keep that file.", reason(err)))
	case err != nil:
		l.notice(fmt.Sprintf("What happened here since another process went on waits in a journal, for a later start to deliver: %s.", reason(err)))
	}
	return false
}

// outdone reports whether an error of the store says that another process has
// gone on with the session.
func outdone(err error) bool {
	return errors.Is(err, ikigai.ErrFenced) || errors.Is(err, ikigai.ErrConflict)
}

func countEvents(n int) string {
	if n == 1 {
		return "1 event"
	}
	return fmt.Sprintf("%d events", n)
}

func (l *ladder) closeJournal() {
	if l.journal != nil {
		_ = l.journal.Close() // every append has been synced
		l.journal = nil
	}
}
