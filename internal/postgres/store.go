package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ikigai"
)

// hangUpTime is how long the end of a connection may take.
const hangUpTime = 100 * time.Millisecond

// Store is a log in a PostgreSQL database. It is safe for concurrent use.
type Store struct {
	place    string // the address, without a password
	pool     *pool
	blobs    recentBlobs
	leases   leases
	notifier notifier
	listener listener
}

var _ ikigai.Store = (*Store)(nil)

// Open opens the database at a URL, of the form postgres://USER@HOST/DATABASE
// with the parameters of libpq, and creates the schema if the database is
// empty. What the URL leaves out comes from the environment and files that
// libpq reads. An older schema is refused, see Migrate, and so is a newer one.
// An error is an *ikigai.Error without a password in it, or that of ctx. The
// caller closes the store.
func Open(ctx context.Context, url string) (*Store, error) {
	return open(ctx, url, true)
}

// OpenExisting is like Open for who only reads: it creates nothing. Where the
// database is empty, the error wraps ikigai.ErrNotFound.
func OpenExisting(ctx context.Context, url string) (*Store, error) {
	return open(ctx, url, false)
}

func open(ctx context.Context, url string, create bool) (*Store, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	s := &Store{place: place(config), pool: newPool(config)}
	version := 0
	err = s.do(ctx, "open", func(conn *pgx.Conn) (err error) {
		version, err = readVersion(ctx, conn)
		return err
	})
	if err == nil {
		err = s.prepareSchema(ctx, version, create)
	}
	if err != nil {
		s.pool.close()
		return nil, err
	}
	s.leases.init(s)
	s.notifier.init(s)
	s.listener.init(s)
	return s, nil
}

// Place returns the address of the database, without a password.
func (s *Store) Place() string { return s.place }

// Close waits for what is under way, gives back the rights to append that the
// store gave out, and closes it.
func (s *Store) Close() error {
	s.listener.close()
	s.notifier.close()
	s.leases.close()
	s.pool.close()
	return nil
}

// do calls f with a connection, see pool.do, and returns its error as one that
// says what failed and what to do.
func (s *Store) do(ctx context.Context, operation string, f func(*pgx.Conn) error) error {
	return s.fail(ctx, operation, s.pool.do(ctx, f))
}

func (s *Store) fail(ctx context.Context, operation string, err error) error {
	return fail(ctx, s.place, operation, err)
}
