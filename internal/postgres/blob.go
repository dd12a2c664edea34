package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/blob"
	"ikigai/internal/dbschema"
)

// sqlBlob reads a blob and those that it is the difference from, the whole one
// last.
const sqlBlob = `WITH RECURSIVE chain AS (
		SELECT hash, size, encoding, base, bytes, 0 AS depth FROM blobs WHERE hash = $1
		UNION ALL
		SELECT b.hash, b.size, b.encoding, b.base, b.bytes, depth + 1 FROM chain JOIN blobs b ON b.hash = chain.base WHERE depth < 100
	)
	SELECT hash, size, encoding, coalesce(base, ''), bytes FROM chain ORDER BY depth`

// A blob is kept as the difference from another one up to this size, and up to
// this many differences on the way to a whole one.
const (
	maxDeltaBytes = 8 << 20
	maxDeltaDepth = 16
)

// Blob implements ikigai.Blobs.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	b, err := s.readBlob(ctx, hash)
	return b.bytes, err
}

// plainBlob is a blob as it was before it was packed.
type plainBlob struct {
	hash  string
	bytes []byte
	depth int // differences on the way to a whole one
}

func (s *Store) readBlob(ctx context.Context, hash string) (plainBlob, error) {
	operation := "read blob " + hash
	if !storable(hash) {
		return plainBlob{}, s.fail(ctx, operation, ikigai.ErrNotFound)
	}
	var chain []blob.Row
	err := s.do(ctx, operation, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, sqlBlob, hash)
		if err != nil {
			return err
		}
		chain, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (b blob.Row, err error) {
			err = r.Scan(&b.Hash, &b.Size, &b.Encoding, &b.Base, &b.Bytes)
			return b, err
		})
		return err
	})
	if err != nil {
		return plainBlob{}, err
	}
	plain, err := unpack(chain)
	return plainBlob{hash, plain, len(chain) - 1}, s.fail(ctx, operation, err)
}

// unpack returns the bytes of the first of the blobs, each of which is the
// difference from the next one.
func unpack(chain []blob.Row) ([]byte, error) {
	if len(chain) == 0 {
		return nil, ikigai.ErrNotFound
	}
	plain, err := chain[0].Unpack(func(base string) ([]byte, error) { return unpack(chain[1:]) })
	if err != nil {
		return nil, damaged(chain[0].Hash, err)
	}
	return plain, nil
}

func damaged(hash string, err error) error {
	return &ikigai.Error{
		Kind: ikigai.ErrorStore, Err: err,
		What: fmt.Sprintf("The blob %s in the database is damaged: %v", hash, err),
		Do:   "Run `ikigai db check`, and put back a backup of the database if need be",
	}
}

// packBlobs packs the blobs of events, each once, in the order of their hashes:
// two appends that insert the same ones must not wait for each other. What the
// database holds already it leaves as it is.
func (s *Store) packBlobs(ctx context.Context, events []ikigai.Event) ([]blob.Row, error) {
	var list []blob.Row
	for _, e := range events {
		for _, b := range e.Blobs {
			if b.Hash != blob.Hash(b.Bytes) {
				return nil, dbschema.Refuse("a blob of event %d has not the hash %q", e.Seq, b.Hash)
			}
			if slices.ContainsFunc(list, func(r blob.Row) bool { return r.Hash == b.Hash }) {
				continue
			}
			base := s.deltaBase(ctx, b)
			row := blob.Pack(b, base.bytes)
			depth := 0
			if row.Base != "" {
				depth = base.depth + 1
			}
			s.blobs.add(plainBlob{b.Hash, b.Bytes, depth})
			list = append(list, row)
		}
	}
	slices.SortFunc(list, func(a, b blob.Row) int { return cmp.Compare(a.Hash, b.Hash) })
	return list, nil
}

// packWhole packs the blobs of events without differences.
func packWhole(events []ikigai.Event) []blob.Row {
	var list []blob.Row
	for _, e := range events {
		for _, b := range e.Blobs {
			list = append(list, blob.Pack(b, nil))
		}
	}
	slices.SortFunc(list, func(a, b blob.Row) int { return cmp.Compare(a.Hash, b.Hash) })
	return list
}

// deltaBase returns the blob that b is like, if b may be kept as the difference
// from it. A base that cannot be read is none.
func (s *Store) deltaBase(ctx context.Context, b ikigai.Blob) plainBlob {
	if b.Like == "" || b.Like == b.Hash || len(b.Bytes) > maxDeltaBytes {
		return plainBlob{}
	}
	base, known := s.blobs.get(b.Like)
	if !known {
		var err error
		if base, err = s.readBlob(ctx, b.Like); err != nil {
			return plainBlob{}
		}
		s.blobs.add(base)
	}
	if base.depth >= maxDeltaDepth || len(base.bytes) > maxDeltaBytes {
		return plainBlob{}
	}
	return base
}

// blobArrays returns rows of blobs as an array for each column.
func blobArrays(rows []blob.Row) []any {
	n := len(rows)
	hashes, encodings, bases := make([]string, n), make([]string, n), make([]string, n)
	sizes, bytes := make([]int64, n), make([][]byte, n)
	for i, r := range rows {
		hashes[i], sizes[i], encodings[i], bases[i], bytes[i] = r.Hash, int64(r.Size), r.Encoding, r.Base, r.Bytes
	}
	return []any{hashes, sizes, encodings, bases, bytes}
}

// recentBlobs are the last blobs that were stored: a file that is edited again
// and again is the difference from one of them. Its zero value is empty. It may
// name blobs that the database does not have any more.
type recentBlobs struct {
	mu   sync.Mutex
	list []plainBlob // the oldest first
	size int
}

const (
	maxRecent      = 8
	maxRecentBytes = 16 << 20
)

func (r *recentBlobs) get(hash string) (plainBlob, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(b plainBlob) bool { return b.hash == hash })
	if i < 0 {
		return plainBlob{}, false
	}
	return r.list[i], true
}

func (r *recentBlobs) add(b plainBlob) {
	if len(b.bytes) > maxDeltaBytes {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(old plainBlob) bool {
		same := old.hash == b.hash
		if same {
			r.size -= len(old.bytes)
		}
		return same
	})
	r.list = append(r.list, b)
	for r.size += len(b.bytes); len(r.list) > maxRecent || r.size > maxRecentBytes; r.list = r.list[1:] {
		r.size -= len(r.list[0].bytes)
	}
}
