package sqlite

import (
	"context"
	"os"

	"ikigai"
)

// Check implements ikigai.Keeper.
func (s *Store) Check(ctx context.Context) (ikigai.Health, error) {
	h := ikigai.Health{Place: s.path}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(s.path + suffix); err == nil {
			h.Bytes += info.Size()
		}
	}
	if err := s.sameFile(); err != nil {
		return h, err
	}
	const facts = `SELECT v.user_version, j.journal_mode, s.sessions, s.events
	FROM pragma_user_version v, pragma_journal_mode j,
		(SELECT count(*) AS sessions, coalesce(sum(head), 0) AS events FROM sessions) s`
	row := s.readers.QueryRowContext(context.WithoutCancel(ctx), facts)
	if err := row.Scan(&h.Schema, &h.Engine, &h.Sessions, &h.Events); err != nil {
		return h, fail(s.path, "check", err)
	}
	problems, err := s.problems(ctx)
	h.Problems, h.Checked = problems, err == nil
	if err != nil && ctx.Err() == nil {
		return h, fail(s.path, "check", err)
	}
	return h, nil
}

// problems reads the whole file. The sum of the heads against the number of
// events finds what the structure of the file cannot tell.
func (s *Store) problems(ctx context.Context) ([]string, error) {
	found, err := s.strings(ctx, "PRAGMA quick_check(10)")
	if err != nil {
		return nil, err
	}
	if len(found) == 1 && found[0] == "ok" {
		found = nil
	}
	const misplaced = `SELECT 'session ' || s.id || ' holds ' || count(e.seq) || ' events, its head is ' || s.head
	FROM sessions s LEFT JOIN events e ON e.session = s.id
	GROUP BY s.id HAVING count(e.seq) <> s.head OR coalesce(max(e.seq), 0) <> s.head LIMIT 10`
	gaps, err := s.strings(ctx, misplaced)
	return append(found, gaps...), err
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
