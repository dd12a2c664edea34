package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// maxConnections is the most connections of a store beside the one that listens
// and those of queries that people write. A server has a hundred or so for all
// its clients.
const maxConnections = 4

// sharingTime is how long a connection that is in use is waited for before
// another one is made, which takes longer.
const sharingTime = 2 * time.Millisecond

var errClosed = errors.New("the store is closed")

// pool makes connections when they are asked for and keeps those that are well.
type pool struct {
	config *pgx.ConnConfig
	slots  chan struct{} // one for each connection in use
	back   chan struct{} // receives when one may have become idle

	mu     sync.Mutex
	idle   []*pgx.Conn
	closed bool
}

func newPool(config *pgx.ConnConfig) *pool {
	return &pool{config: config, slots: make(chan struct{}, maxConnections), back: make(chan struct{}, 1)}
}

// do calls f with a connection. A connection that was idle may have broken
// meanwhile, or its server may take no writes any more: then f is called once
// more, with a new one. So f must be harmless when what it did before is there.
func (p *pool) do(ctx context.Context, f func(*pgx.Conn) error) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	conn, err := p.share(ctx)
	if err != nil {
		return err
	}
	if conn != nil {
		err := f(conn)
		stale := conn.IsClosed() || isReadOnly(err)
		p.give(conn, err)
		if err == nil || !stale || ended(ctx) != nil {
			return err
		}
		p.dropIdle() // they go to the same server
	}
	if conn, err = p.connect(ctx); err != nil {
		return err
	}
	err = f(conn)
	p.give(conn, err)
	return err
}

// share returns a connection that is idle, or will be in a moment, or nil.
func (p *pool) share(ctx context.Context) (*pgx.Conn, error) {
	conn, err := p.take()
	if conn != nil || err != nil || len(p.slots) == 1 {
		return conn, err
	}
	timer := time.NewTimer(sharingTime)
	defer timer.Stop()
	select {
	case <-p.back:
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return p.take()
}

// connect makes a connection that is not of the pool. The caller closes it.
func (p *pool) connect(ctx context.Context) (*pgx.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return pgx.ConnectConfig(ctx, p.config)
}

// take returns a connection that is idle, or nil.
func (p *pool) take() (*pgx.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	n := len(p.idle)
	if n == 0 {
		return nil, nil
	}
	conn := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return conn, nil
}

// give keeps a connection that is in order and closes any other.
func (p *pool) give(conn *pgx.Conn, err error) {
	if conn.IsClosed() {
		return
	}
	if conn.PgConn().TxStatus() != 'I' || isReadOnly(err) {
		hangUp(conn)
		return
	}
	p.mu.Lock()
	keep := !p.closed
	if keep {
		p.idle = append(p.idle, conn)
	}
	p.mu.Unlock()
	select {
	case p.back <- struct{}{}:
	default:
	}
	if !keep {
		hangUp(conn)
	}
}

func (p *pool) dropIdle() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, conn := range idle {
		hangUp(conn)
	}
}

// close closes the pool and waits until nothing uses it.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	for range maxConnections {
		p.slots <- struct{}{}
	}
	p.dropIdle()
	for range maxConnections {
		<-p.slots
	}
}

// hangUp closes a connection and says so to its server, for which it does not
// wait: one that does not answer must not hold anything up.
func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), hangUpTime)
	defer cancel()
	_ = conn.Close(ctx) // it is not used again either way
}

// isReadOnly tells that a server takes no writes: another one has taken its
// place.
func isReadOnly(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == codeReadOnly
}

// open returns an error if the pool is closed.
func (p *pool) open() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	return nil
}
