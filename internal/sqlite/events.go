package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"math"

	"ikigai"
)

const (
	sqlEvents = `SELECT seq, id, interaction, kind, time, content, data
	FROM events WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`

	// sqlLine lists a session behind those it shares events with, each with the
	// last event that belongs to it.
	sqlLine = `WITH RECURSIVE line (id, parent, base, last, depth) AS (
		SELECT id, parent, base, ?, 0 FROM sessions WHERE id = ?
		UNION ALL
		SELECT s.id, s.parent, s.base, line.base, depth + 1 FROM line JOIN sessions s ON s.id = line.parent
	) SELECT id, last FROM line ORDER BY depth DESC`
)

// Events are read in chunks, and no read is open while the consumer has its
// turn: an open read keeps SQLite from reusing its write-ahead log, which a
// consumer that waits for a person would let grow without bound. Since events
// are only ever appended, chunks fit together.
const (
	chunkEvents = 512
	chunkBytes  = 1 << 20
)

// Events implements ikigai.Log.
func (s *Store) Events(ctx context.Context, session ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		line, err := s.line(ctx, session)
		if err != nil {
			yield(ikigai.Event{}, fail(s.path, "read session "+string(session), err))
			return
		}
		for _, part := range line {
			if part.last > after && !s.yieldPart(ctx, part, after, yield) {
				return
			}
		}
	}
}

// part is what a session gives to a line of events: those up to last.
type part struct {
	session ikigai.ID
	last    ikigai.Seq
}

// line returns where the events of a session lie, the oldest first.
func (s *Store) line(ctx context.Context, session ikigai.ID) ([]part, error) {
	rows, err := s.readers.query(ctx, sqlLine, int64(math.MaxInt64), string(session))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var line []part
	for rows.Next() {
		var p part
		if err := rows.Scan(&p.session, &p.last); err != nil {
			return nil, err
		}
		line = append(line, p)
	}
	return line, rows.Err()
}

// yieldPart yields the events of a part behind after, and reports whether the
// consumer wants more.
func (s *Store) yieldPart(ctx context.Context, p part, after ikigai.Seq, yield func(ikigai.Event, error) bool) bool {
	var chunk []ikigai.Event
	for more := true; more; {
		var err error
		if chunk, more, err = s.readChunk(ctx, chunk[:0], p, after); err != nil {
			yield(ikigai.Event{}, fail(s.path, "read session "+string(p.session), err))
			return false
		}
		for i := range chunk {
			if !yield(chunk[i], nil) {
				return false
			}
			after = chunk[i].Seq
		}
	}
	return true
}

// readChunk appends the next events to chunk and reports whether there may be
// more behind them.
func (s *Store) readChunk(ctx context.Context, chunk []ikigai.Event, p part, after ikigai.Seq) ([]ikigai.Event, bool, error) {
	rows, err := s.readers.query(ctx, sqlEvents, string(p.session), int64(after), int64(p.last), chunkEvents)
	if err != nil {
		return chunk, false, err
	}
	defer rows.Close()
	for size := 0; rows.Next(); {
		e, err := scanEvent(rows, p.session)
		if err != nil {
			return chunk, false, err
		}
		chunk = append(chunk, e)
		if size += len(e.Content) + len(e.Data); size >= chunkBytes {
			return chunk, true, nil
		}
	}
	return chunk, len(chunk) == chunkEvents, rows.Err()
}

func scanEvent(rows *sql.Rows, session ikigai.ID) (ikigai.Event, error) {
	var r eventRow
	if err := rows.Scan(r.columns()...); err != nil {
		return ikigai.Event{}, err
	}
	return r.event(session), nil
}

// eventRow takes the columns of an event in plain types, because database/sql
// converts to others by reflection.
type eventRow struct {
	seq, time                      int64
	id, interaction, kind, content string
	data                           any // string or nil
}

func (r *eventRow) columns() []any {
	return []any{&r.seq, &r.id, &r.interaction, &r.kind, &r.time, &r.content, &r.data}
}

func (r *eventRow) event(session ikigai.ID) ikigai.Event {
	e := ikigai.Event{
		Session: session, Seq: ikigai.Seq(r.seq), ID: ikigai.ID(r.id), Interaction: r.interaction, Kind: ikigai.Kind(r.kind),
		Time: ikigai.Micros(r.time), Content: r.content,
	}
	if text, ok := r.data.(string); ok {
		e.Data = json.RawMessage(text)
	}
	return e
}
