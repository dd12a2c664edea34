package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"time"
)

// writer is the one connection of a store that writes. It is opened when it is
// needed and again after an error that left it in doubt.
type writer struct {
	db   *sql.DB
	slot chan *connection // holds the connection, nil while there is none; closed with the store
	wait time.Duration    // for the turn to write, which other processes take too
	turn turn             // among processes
	jobs queue            // what waits to be committed
}

// connection is an open connection with the statements prepared on it. It
// serves one goroutine at a time.
type connection struct {
	*sql.Conn
	wait     time.Duration
	turn     *turn
	prepared map[string]*sql.Stmt
	doubtful bool // a transaction may still be open on it
}

func newWriter(path string) *writer {
	w := &writer{
		// A try for the lock is short, so that the wait can be cancelled.
		db:   openPool(path, 1, "&_pragma=busy_timeout(100)"),
		slot: make(chan *connection, 1),
		wait: 5 * time.Second,
		turn: turn{path: filepath.Join(path+leasesSuffix, "writing")},
	}
	w.slot <- nil
	return w
}

var errClosed = errors.New("the store is closed")

// do calls f with the connection once nobody else uses it.
func (w *writer) do(ctx context.Context, f func(*connection) error) error {
	c, err := w.take(ctx)
	if err != nil {
		return err
	}
	defer func() { w.give(c) }()
	if err := ctx.Err(); err != nil {
		return err
	}
	if c == nil {
		if c, err = w.connect(ctx); err != nil {
			return err
		}
	}
	return f(c)
}

// take waits for the connection, which is nil if there is none.
func (w *writer) take(ctx context.Context) (*connection, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case c, open := <-w.slot:
		if !open {
			return nil, errClosed
		}
		return c, nil
	}
}

// give gives the connection back, or closes it if it is in doubt.
func (w *writer) give(c *connection) {
	if c != nil && c.doubtful {
		c.discard()
		c = nil
	}
	w.slot <- c
}

func (w *writer) connect(ctx context.Context) (*connection, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, wait: w.wait, turn: &w.turn, prepared: make(map[string]*sql.Stmt)}, nil
}

func (w *writer) close() error {
	c, open := <-w.slot
	if !open {
		return nil
	}
	close(w.slot)
	if c != nil {
		c.discard()
	}
	w.turn.close()
	return w.db.Close()
}

// discard closes the connection instead of giving it back to its pool. SQLite
// keeps a connection open until its statements are closed.
func (c *connection) discard() {
	for _, s := range c.prepared {
		_ = s.Close()
	}
	_ = c.Raw(func(any) error { return driver.ErrBadConn })
	_ = c.Conn.Close()
}

// prepare returns the prepared form of a statement, prepared once.
func (c *connection) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := c.prepared[query]; ok {
		return s, nil
	}
	s, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.prepared[query] = s
	return s, nil
}

// exec runs a prepared statement.
func (c *connection) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// transaction calls f in a transaction that holds the lock on the database. It
// commits if f returns nil.
func (c *connection) transaction(ctx context.Context, f func(context.Context) error) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	return c.finish(ctx, f)
}

// finish calls f in the transaction that has begun, and ends it.
func (c *connection) finish(ctx context.Context, f func(context.Context) error) error {
	// From here on there is little left to wait for, and an interrupted
	// statement would leave more to clear up than it saves.
	ctx = context.WithoutCancel(ctx)
	defer c.turn.give()
	err := f(ctx)
	if err == nil {
		_, err = c.exec(ctx, "COMMIT")
	}
	if err != nil {
		_, rollback := c.exec(ctx, "ROLLBACK")
		c.doubtful = rollback != nil
	}
	return err
}

// begin begins a transaction that writes, once it is this one's turn.
func (c *connection) begin(ctx context.Context) error {
	deadline := time.Now().Add(c.wait)
	if err := c.turn.take(ctx, deadline); err != nil {
		return err
	}
	for {
		_, err := c.exec(context.WithoutCancel(ctx), "BEGIN IMMEDIATE")
		switch {
		case err == nil:
			return nil
		case isBusy(err) && ctx.Err() != nil:
			err = ctx.Err()
		case isBusy(err) && time.Now().Before(deadline): // another program has the lock
			continue
		}
		c.turn.give()
		return err
	}
}
