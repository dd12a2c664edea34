package sqlite

import (
	"context"
	"database/sql"
	"sync"
)

// readers are the connections of a store that read, with the statements
// prepared on them: to prepare one can cost as much as to run it.
type readers struct {
	*sql.DB

	mu       sync.Mutex
	prepared map[string]*sql.Stmt
}

func newReaders(path string, size int) *readers {
	return &readers{
		DB:       openPool(path, size, "&_pragma=busy_timeout(5000)&_pragma=query_only(1)"),
		prepared: make(map[string]*sql.Stmt),
	}
}

// query is QueryContext for one of the statements of this package.
func (r *readers) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := r.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// row is QueryRowContext for one of the statements of this package.
func (r *readers) row(ctx context.Context, query string, args ...any) *sql.Row {
	s, err := r.prepare(ctx, query)
	if err != nil {
		return r.QueryRowContext(ctx, query, args...) // has the same error for Scan
	}
	return s.QueryRowContext(ctx, args...)
}

func (r *readers) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	s, ok := r.prepared[query]
	r.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := r.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if first, ok := r.prepared[query]; ok {
		_ = s.Close() // another one was faster
		return first, nil
	}
	r.prepared[query] = s
	return s, nil
}
