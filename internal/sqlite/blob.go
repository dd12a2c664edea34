package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ikigai"
	"ikigai/internal/blob"
	"ikigai/internal/dbschema"
)

const (
	sqlHasBlob = `SELECT 1 FROM blobs WHERE hash = ?`
	sqlBlob    = `SELECT size, encoding, bytes, coalesce(base, '') FROM blobs WHERE hash = ?`
	sqlNewBlob = `INSERT INTO blobs (hash, size, encoding, bytes, base) VALUES (?, ?, ?, ?, nullif(?, ''))`

	// sqlBlobDepth counts the blobs that one is the difference from, and the
	// bytes of the blob; no row if it is not there.
	sqlBlobDepth = `WITH RECURSIVE chain (base, depth) AS (
		SELECT base, 0 FROM blobs WHERE hash = ?1
		UNION ALL
		SELECT b.base, depth + 1 FROM chain JOIN blobs b ON b.hash = chain.base WHERE depth < 100
	) SELECT max(depth), size FROM chain, blobs WHERE hash = ?1 HAVING count(*) > 0`
)

// A blob is kept as the difference from another one up to this size, and up to
// this many differences on the way to a whole one: each has to be read.
const (
	maxDeltaBytes = 8 << 20
	maxDeltaDepth = 16
	maxKeptBytes  = 1 << 20 // of the one that stays in memory
)

// Blob implements ikigai.Blobs.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	b, err := s.blob(ctx, hash, 0)
	return b, fail(s.path, "read blob "+hash, err)
}

// blob reads a blob that stands depth differences behind the one that is asked
// for.
func (s *Store) blob(ctx context.Context, hash string, depth int) ([]byte, error) {
	row := blob.Row{Hash: hash}
	err := s.readers.row(ctx, sqlBlob, hash).Scan(&row.Size, &row.Encoding, &row.Bytes, &row.Base)
	switch {
	case errors.Is(err, sql.ErrNoRows) && depth == 0:
		return nil, ikigai.ErrNotFound
	case err != nil:
		return nil, err
	}
	return row.Unpack(func(base string) ([]byte, error) {
		if depth > 2*maxDeltaDepth {
			return nil, errors.New("differences without an end")
		}
		b, err := s.blob(ctx, base, depth+1)
		if err != nil {
			err = fmt.Errorf("its base %s: %w", base, err)
		}
		return b, err
	})
}

// packed is a blob on its way into the store.
type packed struct {
	blob ikigai.Blob
	row  blob.Row // zero if the store had the blob when we looked
}

// packBlobs packs the blobs of events that the store does not have. The work is
// done before the lock on the database is taken.
func (s *Store) packBlobs(ctx context.Context, events []ikigai.Event) ([]packed, error) {
	var list []packed
	for _, e := range events {
		for _, b := range e.Blobs {
			if b.Hash != blob.Hash(b.Bytes) {
				return nil, dbschema.Refuse("a blob of event %d has not the hash %q", e.Seq, b.Hash)
			}
			p := packed{blob: b}
			there, err := s.hasBlob(ctx, b.Hash)
			if err != nil {
				return nil, err
			}
			if !there {
				p.row = blob.Pack(b, s.deltaBase(ctx, b))
				if len(b.Bytes) <= maxKeptBytes {
					s.lastBlob.Store(&b)
				}
			}
			list = append(list, p)
		}
	}
	return list, nil
}

func (s *Store) hasBlob(ctx context.Context, hash string) (bool, error) {
	var one int
	err := s.readers.row(ctx, sqlHasBlob, hash).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// deltaBase returns the bytes of the blob that b is like, if b may be kept as
// the difference from it, or nil. A base that cannot be read is none.
func (s *Store) deltaBase(ctx context.Context, b ikigai.Blob) []byte {
	if b.Like == "" || b.Like == b.Hash || len(b.Bytes) > maxDeltaBytes {
		return nil
	}
	var depth, size int
	err := s.readers.row(ctx, sqlBlobDepth, b.Like).Scan(&depth, &size)
	if err != nil || depth >= maxDeltaDepth || size > maxDeltaBytes {
		return nil
	}
	if last := s.lastBlob.Load(); last != nil && last.Hash == b.Like {
		return last.Bytes
	}
	base, err := s.blob(ctx, b.Like, 0)
	if err != nil {
		return nil
	}
	return base
}

// insertBlobs inserts the blobs that are not there. A Vacuum may have removed
// one since we looked, or the base of a difference.
func insertBlobs(ctx context.Context, c *connection, blobs []packed) error {
	for _, p := range blobs {
		there, err := c.hasBlob(ctx, p.blob.Hash)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		row := p.row
		whole := row.Hash != ""
		if whole && row.Base != "" {
			if whole, err = c.hasBlob(ctx, row.Base); err != nil {
				return err
			}
		}
		if !whole {
			row = blob.Pack(p.blob, nil)
		}
		if _, err := c.exec(ctx, sqlNewBlob, row.Hash, row.Size, row.Encoding, row.Bytes, row.Base); err != nil {
			return fmt.Errorf("blob %s: %w", row.Hash, err)
		}
	}
	return nil
}

func (c *connection) hasBlob(ctx context.Context, hash string) (bool, error) {
	s, err := c.prepare(ctx, sqlHasBlob)
	if err != nil {
		return false, err
	}
	var one int
	err = s.QueryRowContext(ctx, hash).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
