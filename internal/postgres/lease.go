package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/dbschema"
)

const (
	// leaseTime is how long a lease lasts without being renewed. A holder that
	// lives renews it three times in that time.
	leaseTime = 30 * time.Second
	// releaseTime is how long giving one back may take. It ends by itself.
	releaseTime = 2 * time.Second
)

// The clock of the server is the only one that counts.
const (
	sqlNow = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`

	// A lease is free once it has ended. So is one that this store has taken
	// without learning of it, which its holder's name tells, and one of a
	// process that is dead.
	sqlAcquire = `INSERT INTO leases AS l (session, fence, holder, taken, until)
		SELECT $1, 1 + coalesce((SELECT fence FROM sessions WHERE id = $1), 0), $2, now, now + $3
		FROM (SELECT ` + sqlNow + ` AS now) clock
		ON CONFLICT (session) DO UPDATE SET fence = greatest(l.fence + 1, excluded.fence),
			holder = excluded.holder, taken = excluded.taken, until = excluded.until
		WHERE l.until <= excluded.taken OR l.holder IN ($2, $4)
		RETURNING fence`

	// From here on, the holder before cannot append. An append of it that is
	// under way is waited for.
	sqlRaiseFence = `UPDATE sessions s SET fence = l.fence FROM leases l
		WHERE l.session = $1 AND l.holder = $2 AND s.id = $1 AND s.fence < l.fence`

	sqlHolder = `SELECT holder, until FROM leases WHERE session = $1`

	sqlRenew = `UPDATE leases l SET until = ` + sqlNow + ` + $4
		FROM unnest($1::text[], $2::bigint[]) held (session, fence)
		WHERE l.session = held.session AND l.fence = held.fence AND l.holder = $3
		RETURNING l.session`

	// The fence of a session that never began must be remembered.
	sqlRelease = `WITH gone AS (
			DELETE FROM leases l USING sessions s
			WHERE l.session = $1 AND l.fence = $2 AND l.holder = $3 AND s.id = l.session AND s.fence >= l.fence
			RETURNING 1
		)
		UPDATE leases SET until = 0 WHERE session = $1 AND fence = $2 AND holder = $3 AND NOT EXISTS (SELECT FROM gone)`
)

// leases are the rights to append that a store has taken. They are renewed
// until they are given back.
type leases struct {
	store  *Store
	holder string        // names the store, see newHolder
	time   time.Duration // how long a lease lasts

	mu     sync.Mutex
	held   map[ikigai.ID]int64 // fences
	cancel context.CancelFunc  // ends the renewing; nil before there is a lease
	ended  chan struct{}
}

func (l *leases) init(s *Store) {
	l.store, l.holder, l.time, l.held = s, newHolder(), leaseTime, make(map[ikigai.ID]int64)
}

// Acquire implements ikigai.Leases.
func (s *Store) Acquire(ctx context.Context, session ikigai.ID) (ikigai.Grant, func() error, error) {
	operation := "open session " + string(session)
	if err := dbschema.CheckSession(session); err != nil {
		return ikigai.Grant{}, nil, s.fail(ctx, operation, err)
	}
	fence, err := s.leases.acquire(ctx, session)
	if err != nil {
		return ikigai.Grant{}, nil, s.fail(ctx, operation, err)
	}
	g := ikigai.Grant{Session: session, Fence: fence}
	return g, sync.OnceValue(func() error { return s.leases.release(g) }), nil
}

func (l *leases) acquire(ctx context.Context, session ikigai.ID) (int64, error) {
	if !l.reserve(session) {
		return 0, fmt.Errorf("%w (%s)", ikigai.ErrBusy, people(l.holder))
	}
	fence, err := l.take(ctx, session)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		delete(l.held, session)
		return 0, err
	}
	l.held[session] = fence
	if l.cancel == nil {
		var renewing context.Context
		renewing, l.cancel = context.WithCancel(context.Background())
		l.ended = make(chan struct{})
		go l.renew(renewing, l.ended)
	}
	return fence, nil
}

// reserve reports whether nobody in this process uses the store to hold the
// session, and keeps others from it.
func (l *leases) reserve(session ikigai.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, held := l.held[session]; held {
		return false
	}
	l.held[session] = 0
	return true
}

// take takes the lease in the database. If it has a holder that turns out to be
// dead, it is taken from that one.
func (l *leases) take(ctx context.Context, session ikigai.ID) (fence int64, err error) {
	err = l.store.pool.do(ctx, func(conn *pgx.Conn) error {
		fence, err = l.try(ctx, conn, session, l.holder)
		if fence > 0 || err != nil {
			return err
		}
		var (
			holder string
			until  int64
		)
		if err := conn.QueryRow(ctx, sqlHolder, string(session)).Scan(&holder, &until); err != nil && err != pgx.ErrNoRows {
			return err
		}
		if isDead(holder, l.holder) {
			fence, err = l.try(ctx, conn, session, holder)
			if fence > 0 || err != nil {
				return err
			}
		}
		return fmt.Errorf("%w (%s, until %s)", ikigai.ErrBusy, people(holder), ikigai.Micros(until).Time().Format(time.TimeOnly))
	})
	return fence, err
}

// try takes the lease if it is free or held by holder. The fence is 0 if not.
func (l *leases) try(ctx context.Context, conn *pgx.Conn, session ikigai.ID, holder string) (fence int64, err error) {
	var both pgx.Batch
	both.Queue(sqlAcquire, string(session), l.holder, l.time.Microseconds(), holder).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(&fence); err != pgx.ErrNoRows {
			return err
		}
		return nil
	})
	both.Queue(sqlRaiseFence, string(session), l.holder)
	err = conn.SendBatch(ctx, &both).Close()
	return fence, err
}

func (l *leases) release(g ikigai.Grant) error {
	l.mu.Lock()
	fence, held := l.held[g.Session]
	if held && fence == g.Fence {
		delete(l.held, g.Session)
	}
	l.mu.Unlock()
	if !held || fence != g.Fence {
		return nil // taken over, or given back by Close
	}
	return l.give(g.Session, g.Fence)
}

func (l *leases) give(session ikigai.ID, fence int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTime)
	defer cancel()
	return l.store.do(ctx, "release session "+string(session), func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sqlRelease, string(session), fence, l.holder)
		return err
	})
}

// renew renews what is held until ctx ends. While the server is away it tries
// more often: a lease that ran out and that nobody took is good again.
func (l *leases) renew(ctx context.Context, ended chan<- struct{}) {
	defer close(ended)
	defer crash.Guard()
	for wait := l.time / 3; ; {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		wait = l.time / 3
		if err := l.renewAll(ctx); err != nil {
			wait = l.time / 15
		}
	}
}

// renewAll renews the leases and forgets those that were taken over.
func (l *leases) renewAll(ctx context.Context) error {
	sessions, fences := l.list()
	if len(sessions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, l.time/3)
	defer cancel()
	var renewed []string
	err := l.store.pool.do(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, sqlRenew, sessions, fences, l.holder, l.time.Microseconds())
		if err != nil {
			return err
		}
		renewed, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	there := make(map[string]bool)
	for _, session := range renewed {
		there[session] = true
	}
	for i, session := range sessions {
		if id := ikigai.ID(session); !there[session] && l.held[id] == fences[i] {
			delete(l.held, id)
		}
	}
	return nil
}

func (l *leases) list() (sessions []string, fences []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for session, fence := range l.held {
		if fence > 0 {
			sessions, fences = append(sessions, string(session)), append(fences, fence)
		}
	}
	return sessions, fences
}

// close gives back what is held and ends the renewing.
func (l *leases) close() {
	l.mu.Lock()
	cancel, ended := l.cancel, l.ended
	l.cancel = nil
	l.mu.Unlock()
	if cancel != nil {
		cancel()
		<-ended
	}
	sessions, fences := l.list()
	for i, session := range sessions {
		g := ikigai.Grant{Session: ikigai.ID(session), Fence: fences[i]}
		if l.release(g) != nil {
			return // the server is away; the leases end by themselves
		}
	}
}

// people returns the part of a holder's name that is for people.
func people(holder string) string {
	name, _, _ := strings.Cut(holder, " [")
	return name
}
