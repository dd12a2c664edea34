package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/crash"
)

const (
	// pollEvery is how often one who waits looks without having been told.
	pollEvery = 2 * time.Second
	// listenAgain is how long after its connection broke the listener makes
	// another one.
	listenAgain = time.Second
)

const sqlHead = `SELECT head FROM sessions WHERE id = $1`

// Await implements ikigai.Keeper.
func (s *Store) Await(ctx context.Context, session ikigai.ID, after ikigai.Seq) error {
	told := s.listener.wait(session)
	defer s.listener.leave(session, told)
	for {
		head, err := s.head(ctx, session)
		if err != nil || head > after {
			return err
		}
		timer := time.NewTimer(s.listener.poll)
		select {
		case <-ctx.Done():
		case <-told:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// head returns the seq of the last event of a session, 0 if there is none.
func (s *Store) head(ctx context.Context, session ikigai.ID) (head ikigai.Seq, err error) {
	err = s.do(ctx, "wait for session "+string(session), func(conn *pgx.Conn) error {
		err := conn.QueryRow(ctx, sqlHead, string(session)).Scan((*int64)(&head))
		if err == pgx.ErrNoRows {
			return nil
		}
		return err
	})
	return head, err
}

// listener has a connection of its own that is told of new events, from the
// first Await on.
type listener struct {
	store *Store
	poll  time.Duration

	mu      sync.Mutex
	waiting map[ikigai.ID]map[chan struct{}]bool
	cancel  context.CancelFunc // nil before it listens
	closed  bool
	all     sync.WaitGroup
}

func (l *listener) init(s *Store) {
	l.store, l.poll, l.waiting = s, pollEvery, make(map[ikigai.ID]map[chan struct{}]bool)
}

// wait returns a channel that receives when the session may have new events.
func (l *listener) wait(session ikigai.ID) chan struct{} {
	told := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting[session] == nil {
		l.waiting[session] = make(map[chan struct{}]bool)
	}
	l.waiting[session][told] = true
	if l.cancel == nil && !l.closed {
		var ctx context.Context
		ctx, l.cancel = context.WithCancel(context.Background())
		l.all.Go(func() {
			defer crash.Guard()
			l.run(ctx)
		})
	}
	return told
}

func (l *listener) leave(session ikigai.ID, told chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting[session], told)
	if len(l.waiting[session]) == 0 {
		delete(l.waiting, session)
	}
}

// run listens, again and again, until ctx ends.
func (l *listener) run(ctx context.Context) {
	for ctx.Err() == nil {
		_ = l.listen(ctx) // who waits looks for itself meanwhile
		timer := time.NewTimer(listenAgain)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// listen listens until the connection breaks.
func (l *listener) listen(ctx context.Context) error {
	conn, err := l.store.pool.connect(ctx)
	if err != nil {
		return err
	}
	defer hangUp(conn)
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	l.tellAll() // what came before is not told
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		l.tell(ikigai.ID(n.Payload))
	}
}

func (l *listener) tell(session ikigai.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for told := range l.waiting[session] {
		select {
		case told <- struct{}{}:
		default: // it has been told and has not looked yet
		}
	}
}

func (l *listener) tellAll() {
	l.mu.Lock()
	sessions := make([]ikigai.ID, 0, len(l.waiting))
	for session := range l.waiting {
		sessions = append(sessions, session)
	}
	l.mu.Unlock()
	for _, session := range sessions {
		l.tell(session)
	}
}

// close ends the listening. Who waits gets an error of the closed store.
func (l *listener) close() {
	l.mu.Lock()
	l.closed = true
	cancel := l.cancel
	l.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	l.tellAll()
	l.all.Wait()
}
