package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sync"
)

const (
	sqlAllBlobs = `SELECT hash, coalesce(base, '') FROM blobs`

	sqlNextData = `SELECT n, coalesce(data, '') FROM events WHERE n > ? ORDER BY n LIMIT ?`

	sqlRemoveBlob = `DELETE FROM blobs WHERE hash = ? AND NOT EXISTS (SELECT 1 FROM blobs b WHERE b.base = blobs.hash)`
)

// Removal and the giving back of space work in steps that hold the lock on the
// database for a moment each.
const (
	blobsAtOnce = 100
	pagesAtOnce = 1000
)

// Vacuum implements ikigai.Keeper.
func (s *Store) Vacuum(ctx context.Context) (freed int64, err error) {
	if err := s.sameFile(); err != nil {
		return 0, err
	}
	before := s.bytes()
	err = s.removeBlobs(ctx)
	if err == nil {
		err = s.writer.do(ctx, func(c *connection) error { return shrink(ctx, c) })
	}
	return max(0, before-s.bytes()), fail(s.path, "vacuum", err)
}

// bytes returns the size of the database with its log.
func (s *Store) bytes() (n int64) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(s.path + suffix); err == nil {
			n += info.Size()
		}
	}
	return n
}

// queryFunc is QueryContext of a pool or of a connection.
type queryFunc func(context.Context, string, ...any) (*sql.Rows, error)

type hash [32]byte

func parseHash(s string) (h hash, ok bool) {
	n, err := hex.Decode(h[:], []byte(s))
	return h, err == nil && n == len(h)
}

// sweep finds the blobs that no event names.
type sweep struct {
	base map[hash]hash // of each blob; zero for one that is no difference
	kept map[hash]bool
	upTo int64 // the n of the last event that was looked at
}

// removeBlobs removes the blobs that no event names and no blob that stays is
// the difference from. Events that are appended meanwhile are looked at under
// the lock, before anything is removed.
func (s *Store) removeBlobs(ctx context.Context) error {
	w, err := s.newSweep(ctx)
	if err != nil || len(w.base) == 0 {
		return err
	}
	if err := w.look(ctx, s.readers.query); err != nil {
		return err
	}
	for unnamed := w.unnamed(); len(unnamed) > 0; unnamed = unnamed[min(blobsAtOnce, len(unnamed)):] {
		some := unnamed[:min(blobsAtOnce, len(unnamed))]
		err := s.writer.do(ctx, func(c *connection) error {
			return c.transaction(ctx, func(ctx context.Context) error { return w.remove(ctx, c, some) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) newSweep(ctx context.Context) (*sweep, error) {
	rows, err := s.readers.query(ctx, sqlAllBlobs)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	w := &sweep{base: make(map[hash]hash), kept: make(map[hash]bool)}
	for rows.Next() {
		var name, base string
		if err := rows.Scan(&name, &base); err != nil {
			return nil, err
		}
		if h, ok := parseHash(name); ok {
			w.base[h], _ = parseHash(base)
		}
	}
	return w, rows.Err()
}

// look notes the blobs that events name which it has not looked at yet.
func (w *sweep) look(ctx context.Context, query queryFunc) error {
	for {
		n, err := w.lookAtSome(ctx, query)
		if n == 0 || err != nil {
			return err
		}
	}
}

// quotedHash is how data names a blob, among other things.
var quotedHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[0-9a-f]{64}"`) })

func (w *sweep) lookAtSome(ctx context.Context, query queryFunc) (n int, err error) {
	rows, err := query(ctx, sqlNextData, w.upTo, chunkEvents)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for ; rows.Next(); n++ {
		var data string
		if err := rows.Scan(&w.upTo, &data); err != nil {
			return 0, err
		}
		for _, name := range quotedHash().FindAllString(data, -1) {
			w.keep(name[1:65])
		}
	}
	return n, rows.Err()
}

// keep keeps a blob and those that it is the difference from.
func (w *sweep) keep(name string) {
	h, _ := parseHash(name)
	for base, there := w.base[h]; there && !w.kept[h]; base, there = w.base[h] {
		w.kept[h] = true
		h = base
	}
}

// unnamed returns the blobs that can go, differences before what they are from.
func (w *sweep) unnamed() []hash {
	var list []hash
	for h := range w.base {
		if !w.kept[h] {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b hash) int { return w.depth(b) - w.depth(a) })
	return list
}

func (w *sweep) depth(h hash) (n int) {
	for base := w.base[h]; base != (hash{}) && n < len(w.base); base = w.base[base] {
		n++
	}
	return n
}

// remove removes blobs that nothing names since, in a transaction.
func (w *sweep) remove(ctx context.Context, c *connection, list []hash) error {
	if err := w.look(ctx, c.QueryContext); err != nil {
		return err
	}
	for _, h := range list {
		if w.kept[h] {
			continue
		}
		if _, err := c.exec(ctx, sqlRemoveBlob, hex.EncodeToString(h[:])); err != nil {
			return fmt.Errorf("blob %x: %w", h, err)
		}
	}
	return nil
}

// shrink gives unused space back. A file from before it could be done in steps
// is written anew, once.
func shrink(ctx context.Context, c *connection) error {
	var mode, free int
	err := c.QueryRowContext(ctx, "SELECT auto_vacuum, freelist_count FROM pragma_auto_vacuum, pragma_freelist_count").Scan(&mode, &free)
	if err != nil {
		return err
	}
	const incremental = 2
	if mode != incremental {
		if _, err := c.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM"); err != nil {
			return err
		}
	}
	for ; mode == incremental && free > 0; free -= pagesAtOnce {
		if err := c.transaction(ctx, func(ctx context.Context) error {
			return drain(ctx, c, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pagesAtOnce))
		}); err != nil {
			return err
		}
	}
	// What was freed is in the log alone until it has been written back. A reader
	// may stand in the way; then a later one does it.
	return drain(ctx, c, "PRAGMA wal_checkpoint(TRUNCATE)")
}

// drain runs a statement to its end. It has to be asked for each of its rows.
func drain(ctx context.Context, c *connection, statement string) error {
	rows, err := c.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
