package sqlite

import (
	"context"
	"errors"
	"slices"
	"time"

	"ikigai"
)

// Check implements ikigai.Keeper.
func (s *Store) Check(ctx context.Context) (ikigai.Health, error) {
	h := ikigai.Health{Place: s.path, Bytes: s.bytes()}
	if err := s.sameFile(); err != nil {
		return h, err
	}
	if err := s.facts(context.WithoutCancel(ctx), &h); err != nil {
		return h, fail(s.path, "check", err)
	}
	if err := s.tryWrite(context.WithoutCancel(ctx)); err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	err := s.readAll(ctx, &h)
	h.Checked = err == nil
	if err != nil && ctx.Err() == nil {
		return h, fail(s.path, "check", err)
	}
	return h, nil
}

func (s *Store) facts(ctx context.Context, h *ikigai.Health) (err error) {
	const facts = `SELECT v.user_version, 'SQLite ' || sqlite_version() || ', ' || j.journal_mode, s.sessions, s.events
	FROM pragma_user_version v, pragma_journal_mode j,
		(SELECT count(*) AS sessions, coalesce(sum(head - base), 0) AS events FROM sessions) s`
	if err := s.readers.QueryRowContext(ctx, facts).Scan(&h.Schema, &h.Engine, &h.Sessions, &h.Events); err != nil {
		return err
	}
	h.Unindexed, err = s.unindexed(ctx)
	return err
}

// tryWrite returns an error, as people are told of it, if the lock on the
// database cannot be had soon.
func (s *Store) tryWrite(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := s.writer.do(ctx, func(c *connection) error {
		if err := c.begin(ctx); err != nil {
			return err
		}
		return c.finish(ctx, func(context.Context) error { return errNothing })
	})
	switch {
	case errors.Is(err, errNothing):
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		err = errTurn
	}
	return fail(s.path, "write", err)
}

// errNothing ends a transaction in which nothing was to be done.
var errNothing = errors.New("nothing to commit")

// readAll reads the whole file. The sums of the heads against the numbers of
// events find what the structure of the file cannot tell.
func (s *Store) readAll(ctx context.Context, h *ikigai.Health) error {
	const index = `SELECT coalesce(sum(pgsize), 0) FROM dbstat
	WHERE aggregate = TRUE AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name LIKE 'search%')`
	if err := s.readers.QueryRowContext(ctx, index).Scan(&h.Index); err != nil {
		return err
	}
	const (
		structure = `PRAGMA quick_check(10)` // one row, ok, if it finds nothing

		references = `SELECT 'a row of ' || "table" || ' has nothing in ' || parent FROM pragma_foreign_key_check LIMIT 10`

		misplaced = `SELECT 'session ' || s.id || ' holds ' || count(e.seq) || ' events, its head is ' || s.head
			|| iif(s.base > 0, ', ' || s.base || ' of them shared', '')
		FROM sessions s LEFT JOIN events e ON e.session = s.id
		GROUP BY s.id HAVING count(e.seq) <> s.head - s.base OR coalesce(max(e.seq), s.base) <> s.head LIMIT 10`
	)
	for _, query := range []string{structure, references, misplaced} {
		found, err := s.strings(ctx, query)
		h.Problems = append(h.Problems, slices.DeleteFunc(found, func(s string) bool { return s == "ok" })...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) strings(ctx context.Context, query string) ([]string, error) {
	rows, err := s.readers.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return list, err
		}
		list = append(list, line)
	}
	return list, rows.Err()
}
