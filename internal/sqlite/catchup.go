package sqlite

import (
	"context"
	"database/sql"

	"ikigai"
	"ikigai/internal/dbschema"
)

const (
	sqlUnindexed = `SELECT (SELECT coalesce(max(n), 0) FROM events) - (SELECT coalesce(max(last), 0) FROM search_spans)`

	sqlNextEvents = `SELECT e.n, e.session, s.dir, e.seq, e.id, e.interaction, e.kind, e.time, e.content, e.data
	FROM events e JOIN sessions s ON s.id = e.session
	WHERE e.n > (SELECT coalesce(max(last), 0) FROM search_spans) ORDER BY e.n LIMIT ?`

	sqlIndexEvent = `INSERT INTO search (rowid, text, tool, file, dir, session) VALUES (?, ?, ?, ?, ?, ?)`

	// A span grows until it has enough events: a search between two times looks
	// at whole ones, and reads them all to choose.
	sqlGrowSpan = `UPDATE search_spans SET last = ?, events = events + ?, since = min(since, ?), until = max(until, ?)
	WHERE first = (SELECT max(first) FROM search_spans) AND events < 1000`
	sqlNewSpan = `INSERT INTO search_spans (first, last, events, since, until) VALUES (?, ?, ?, ?, ?)`
)

// A batch of events that is indexed in one transaction is small, so that
// appends do not wait long.
const (
	batchEvents = 256
	batchBytes  = 1 << 20
)

// Catchup implements ikigai.Index.
func (s *Store) Catchup(ctx context.Context, limit int) (left int64, err error) {
	for limit > 0 {
		done, err := s.indexBatch(ctx, min(limit, batchEvents))
		if err != nil {
			return 0, fail(s.path, "index events", err)
		}
		if done == 0 {
			break
		}
		limit -= done
	}
	left, err = s.unindexed(ctx)
	return left, fail(s.path, "index events", err)
}

// unindexed returns how many events are not indexed, and those in between that
// were removed.
func (s *Store) unindexed(ctx context.Context) (n int64, err error) {
	err = s.readers.row(ctx, sqlUnindexed).Scan(&n)
	return max(n, 0), err
}

// indexBatch indexes the next events, at most limit, and returns how many.
// What it costs is done before the lock on the database is taken; if another
// process was faster, the work is for nothing.
func (s *Store) indexBatch(ctx context.Context, limit int) (int, error) {
	batch, err := s.nextBatch(ctx, limit)
	if err != nil || len(batch) == 0 {
		return 0, err
	}
	err = s.writer.do(ctx, func(c *connection) error {
		return c.transaction(ctx, func(ctx context.Context) error { return insertBatch(ctx, c, batch) })
	})
	return len(batch), err
}

// entry is what the index takes of an event.
type entry struct {
	n, time      int64
	session, dir string
	dbschema.Indexed
}

func (s *Store) nextBatch(ctx context.Context, limit int) ([]entry, error) {
	rows, err := s.readers.query(ctx, sqlNextEvents, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var batch []entry
	for size := 0; size < batchBytes && rows.Next(); {
		e, err := scanEntry(rows)
		if err != nil {
			return nil, err
		}
		batch = append(batch, e)
		size += len(e.Text)
	}
	return batch, rows.Err()
}

func scanEntry(rows *sql.Rows) (entry, error) {
	var r eventRow
	var e entry
	if err := rows.Scan(append([]any{&e.n, &e.session, &e.dir}, r.columns()...)...); err != nil {
		return entry{}, err
	}
	e.time = r.time
	e.Indexed = dbschema.SearchText(r.event(ikigai.ID(e.session)))
	return e, nil
}

// insertBatch inserts a batch of entries, unless the index has moved on since it
// was read or an event of it is gone. An n is never given out again, so that
// counting them is enough.
func insertBatch(ctx context.Context, c *connection, batch []entry) error {
	first, last := batch[0], batch[len(batch)-1]
	var fresh bool
	err := c.QueryRowContext(ctx, `SELECT (SELECT coalesce(max(last), 0) FROM search_spans) < ?1
		AND (SELECT count(*) FROM events WHERE n BETWEEN ?1 AND ?2) = ?3`, first.n, last.n, len(batch)).Scan(&fresh)
	if err != nil || !fresh {
		return err
	}
	since, until := first.time, first.time
	for _, e := range batch {
		since, until = min(since, e.time), max(until, e.time)
		if e.Empty() {
			continue
		}
		if _, err := c.exec(ctx, sqlIndexEvent, e.n, e.Text, dbschema.Fold(e.Tool), dbschema.Fold(e.File), wordFor(e.dir), wordFor(e.session)); err != nil {
			return err
		}
	}
	grown, err := c.exec(ctx, sqlGrowSpan, last.n, len(batch), since, until)
	if err != nil {
		return err
	}
	if n, err := grown.RowsAffected(); n > 0 || err != nil {
		return err
	}
	_, err = c.exec(ctx, sqlNewSpan, first.n, last.n, len(batch), since, until)
	return err
}
