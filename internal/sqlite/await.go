package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"ikigai"
)

// awaitInterval is the time between two looks, which cost some 20 µs each.
const awaitInterval = 100 * time.Millisecond

// Await implements ikigai.Keeper. SQLite tells nobody that it was written, so
// it looks again and again.
func (s *Store) Await(ctx context.Context, session ikigai.ID, after ikigai.Seq) error {
	tick := time.NewTicker(awaitInterval)
	defer tick.Stop()
	for {
		var head ikigai.Seq
		err := s.readers.row(ctx, `SELECT head FROM sessions WHERE id = ?`, string(session)).Scan(&head)
		if head > after || err != nil && !errors.Is(err, sql.ErrNoRows) {
			return fail(s.path, "wait for session "+string(session), err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
