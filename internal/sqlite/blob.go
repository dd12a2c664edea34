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
	sqlBlob    = `SELECT size, encoding, bytes FROM blobs WHERE hash = ?`
	sqlNewBlob = `INSERT INTO blobs (hash, size, encoding, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`
)

// Blob implements ikigai.Blobs.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	operation := "read blob " + hash
	b := blob.Row{Hash: hash}
	err := s.readers.QueryRowContext(ctx, sqlBlob, hash).Scan(&b.Size, &b.Encoding, &b.Bytes)
	if errors.Is(err, sql.ErrNoRows) {
		err = ikigai.ErrNotFound
	}
	if err != nil {
		return nil, fail(s.path, operation, err)
	}
	plain, err := b.Unpack(nil)
	return plain, fail(s.path, operation, err)
}

// encodeBlobs encodes the blobs of events that the store does not have. The
// work is done before the lock on the database is taken.
func (s *Store) encodeBlobs(ctx context.Context, events []ikigai.Event) ([]blob.Row, error) {
	var encoded []blob.Row
	for _, e := range events {
		for _, b := range e.Blobs {
			if b.Hash != blob.Hash(b.Bytes) {
				return nil, dbschema.Refuse("a blob of event %d has not the hash %q", e.Seq, b.Hash)
			}
			there, err := s.hasBlob(ctx, b.Hash)
			if err != nil {
				return nil, err
			}
			if !there {
				encoded = append(encoded, blob.Pack(b, nil))
			}
		}
	}
	return encoded, nil
}

func (s *Store) hasBlob(ctx context.Context, hash string) (bool, error) {
	var one int
	err := s.readers.QueryRowContext(ctx, sqlHasBlob, hash).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func insertBlobs(ctx context.Context, c *connection, blobs []blob.Row) error {
	for _, b := range blobs {
		if _, err := c.exec(ctx, sqlNewBlob, b.Hash, b.Size, b.Encoding, b.Bytes); err != nil {
			return fmt.Errorf("blob %s: %w", b.Hash, err)
		}
	}
	return nil
}
