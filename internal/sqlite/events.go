package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"

	"ikigai"
)

const sqlEvents = `SELECT seq, id, interaction, kind, time, content, data
	FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?`

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
		var chunk []ikigai.Event
		for more := true; more; {
			var err error
			if chunk, more, err = s.readChunk(ctx, chunk[:0], session, after); err != nil {
				yield(ikigai.Event{}, fail(s.path, "read session "+string(session), err))
				return
			}
			for i := range chunk {
				if !yield(chunk[i], nil) {
					return
				}
				after = chunk[i].Seq
			}
		}
	}
}

// readChunk appends the next events to chunk and reports whether there may be
// more behind them.
func (s *Store) readChunk(ctx context.Context, chunk []ikigai.Event, session ikigai.ID, after ikigai.Seq) ([]ikigai.Event, bool, error) {
	rows, err := s.readers.QueryContext(ctx, sqlEvents, string(session), int64(after), chunkEvents)
	if err != nil {
		return chunk, false, err
	}
	defer rows.Close()
	for size := 0; rows.Next(); {
		e, err := scanEvent(rows, session)
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
	// Plain types, because database/sql converts to others by reflection.
	var (
		seq, time                      int64
		id, interaction, kind, content string
		data                           any // string or nil
	)
	if err := rows.Scan(&seq, &id, &interaction, &kind, &time, &content, &data); err != nil {
		return ikigai.Event{}, err
	}
	e := ikigai.Event{
		Session: session, Seq: ikigai.Seq(seq), ID: ikigai.ID(id), Interaction: interaction, Kind: ikigai.Kind(kind),
		Time: ikigai.Micros(time), Content: content,
	}
	if text, ok := data.(string); ok {
		e.Data = json.RawMessage(text)
	}
	return e, nil
}
