package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"ikigai"
)

const (
	// The lock keeps forks of the session from being made meanwhile.
	sqlLockSession = `SELECT fence FROM sessions WHERE id = $1 FOR UPDATE`
	sqlHasForks    = `SELECT EXISTS (SELECT FROM sessions WHERE parent = $1)`

	sqlMarkRemoving  = `UPDATE sessions SET removing = 1 WHERE id = $1`
	sqlUnindex       = `DELETE FROM search WHERE n IN (SELECT n FROM events WHERE session = $1)`
	sqlRemoveEvents  = `DELETE FROM events WHERE session = $1`
	sqlRemoveSession = `DELETE FROM sessions WHERE id = $1`
	sqlRemoveLease   = `DELETE FROM leases WHERE session = $1`
)

// Remove implements ikigai.Catalog.
func (s *Store) Remove(ctx context.Context, g ikigai.Grant) error {
	return s.do(ctx, "remove session "+string(g.Session), func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return remove(ctx, tx, g) })
	})
}

func remove(ctx context.Context, tx pgx.Tx, g ikigai.Grant) error {
	var fence int64
	err := tx.QueryRow(ctx, sqlLockSession, string(g.Session)).Scan(&fence)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return ikigai.ErrNotFound
	case err != nil:
		return err
	case fence > g.Fence:
		return ikigai.ErrFenced
	}
	var forked bool
	if err := tx.QueryRow(ctx, sqlHasForks, string(g.Session)).Scan(&forked); err != nil {
		return err
	}
	if forked {
		return ikigai.ErrForked
	}
	var all pgx.Batch
	for _, statement := range []string{sqlMarkRemoving, sqlUnindex, sqlRemoveEvents, sqlRemoveSession, sqlRemoveLease} {
		all.Queue(statement, string(g.Session))
	}
	return tx.SendBatch(ctx, &all).Close()
}
