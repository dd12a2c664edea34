package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// vacuumLock is the number of the lock that an append of blobs shares and that
// a Vacuum has for itself while it removes some.
const vacuumLock int64 = 0x696b6967626c6f62 // "ikigblob"

const (
	sqlVacuumLock = `SELECT pg_advisory_xact_lock($1)`

	// sqlNewest is read under the lock: what appends of blobs came before have
	// committed by then, and what comes later has a greater number.
	sqlNewest = `SELECT coalesce(max(n), 0) FROM events`

	// An event names a blob by its hash, wherever in its data.
	sqlNamed = `SELECT DISTINCT hash[1] AS hash FROM events, regexp_matches(data, '[0-9a-f]{64}', 'g') hash`

	// A blob that a kept one is the difference from is kept, too.
	sqlUnnamed = `CREATE TEMP TABLE ikigai_unnamed ON COMMIT PRESERVE ROWS AS
		WITH RECURSIVE kept AS (
			SELECT b.hash, b.base FROM blobs b JOIN (` + sqlNamed + `) named USING (hash)
			UNION
			SELECT b.hash, b.base FROM kept JOIN blobs b ON b.hash = kept.base
		)
		SELECT hash FROM blobs WHERE hash NOT IN (SELECT hash FROM kept)`

	// Those are removed that no event has named since, nor is the base of one
	// that stays.
	sqlNamedSince = `WITH RECURSIVE since AS (
			SELECT b.hash, b.base FROM blobs b JOIN (` + sqlNamed + ` WHERE n > $1) named USING (hash)
			UNION
			SELECT b.hash, b.base FROM blobs b WHERE b.hash NOT IN (SELECT hash FROM ikigai_unnamed)
			UNION
			SELECT b.hash, b.base FROM since JOIN blobs b ON b.hash = since.base
		)
		DELETE FROM ikigai_unnamed u USING since WHERE u.hash = since.hash`

	sqlRemoveBlobs = `DELETE FROM blobs b USING ikigai_unnamed u WHERE b.hash = u.hash`

	// A lease that ended long ago is of a session that never began.
	sqlRemoveLeases = `DELETE FROM leases WHERE until < ` + sqlNow + ` - 86400000000`

	sqlSize = `SELECT sum(pg_total_relation_size(t))::bigint FROM unnest('{sessions,events,blobs,leases,search,search_spans}'::regclass[]) t`
)

// Vacuum implements ikigai.Keeper. Events can be appended meanwhile, but for a
// moment in which those with blobs wait.
func (s *Store) Vacuum(ctx context.Context) (freed int64, err error) {
	err = s.do(ctx, "vacuum", func(conn *pgx.Conn) error {
		var before, after int64
		if err := conn.QueryRow(ctx, sqlSize).Scan(&before); err != nil {
			return err
		}
		if err := removeBlobs(ctx, conn); err != nil {
			return err
		}
		for _, table := range []string{"blobs", "events", "sessions", "leases", "search", "search_spans"} {
			if _, err := conn.Exec(ctx, "VACUUM (ANALYZE) "+table); err != nil {
				return err
			}
		}
		err := conn.QueryRow(ctx, sqlSize).Scan(&after)
		freed = max(0, before-after)
		return err
	})
	return freed, err
}

// removeBlobs looks for what no event names, which takes long, and then removes
// it after a look at the events that came meanwhile, which does not.
func removeBlobs(ctx context.Context, conn *pgx.Conn) error {
	var newest int64
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlVacuumLock, vacuumLock); err != nil {
			return err
		}
		return tx.QueryRow(ctx, sqlNewest).Scan(&newest)
	})
	if err != nil {
		return err
	}
	for _, statement := range []string{"DROP TABLE IF EXISTS ikigai_unnamed", sqlUnnamed, "ANALYZE ikigai_unnamed"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		var all pgx.Batch
		all.Queue(sqlVacuumLock, vacuumLock)
		all.Queue(sqlNamedSince, newest)
		all.Queue(sqlRemoveBlobs)
		all.Queue(sqlRemoveLeases)
		all.Queue("DROP TABLE ikigai_unnamed")
		return tx.SendBatch(ctx, &all).Close()
	})
	return err
}
