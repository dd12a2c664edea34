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
	"sync"

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
	if deflated := deflate(nil, b.Bytes); len(deflated) < len(b.Bytes) {
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

// thorough and quick are caches: what a writer of package flate needs is half a megabyte to
// be cleared, however little it is to write.
var thorough, quick = writers(flate.DefaultCompression), writers(flate.BestSpeed)

func writers(level int) *sync.Pool {
	return &sync.Pool{New: func() any {
		w, err := flate.NewWriter(nil, level)
		if err != nil {
			panic("blob: deflate: " + err.Error()) // the levels are constants
		}
		return w
	}}
}

// maxQuick is the most bytes where being quick costs few of them.
const maxQuick = 4 << 10

// deflate appends b, deflated, to to.
func deflate(to, b []byte) []byte {
	pool := thorough
	if len(b) <= maxQuick {
		pool = quick
	}
	w := pool.Get().(*flate.Writer)
	defer pool.Put(w)
	deflated := bytes.NewBuffer(to)
	w.Reset(deflated)
	// A bytes.Buffer takes everything.
	_, _ = w.Write(b)
	_ = w.Close()
	return deflated.Bytes()
}

var errSize = errors.New("there are more bytes than there should be")

// inflate returns what deflate was given, if that is no more than size bytes.
func inflate(b []byte, size int) ([]byte, error) {
	return readAtMost(flate.NewReader(bytes.NewReader(b)), size)
}

// readAtMost reads all of r, and errs if that is more than size bytes.
func readAtMost(r io.Reader, size int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, int64(max(size, 0))))
	if err != nil {
		return nil, err
	}
	if n, _ := io.CopyN(io.Discard, r, 1); n > 0 || size < 0 {
		return nil, errSize
	}
	return b, nil
}
