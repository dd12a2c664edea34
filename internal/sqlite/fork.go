package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"ikigai"
	"ikigai/internal/dbschema"
)

const (
	sqlPast = `SELECT head, fence, coalesce(parent, ''), base FROM sessions WHERE id = ?`

	// sqlNewFork takes directory and title from the session that is forked,
	// which need not be the one that owns the last event.
	sqlNewFork = `INSERT INTO sessions (id, dir, title, created, updated, head, fence, statements, parent, base)
	SELECT ?1, dir, title, ?2, ?2, ?3, ?4, 0, ?5, ?3 FROM sessions WHERE id = ?6`
)

// Fork implements ikigai.Catalog.
func (s *Store) Fork(ctx context.Context, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error {
	operation := "fork session " + string(parent)
	if err := errors.Join(dbschema.CheckSession(g.Session), s.sameFile()); err != nil {
		return fail(s.path, operation, err)
	}
	err := s.writer.do(ctx, func(c *connection) error {
		return c.transaction(ctx, func(ctx context.Context) error { return fork(ctx, c, g, parent, at) })
	})
	return fail(s.path, operation, err)
}

// past says where a session comes from.
type past struct {
	head, base ikigai.Seq
	fence      int64
	parent     ikigai.ID
}

func readPast(ctx context.Context, c *connection, session ikigai.ID) (p past, err error) {
	s, err := c.prepare(ctx, sqlPast)
	if err != nil {
		return past{}, err
	}
	err = s.QueryRowContext(ctx, string(session)).Scan(&p.head, &p.fence, &p.parent, &p.base)
	if errors.Is(err, sql.ErrNoRows) {
		err = ikigai.ErrNotFound
	}
	return p, err
}

func fork(ctx context.Context, c *connection, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error {
	owner, err := ownerOf(ctx, c, parent, at)
	if err != nil {
		return err
	}
	switch there, err := readPast(ctx, c, g.Session); {
	case errors.Is(err, ikigai.ErrNotFound):
	case err != nil:
		return err
	case there.parent == owner && there.base == at:
		return nil
	default:
		return ikigai.ErrConflict
	}
	now := time.Now()
	if _, err := c.exec(ctx, sqlNewFork, string(g.Session), now.UnixMicro(), int64(at), g.Fence, string(owner), string(parent)); err != nil {
		return err
	}
	return noteLease(ctx, c, g, now)
}

// ownerOf returns the session that event at was appended to, which may be one
// that the given session shares events with.
func ownerOf(ctx context.Context, c *connection, session ikigai.ID, at ikigai.Seq) (ikigai.ID, error) {
	for {
		p, err := readPast(ctx, c, session)
		switch {
		case err != nil:
			return "", err
		case at < 1 || at > p.head:
			return "", ikigai.ErrNotFound
		case at > p.base:
			return session, nil
		}
		session = p.parent
	}
}
