package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/blob"
	"ikigai/internal/dbschema"
)

// An append is one statement: the head of the session moves, or the session
// begins, if it is where the caller believes and the fence allows it, and the
// events follow only if it did. The lock on the session's row keeps two appends
// apart until the first one has committed.
const (
	// A fork without events of its own has the time at which it was made.
	sqlMove = `WITH placed AS (
		UPDATE sessions SET head = $9, fence = $10, statements = statements + $12,
			created = CASE WHEN head = base THEN $16 ELSE created END,
			updated = CASE WHEN head = base THEN $11 ELSE greatest(updated, $11) END,
			size = size + $13, cost = cost + $14, title = CASE WHEN title = '' OR `
	sqlMoveOn = ` THEN $15 ELSE title END
		WHERE id = $1 AND head = $2 AND fence <= $10 AND removing = 0
		RETURNING id
	)`

	// sqlNoPersonsTitle holds where no person has given the session, or one that
	// it is a fork of, a title. All its events are looked at.
	sqlNoPersonsTitle = `NOT EXISTS (
		WITH RECURSIVE line AS (
			SELECT id, parent, base, head FROM sessions WHERE id = $1
			UNION ALL
			SELECT s.id, s.parent, s.base, line.base FROM line JOIN sessions s ON s.id = line.parent
		)
		SELECT FROM line JOIN events e ON e.session = line.id AND e.seq <= line.head
		WHERE e.kind = 'title' AND e.content <> '' AND e.data::json ->> 'by' = 'person')`

	// The lock on the lease holds off who wants to take it over meanwhile.
	sqlBegin = `WITH lease AS (
		SELECT fence FROM leases WHERE session = $1 FOR SHARE
	), placed AS (
		INSERT INTO sessions (id, head, fence, updated, statements, size, cost, title, created, dir)
		SELECT $1, $9, $10, $11, $12, $13, $14, $15, $16, $17
		WHERE $2 = 0 AND NOT EXISTS (SELECT FROM lease WHERE fence > $10)
		ON CONFLICT DO NOTHING RETURNING id
	)`

	// Numbers of parameters follow those of sqlMove or of sqlBegin.
	sqlMoveKeep  = sqlKeep + `unnest($17::text[], $18::bigint[], $19::text[], $20::text[], $21::bytea[])` + sqlKeepNew
	sqlBeginKeep = sqlBegin + sqlKeep + `unnest($18::text[], $19::bigint[], $20::text[], $21::text[], $22::bytea[])` + sqlKeepNew
	sqlKeep      = `, kept AS (
		INSERT INTO blobs (hash, size, encoding, base, bytes)
		SELECT hash, size, encoding, nullif(base, ''), bytes FROM `
	sqlKeepNew = ` b (hash, size, encoding, base, bytes) WHERE EXISTS (SELECT FROM placed) ON CONFLICT DO NOTHING
	)`

	sqlInsert = `
	INSERT INTO events (session, seq, id, interaction, kind, time, content, data)
	SELECT p.id, $2 + e.place, e.id, e.interaction, e.kind, e.time, e.content, e.data
	FROM placed p, unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[])
		WITH ORDINALITY e (id, interaction, kind, time, content, data, place)
	ORDER BY e.place`

	// sqlInsertOne is what most appends are. The server keeps its plan, while it
	// makes one for each length of an array.
	sqlInsertOne = `
	INSERT INTO events (session, seq, id, interaction, kind, time, content, data)
	SELECT id, $2 + 1, $3, $4, $5, $6, $7, $8 FROM placed`

	// sqlKnown is asked when the head is elsewhere.
	sqlKnown = `SELECT coalesce((SELECT fence FROM sessions WHERE id = $1), 0),
		coalesce((SELECT fence FROM leases WHERE session = $1), 0),
		coalesce((SELECT array_agg(id ORDER BY seq) FROM events WHERE session = $1 AND seq > $2 AND seq <= $3), '{}')`

	// sqlLockBlobs holds off a Vacuum until the append has committed.
	sqlLockBlobs = `SELECT pg_advisory_xact_lock_shared($1)`
)

// batch is events on their way into the store.
type batch struct {
	grant  ikigai.Grant
	after  ikigai.Seq
	events []ikigai.Event
	blobs  []blob.Row
}

// Append implements ikigai.Log.
func (s *Store) Append(ctx context.Context, g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) error {
	operation := "append to session " + string(g.Session)
	if len(events) == 0 {
		return nil
	}
	if err := dbschema.CheckEvents(g, after, events); err != nil {
		return s.fail(ctx, operation, err)
	}
	blobs, err := s.packBlobs(ctx, events)
	if err != nil {
		return s.fail(ctx, operation, err)
	}
	b := batch{g, after, events, blobs}
	err = s.do(ctx, operation, func(conn *pgx.Conn) error { return b.append(ctx, conn) })
	if hasCode(err, codeForeignKey) { // a Vacuum has removed the base of a difference
		b.blobs = packWhole(events)
		err = s.do(ctx, operation, func(conn *pgx.Conn) error { return b.append(ctx, conn) })
	}
	if err == nil {
		s.notifier.appended(g.Session)
	}
	return err
}

// append inserts the events. If the head of the session is elsewhere, an
// earlier append may have come through without its caller learning of it:
// events that are there already are skipped.
func (b batch) append(ctx context.Context, conn *pgx.Conn) error {
	done, err := b.insert(ctx, conn)
	if done || err != nil {
		return err
	}
	known, err := b.known(ctx, conn)
	if err != nil || known == len(b.events) {
		return err
	}
	b.after, b.events = b.after+ikigai.Seq(known), b.events[known:]
	if done, err = b.insert(ctx, conn); err == nil && !done {
		err = ikigai.ErrConflict
	}
	return err
}

// insert inserts the events and reports whether the head of the session was
// where they begin.
func (b batch) insert(ctx context.Context, conn *pgx.Conn) (bool, error) {
	statement, args := b.statement()
	if len(b.blobs) == 0 {
		tag, err := conn.Exec(ctx, statement, args...)
		return tag.RowsAffected() > 0, err
	}
	// One transaction, sent at once.
	var both pgx.Batch
	both.Queue(sqlLockBlobs, vacuumLock)
	both.Queue(statement, args...)
	results := conn.SendBatch(ctx, &both)
	_, err := results.Exec()
	if err != nil {
		return false, errors.Join(err, results.Close())
	}
	tag, err := results.Exec()
	return tag.RowsAffected() > 0, errors.Join(err, results.Close())
}

// statement returns the statement that inserts the events, and its arguments.
func (b batch) statement() (sql string, args []any) {
	begin, keep, insert := b.after == 0, len(b.blobs) > 0, sqlInsert
	args = append(make([]any, 0, 22), string(b.grant.Session), int64(b.after))
	if len(b.events) == 1 {
		e := b.events[0]
		insert = sqlInsertOne
		args = append(args, string(e.ID), e.Interaction, string(e.Kind), int64(e.Time), e.Content, dataColumn(e.Data))
	} else {
		args = append(args, eventArrays(b.events)...)
	}
	sum := dbschema.Summarize(b.events)
	args = append(args, int64(b.after)+int64(len(b.events)), b.grant.Fence, int64(sum.Updated), int64(sum.Statements), sum.Size, sum.Cost, sum.Title, int64(b.events[0].Time))
	if begin {
		args = append(args, directory(b.events[0]))
	}
	if keep {
		args = append(args, blobArrays(b.blobs)...)
	}
	switch {
	case begin && keep:
		return sqlBeginKeep + insert, args
	case begin:
		return sqlBegin + insert, args
	case keep:
		return sqlMove + retitles(sum.TitleBy) + sqlMoveOn + sqlMoveKeep + insert, args
	}
	return sqlMove + retitles(sum.TitleBy) + sqlMoveOn + insert, args
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

// eventArrays returns events as an array for each column.
func eventArrays(events []ikigai.Event) []any {
	n := len(events)
	ids, interactions, kinds, contents := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	times, data := make([]int64, n), make([]*string, n)
	for i, e := range events {
		ids[i], interactions[i], kinds[i], times[i], contents[i] = string(e.ID), e.Interaction, string(e.Kind), int64(e.Time), e.Content
		data[i] = dataColumn(e.Data)
	}
	return []any{ids, interactions, kinds, times, contents, data}
}

// dataColumn returns data as text, or nil for NULL if there is none.
func dataColumn(data json.RawMessage) *string {
	if data == nil {
		return nil
	}
	text := string(data)
	return &text
}

// directory returns the working directory that a session event names.
func directory(first ikigai.Event) string {
	var data ikigai.SessionData
	if first.DecodeData(&data) != nil || data.Dir == "" {
		return first.Content
	}
	return data.Dir
}

// known returns how many of the events, from the first on, the session holds
// behind after. It is ErrFenced or ErrConflict if the rest may not follow.
func (b batch) known(ctx context.Context, conn *pgx.Conn) (int, error) {
	var (
		fence, lease int64
		ids          []string
	)
	err := conn.QueryRow(ctx, sqlKnown, string(b.grant.Session), int64(b.after), int64(b.after)+int64(len(b.events))).
		Scan(&fence, &lease, &ids)
	if err != nil {
		return 0, fmt.Errorf("look at its end: %w", err)
	}
	known := 0
	for known < len(ids) && ikigai.ID(ids[known]) == b.events[known].ID {
		known++
	}
	switch {
	case known == len(b.events):
		return known, nil
	case max(fence, lease) > b.grant.Fence:
		return 0, ikigai.ErrFenced
	case known < len(ids):
		return 0, ikigai.ErrConflict
	}
	return known, nil
}
