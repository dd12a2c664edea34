package postgres

import (
	"context"
	"iter"

	"github.com/jackc/pgx/v5"

	"ikigai"
)

// Events are read in chunks, and no connection is held while the consumer has
// its turn: it may use the store, and it may take its time. Since events are
// only ever appended, chunks fit together.
const (
	chunkEvents = 1000
	chunkBytes  = 2 << 20
)

// sqlEvents reads the next events of a session and of those it shares a past
// with: of each, those behind $2 and up to where the one that continues it
// begins. It ends with the event that makes the chunk longer than $4.
const sqlEvents = `WITH RECURSIVE line AS (
		SELECT id, parent, base, head FROM sessions WHERE id = $1
		UNION ALL
		SELECT s.id, s.parent, s.base, line.base FROM line JOIN sessions s ON s.id = line.parent WHERE line.base > $2
	)
	SELECT session, seq, id, interaction, kind, time, content, data FROM (
		SELECT *, sum(octet_length(content) + coalesce(octet_length(data), 0))
			OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
		FROM (
			SELECT e.* FROM line CROSS JOIN LATERAL (
				SELECT session, seq, id, interaction, kind, time, content, data FROM events
				WHERE session = line.id AND seq > greatest(line.base, $2) AND seq <= line.head
				ORDER BY seq LIMIT $3
			) e ORDER BY e.seq LIMIT $3
		) chunk
	) summed WHERE coalesce(before, 0) < $4 ORDER BY seq`

// Events implements ikigai.Log.
func (s *Store) Events(ctx context.Context, session ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		for {
			chunk, err := s.readChunk(ctx, session, after)
			if err != nil {
				yield(ikigai.Event{}, err)
				return
			}
			size := 0
			for i := range chunk {
				if err := ctx.Err(); err != nil {
					yield(ikigai.Event{}, s.fail(ctx, "read session "+string(session), err))
					return
				}
				if !yield(chunk[i], nil) {
					return
				}
				after = chunk[i].Seq
				size += len(chunk[i].Content) + len(chunk[i].Data)
			}
			if len(chunk) < chunkEvents && size < chunkBytes {
				return
			}
		}
	}
}

func (s *Store) readChunk(ctx context.Context, session ikigai.ID, after ikigai.Seq) (chunk []ikigai.Event, err error) {
	if !storable(string(session)) {
		return nil, nil
	}
	err = s.do(ctx, "read session "+string(session), func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, sqlEvents, string(session), int64(after), chunkEvents, chunkBytes)
		if err != nil {
			return err
		}
		defer rows.Close()
		chunk = chunk[:0]
		for rows.Next() {
			var e ikigai.Event
			if err := rows.Scan(eventColumns(&e)...); err != nil {
				return err
			}
			chunk = append(chunk, e)
		}
		return rows.Err()
	})
	return chunk, err
}

// eventColumns returns where to scan the columns session, seq, id, interaction,
// kind, time, content and data.
func eventColumns(e *ikigai.Event) []any {
	return []any{(*string)(&e.Session), (*int64)(&e.Seq), (*string)(&e.ID), &e.Interaction, (*string)(&e.Kind), (*int64)(&e.Time),
		&e.Content, (*[]byte)(&e.Data)}
}
