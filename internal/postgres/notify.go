package postgres

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/crash"
)

// channel is where sessions are named that have new events.
const channel = "ikigai_events"

// notifyEvery is how often at most listeners are told. It happens beside the
// appends: commits that notify wait for each other, all over the server.
const notifyEvery = 100 * time.Millisecond

// sqlNotify needs not be on disk to be told.
const sqlNotify = `SELECT set_config('synchronous_commit', 'off', true), pg_notify('` + channel + `', session)
	FROM unnest($1::text[]) session`

// notifier tells those who wait for events of a session.
type notifier struct {
	store *Store

	mu      sync.Mutex
	waiting map[string]bool // sessions to be told of
	running bool
	closed  bool
	soon    chan struct{} // closed when the store is
	all     sync.WaitGroup
}

func (n *notifier) init(s *Store) {
	n.store, n.waiting, n.soon = s, make(map[string]bool), make(chan struct{})
}

// appended has listeners told that the session has new events, soon.
func (n *notifier) appended(session ikigai.ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.waiting[string(session)] = true
	if !n.running {
		n.running = true
		n.all.Go(n.run)
	}
}

// run tells what is to be told until there has been nothing for a while.
func (n *notifier) run() {
	defer crash.Guard()
	for {
		sessions := n.next()
		if sessions == nil {
			return
		}
		n.tell(sessions)
		timer := time.NewTimer(notifyEvery)
		select {
		case <-timer.C:
		case <-n.soon:
			timer.Stop()
		}
	}
}

// next returns the sessions to be told of, or nil at the end.
func (n *notifier) next() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) == 0 {
		n.running = false
		return nil
	}
	sessions := slices.Collect(maps.Keys(n.waiting))
	clear(n.waiting)
	return sessions
}

// tell drops what cannot be told: who waits looks for itself now and then.
func (n *notifier) tell(sessions []string) {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTime)
	defer cancel()
	_ = n.store.pool.do(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sqlNotify, sessions)
		return err
	})
}

// close tells what is still to be told and waits for it.
func (n *notifier) close() {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		close(n.soon)
	}
	n.mu.Unlock()
	n.all.Wait()
}
