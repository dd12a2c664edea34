// Package blob packs runs of bytes for storage: as they are, deflated, or as
// the difference from other bytes.
package blob

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"ikigai"
)

// Encodings of the bytes of a Row.
const (
	Raw     = "raw"
	Deflate = "deflate"
	Delta   = "delta" // the difference from the blob Base, see Diff
)

// Row is a blob as a store holds it.
type Row struct {
	Hash     string // of the bytes before packing
	Size     int    // of the bytes before packing
	Encoding string
	Base     string // hash of the blob that a Delta is from
	Bytes    []byte
}

// Hash returns the name of bytes: their SHA-256 in lower-case hexadecimal.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Pack returns b in its smallest form. base, if not nil, is the bytes of the
// blob b.Like.
func Pack(b ikigai.Blob, base []byte) Row {
	row := Row{Hash: b.Hash, Size: len(b.Bytes), Encoding: Raw, Bytes: b.Bytes}
	if row.Bytes == nil {
		row.Bytes = []byte{}
	}
	if deflated := deflate(b.Bytes); len(deflated) < len(b.Bytes) {
		row.Encoding, row.Bytes = Deflate, deflated
	}
	if base != nil {
		if delta := Diff(base, b.Bytes); len(delta) < len(row.Bytes) {
			row.Encoding, row.Base, row.Bytes = Delta, b.Like, delta
		}
	}
	return row
}

// Unpack returns the bytes of the row, checked against its hash. base is
// called with the hash of Base if they are a difference.
func (r Row) Unpack(base func(hash string) ([]byte, error)) ([]byte, error) {
	plain := r.Bytes
	var err error
	switch r.Encoding {
	case Raw:
	case Deflate:
		plain, err = inflate(r.Bytes, r.Size)
	case Delta:
		var from []byte
		if from, err = base(r.Base); err == nil {
			plain, err = Patch(from, r.Bytes, r.Size)
		}
	default:
		err = fmt.Errorf("encoding %q is unknown", r.Encoding)
	}
	if err != nil {
		return nil, err
	}
	if Hash(plain) != r.Hash {
		return nil, errors.New("its bytes do not have its hash")
	}
	return plain, nil
}

func deflate(b []byte) []byte {
	var deflated bytes.Buffer
	w, err := flate.NewWriter(&deflated, flate.DefaultCompression)
	if err != nil {
		panic("blob: deflate: " + err.Error()) // the level is a constant
	}
	// A bytes.Buffer takes everything.
	_, _ = w.Write(b)
	_ = w.Close()
	return deflated.Bytes()
}

// inflate returns at most one byte more than size, enough to see that it is
// wrong.
func inflate(b []byte, size int) ([]byte, error) {
	var inflated bytes.Buffer
	inflated.Grow(size)
	_, err := io.Copy(&inflated, io.LimitReader(flate.NewReader(bytes.NewReader(b)), int64(size)+1))
	return inflated.Bytes(), err
}
