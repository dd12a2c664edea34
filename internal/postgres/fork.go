package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/dbschema"
)

const (
	// sqlOwner finds the session that event $2 was appended to, from session $1
	// on back.
	sqlOwner = `WITH RECURSIVE line AS (
			SELECT id, parent, base, head FROM sessions WHERE id = $1
			UNION ALL
			SELECT s.id, s.parent, s.base, line.base FROM line JOIN sessions s ON s.id = line.parent WHERE $2 <= line.base
		)
		SELECT id FROM line WHERE $2 > base AND $2 <= head`

	// sqlNewFork takes directory and title from the session that is forked,
	// which need not be the one that owns the last event.
	sqlNewFork = `INSERT INTO sessions (id, dir, title, created, updated, head, fence, statements, parent, base)
		SELECT $1, dir, title, now, now, $3, $4, 0, $5, $3 FROM sessions, (SELECT ` + sqlNow + ` AS now) clock WHERE id = $2
		ON CONFLICT DO NOTHING`

	sqlPast = `SELECT coalesce(parent, ''), base FROM sessions WHERE id = $1`
)

// Fork implements ikigai.Catalog.
func (s *Store) Fork(ctx context.Context, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error {
	operation := "fork session " + string(parent)
	if err := dbschema.CheckSession(g.Session); err != nil {
		return s.fail(ctx, operation, err)
	}
	return s.do(ctx, operation, func(conn *pgx.Conn) error {
		err := fork(ctx, conn, g, parent, at)
		if hasCode(err, codeForeignKey) { // it was removed meanwhile
			return ikigai.ErrNotFound
		}
		return err
	})
}

func fork(ctx context.Context, conn *pgx.Conn, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error {
	var owner string
	err := conn.QueryRow(ctx, sqlOwner, string(parent), int64(at)).Scan(&owner)
	if errors.Is(err, pgx.ErrNoRows) {
		return ikigai.ErrNotFound
	}
	if err != nil {
		return err
	}
	tag, err := conn.Exec(ctx, sqlNewFork, string(g.Session), string(parent), int64(at), g.Fence, owner)
	if err != nil || tag.RowsAffected() == 1 {
		return err
	}
	var (
		itsParent string
		base      int64
	)
	err = conn.QueryRow(ctx, sqlPast, string(g.Session)).Scan(&itsParent, &base)
	if err == nil && (itsParent != owner || base != int64(at)) {
		return ikigai.ErrConflict
	}
	return err
}
