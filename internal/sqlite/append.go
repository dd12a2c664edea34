package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ikigai"
	"ikigai/internal/dbschema"
)

const (
	// A fork without events of its own has the time at which it was made.
	sqlMoveHead = `UPDATE sessions SET head = ?1, fence = ?2, statements = statements + ?4,
	created = CASE WHEN head = base THEN ?10 ELSE created END,
	updated = CASE WHEN head = base THEN ?3 ELSE max(updated, ?3) END,
	size = size + ?5, cost = cost + ?6, title = CASE WHEN title = '' OR `
	sqlMoveHeadTo = ` THEN ?7 ELSE title END
	WHERE id = ?8 AND head = ?9 AND fence <= ?2`

	// sqlNoPersonsTitle holds where no person has given the session, or one that
	// it is a fork of, a title. All its events are looked at.
	sqlNoPersonsTitle = `NOT EXISTS (
		WITH RECURSIVE line (id, parent, base, head) AS (
			SELECT id, parent, base, head FROM sessions WHERE id = ?8
			UNION ALL
			SELECT s.id, s.parent, s.base, line.base FROM line JOIN sessions s ON s.id = line.parent
		)
		SELECT 1 FROM line JOIN events e ON e.session = line.id AND e.seq <= line.head
		WHERE e.kind = 'title' AND e.content <> '' AND e.data ->> 'by' = 'person')`

	sqlNewSession = `INSERT INTO sessions (id, dir, title, created, updated, head, fence, statements, size, cost)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	sqlNewEvent = `INSERT INTO events (session, seq, id, interaction, kind, time, content, data)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

	sqlPlace = `SELECT head, fence FROM sessions WHERE id = ?`

	sqlIDs = `SELECT id FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?`
)

// Append implements ikigai.Log.
func (s *Store) Append(ctx context.Context, g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) error {
	operation := "append to session " + string(g.Session)
	if len(events) == 0 {
		return nil
	}
	if err := dbschema.CheckEvents(g, after, events); err != nil {
		return fail(s.path, operation, err)
	}
	if err := s.sameFile(); err != nil {
		return err
	}
	blobs, err := s.packBlobs(ctx, events)
	if err != nil {
		return fail(s.path, operation, err)
	}
	err = s.writer.commit(ctx, func(ctx context.Context, c *connection) error {
		return appendEvents(ctx, c, g, after, events, blobs)
	})
	return fail(s.path, operation, err)
}

// appendEvents moves the session's head and inserts the events behind it. If
// the head is elsewhere, an earlier append may have come through without its
// caller learning of it: events that are there already are skipped.
func appendEvents(ctx context.Context, c *connection, g ikigai.Grant, after ikigai.Seq, events []ikigai.Event, blobs []packed) error {
	moved, err := moveHead(ctx, c, g, after, events)
	if err != nil {
		return err
	}
	if !moved {
		known, err := countKnown(ctx, c, g, after, events)
		if err != nil || known == len(events) {
			return err
		}
		after, events = after+ikigai.Seq(known), events[known:]
		if moved, err = moveHead(ctx, c, g, after, events); err != nil {
			return err
		}
		if !moved {
			return ikigai.ErrConflict
		}
	}
	return insert(ctx, c, events, blobs)
}

// moveHead moves the head of the session from after over events, under the
// fence of g, and reports whether the head was there.
func moveHead(ctx context.Context, c *connection, g ikigai.Grant, after ikigai.Seq, events []ikigai.Event) (bool, error) {
	head := after + ikigai.Seq(len(events))
	sum := dbschema.Summarize(events)
	if after == 0 {
		created, err := newSession(ctx, c, g, head, sum, events[0])
		if created || err != nil {
			return created, err
		}
	}
	r, err := c.exec(ctx, sqlMoveHead+retitles(sum.TitleBy)+sqlMoveHeadTo, int64(head), g.Fence, int64(sum.Updated), sum.Statements, sum.Size, sum.Cost, sum.Title,
		string(g.Session), int64(after), int64(events[0].Time))
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n == 1, err
}

// retitles is when a title takes the place of the one that the session has.
func retitles(by dbschema.Titler) string {
	switch by {
	case dbschema.ByPerson:
		return "true"
	case dbschema.ByModel:
		return sqlNoPersonsTitle
	}
	return "false"
}

// newSession creates the row of the session unless there is one.
func newSession(ctx context.Context, c *connection, g ikigai.Grant, head ikigai.Seq, sum dbschema.Summary, first ikigai.Event) (bool, error) {
	if _, _, err := place(ctx, c, g.Session); err != sql.ErrNoRows {
		return false, err
	}
	var data ikigai.SessionData
	if err := first.DecodeData(&data); err != nil {
		return false, err
	}
	dir := data.Dir
	if dir == "" {
		dir = first.Content
	}
	if _, err := c.exec(ctx, sqlNewSession, string(g.Session), dir, sum.Title, int64(first.Time), int64(sum.Updated),
		int64(head), g.Fence, sum.Statements, sum.Size, sum.Cost); err != nil {
		return false, err
	}
	return true, noteLease(ctx, c, g, time.Now())
}

// place returns the head and the fence of a session, or sql.ErrNoRows.
func place(ctx context.Context, c *connection, session ikigai.ID) (head ikigai.Seq, fence int64, err error) {
	s, err := c.prepare(ctx, sqlPlace)
	if err != nil {
		return 0, 0, err
	}
	err = s.QueryRowContext(ctx, string(session)).Scan(&head, &fence)
	return head, fence, err
}

// countKnown returns how many of the events, from the first on, the session
// holds behind after. It is ErrFenced or ErrConflict if the rest may not follow.
func countKnown(ctx context.Context, c *connection, g ikigai.Grant, after ikigai.Seq, events []ikigai.Event) (int, error) {
	_, fence, err := place(ctx, c, g.Session)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, ikigai.ErrConflict
	}
	if err != nil {
		return 0, err
	}
	known, clash, err := compareIDs(ctx, c, after, events)
	switch {
	case err != nil || known == len(events):
		return known, err
	case fence > g.Fence:
		return 0, ikigai.ErrFenced
	case clash:
		return 0, ikigai.ErrConflict
	}
	return known, nil
}

// compareIDs counts the events that the session holds at their places. clash
// tells that it holds another one at the next place.
func compareIDs(ctx context.Context, c *connection, after ikigai.Seq, events []ikigai.Event) (known int, clash bool, err error) {
	s, err := c.prepare(ctx, sqlIDs)
	if err != nil {
		return 0, false, err
	}
	rows, err := s.QueryContext(ctx, string(events[0].Session), int64(after), len(events))
	if err != nil {
		return 0, false, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return 0, false, err
		}
		if ikigai.ID(id) != events[known].ID {
			return known, true, nil
		}
		known++
	}
	return known, false, rows.Err()
}

func insert(ctx context.Context, c *connection, events []ikigai.Event, blobs []packed) error {
	s, err := c.prepare(ctx, sqlNewEvent)
	if err != nil {
		return err
	}
	for i := range events {
		e := &events[i]
		if _, err := s.ExecContext(ctx, string(e.Session), int64(e.Seq), string(e.ID), e.Interaction, string(e.Kind),
			int64(e.Time), e.Content, dataColumn(e.Data)); err != nil {
			return fmt.Errorf("event %d: %w", e.Seq, err)
		}
	}
	return insertBlobs(ctx, c, blobs)
}

// dataColumn returns data as text, or NULL if there is none.
func dataColumn(data json.RawMessage) any {
	if data == nil {
		return nil
	}
	return string(data)
}
