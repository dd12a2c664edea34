package sqlite

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"ikigai"
)

// Encodings of the bytes of a blob.
const (
	encodingRaw     = "raw"
	encodingDeflate = "deflate"
)

const (
	sqlHasBlob = `SELECT 1 FROM blobs WHERE hash = ?`
	sqlBlob    = `SELECT size, encoding, bytes FROM blobs WHERE hash = ?`
	sqlNewBlob = `INSERT INTO blobs (hash, size, encoding, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`
)

// encodedBlob is a blob as its row holds it.
type encodedBlob struct {
	hash     string
	size     int
	encoding string
	bytes    []byte
}

// Blob implements ikigai.Blobs.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	operation := "read blob " + hash
	b := encodedBlob{hash: hash}
	err := s.readers.QueryRowContext(ctx, sqlBlob, hash).Scan(&b.size, &b.encoding, &b.bytes)
	if errors.Is(err, sql.ErrNoRows) {
		err = ikigai.ErrNotFound
	}
	if err != nil {
		return nil, fail(s.path, operation, err)
	}
	plain, err := b.decode()
	return plain, fail(s.path, operation, err)
}

// encodeBlobs encodes the blobs of events that the store does not have. The
// work is done before the lock on the database is taken.
func (s *Store) encodeBlobs(ctx context.Context, events []ikigai.Event) ([]encodedBlob, error) {
	var encoded []encodedBlob
	for _, e := range events {
		for _, b := range e.Blobs {
			if b.Hash != hashOf(b.Bytes) {
				return nil, refuse("a blob of event %d has not the hash %q", e.Seq, b.Hash)
			}
			there, err := s.hasBlob(ctx, b.Hash)
			if err != nil {
				return nil, err
			}
			if !there {
				encoded = append(encoded, encode(b))
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

func insertBlobs(ctx context.Context, c *connection, blobs []encodedBlob) error {
	for _, b := range blobs {
		if _, err := c.exec(ctx, sqlNewBlob, b.hash, b.size, b.encoding, b.bytes); err != nil {
			return fmt.Errorf("blob %s: %w", b.hash, err)
		}
	}
	return nil
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// encode deflates b if that makes it smaller.
func encode(b ikigai.Blob) encodedBlob {
	plain := encodedBlob{hash: b.Hash, size: len(b.Bytes), encoding: encodingRaw, bytes: b.Bytes}
	if plain.bytes == nil {
		plain.bytes = []byte{}
	}
	var deflated bytes.Buffer
	w, err := flate.NewWriter(&deflated, flate.DefaultCompression)
	if err != nil {
		return plain
	}
	if _, err := w.Write(b.Bytes); err != nil || w.Close() != nil || deflated.Len() >= len(b.Bytes) {
		return plain
	}
	plain.encoding, plain.bytes = encodingDeflate, deflated.Bytes()
	return plain
}

// decode returns the bytes of b, checked against its hash.
func (b encodedBlob) decode() ([]byte, error) {
	plain := b.bytes
	switch b.encoding {
	case encodingRaw:
	case encodingDeflate:
		var inflated bytes.Buffer
		inflated.Grow(b.size)
		// One byte more than expected is enough to see that it is wrong.
		if _, err := io.Copy(&inflated, io.LimitReader(flate.NewReader(bytes.NewReader(b.bytes)), int64(b.size)+1)); err != nil {
			return nil, err
		}
		plain = inflated.Bytes()
	default:
		return nil, fmt.Errorf("encoding %q is unknown", b.encoding)
	}
	if hashOf(plain) != b.hash {
		return nil, errors.New("its bytes do not have its hash")
	}
	return plain, nil
}
