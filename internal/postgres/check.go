package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ikigai"
)

const (
	sqlFacts = `SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1),
		(SELECT coalesce(sum(pg_total_relation_size(t)), 0)::bigint
			FROM unnest('{sessions,events,blobs,leases,search,search_spans,search_gaps}'::regclass[]) t),
		pg_total_relation_size('search'),
		(SELECT count(*) FROM sessions), (SELECT coalesce(sum(head - base), 0)::bigint FROM sessions),
		current_setting('synchronous_commit')`

	// sqlProblems reads every event and the head of every blob. The sums find
	// what the structure of the tables cannot tell.
	sqlProblems = `(SELECT format('session %s holds %s events up to %s, its head is %s', s.id, count(e.seq), coalesce(max(e.seq), s.base), s.head)
		FROM sessions s LEFT JOIN events e ON e.session = s.id
		GROUP BY s.id HAVING count(e.seq) <> s.head - s.base OR coalesce(max(e.seq), s.base) <> s.head LIMIT 10)
	UNION ALL
	(SELECT format('session %s has events but is not there', session)
		FROM (SELECT DISTINCT session FROM events) e WHERE NOT EXISTS (SELECT FROM sessions WHERE id = session) LIMIT 10)
	UNION ALL
	(SELECT format('session %s is a fork of %s at %s, which is not there', f.id, f.parent, f.base)
		FROM sessions f WHERE parent IS NOT NULL
		AND NOT EXISTS (SELECT FROM events e WHERE e.session = f.parent AND e.seq = f.base) LIMIT 10)
	UNION ALL
	(SELECT format('blob %s does not have its hash', hash)
		FROM blobs WHERE encoding = 'raw' AND encode(sha256(bytes), 'hex') <> hash LIMIT 10)`
)

// Check implements ikigai.Keeper.
func (s *Store) Check(ctx context.Context) (ikigai.Health, error) {
	h := ikigai.Health{Place: s.place}
	err := s.facts(context.WithoutCancel(ctx), &h)
	if err != nil {
		return h, err
	}
	problems, err := s.problems(ctx)
	h.Problems, h.Checked = append(h.Problems, problems...), err == nil
	if ctx.Err() != nil {
		err = nil // there was no time for more
	}
	return h, err
}

func (s *Store) facts(ctx context.Context, h *ikigai.Health) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	return s.do(ctx, "check", func(conn *pgx.Conn) (err error) {
		if h.Schema, err = readVersion(ctx, conn); err != nil {
			return err
		}
		var commit string
		if err := conn.QueryRow(ctx, sqlFacts).Scan(&h.Engine, &h.Bytes, &h.Index, &h.Sessions, &h.Events, &commit); err != nil {
			return err
		}
		if commit == "off" {
			h.Problems = []string{"a crash of the server loses the last events: synchronous_commit is off"}
		}
		return conn.QueryRow(ctx, sqlLeft).Scan(&h.Unindexed)
	})
}

func (s *Store) problems(ctx context.Context) (found []string, err error) {
	err = s.do(ctx, "check", func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, sqlProblems)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return found, err
}
