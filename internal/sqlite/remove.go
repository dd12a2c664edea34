package sqlite

import (
	"context"

	"ikigai"
)

const (
	sqlHasForks = `SELECT EXISTS (SELECT 1 FROM sessions WHERE parent = ?)`

	sqlMarkRemoving = `UPDATE sessions SET removing = 1 WHERE id = ?`

	sqlUnindexSession = `DELETE FROM search WHERE rowid IN (SELECT n FROM events WHERE session = ?)`

	sqlRemoveLease   = `DELETE FROM leases WHERE session = ?`
	sqlRemoveEvents  = `DELETE FROM events WHERE session = ?`
	sqlRemoveSession = `DELETE FROM sessions WHERE id = ?`
)

// Remove implements ikigai.Catalog.
func (s *Store) Remove(ctx context.Context, g ikigai.Grant) error {
	operation := "remove session " + string(g.Session)
	if err := s.sameFile(); err != nil {
		return err
	}
	err := s.writer.do(ctx, func(c *connection) error {
		return c.transaction(ctx, func(ctx context.Context) error { return remove(ctx, c, g) })
	})
	return fail(s.path, operation, err)
}

func remove(ctx context.Context, c *connection, g ikigai.Grant) error {
	p, err := readPast(ctx, c, g.Session)
	if err != nil {
		return err
	}
	if p.fence > g.Fence {
		return ikigai.ErrFenced
	}
	var forks bool
	if err := c.QueryRowContext(ctx, sqlHasForks, string(g.Session)).Scan(&forks); err != nil {
		return err
	}
	if forks {
		return ikigai.ErrForked
	}
	for _, statement := range []string{sqlMarkRemoving, sqlUnindexSession, sqlRemoveLease, sqlRemoveEvents, sqlRemoveSession} {
		if _, err := c.exec(ctx, statement, string(g.Session)); err != nil {
			return err
		}
	}
	return nil
}
