package undo

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// indexEntry is what git's index says of a file.
type indexEntry struct {
	mtime, ctime int64 // nanoseconds
	ino, size    uint32
	object       string // hexadecimal
}

var errIndex = errors.New("git's index cannot be read")

// parseIndex returns the files of an index, by path, that are whole in it: no
// conflicts, nothing that git takes for unchanged because it was told so. An
// index that is only a part of one is an error.
func parseIndex(b []byte) (map[string]indexEntry, error) {
	const head, oid = 12, 20
	if len(b) < head+oid || string(b[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if version < 2 || version > 4 {
		return nil, errIndex
	}
	rest := b[head : len(b)-oid]
	entries := make(map[string]indexEntry, min(int(count), len(rest)/64))
	path := ""
	for range count {
		e, flags, n, err := parseEntry(rest, version, &path)
		if err != nil {
			return nil, err
		}
		rest = rest[n:]
		const assumed, stage = 0x8000, 0x3000
		if flags&(assumed|stage) == 0 {
			entries[path] = e
		}
	}
	if err := whole(rest); err != nil {
		return nil, err
	}
	return entries, nil
}

// parseEntry reads an entry, whose path may be told as a change of the one
// before, and returns how many bytes it takes.
func parseEntry(b []byte, version uint32, path *string) (e indexEntry, flags uint16, n int, err error) {
	const fixed = 62
	if len(b) < fixed+2 {
		return e, 0, 0, errIndex
	}
	at := func(i int) uint32 { return binary.BigEndian.Uint32(b[i:]) }
	nanos := func(i int) int64 { return int64(at(i))*1e9 + int64(at(i+4)) }
	e = indexEntry{ctime: nanos(0), mtime: nanos(8), ino: at(20), size: at(36), object: hex.EncodeToString(b[40:60])}
	flags = binary.BigEndian.Uint16(b[60:])
	n = fixed
	const extended, skipped = 0x4000, 0x4000
	if flags&extended != 0 && version >= 3 {
		if binary.BigEndian.Uint16(b[n:])&skipped != 0 {
			flags |= 0x8000
		}
		n += 2
	}
	kept := 0
	if version == 4 {
		strip, size := varint(b[n:])
		if size == 0 || strip > len(*path) {
			return e, 0, 0, errIndex
		}
		kept = len(*path) - strip
		n += size
	}
	end := bytes.IndexByte(b[n:], 0)
	if end < 0 {
		return e, 0, 0, errIndex
	}
	*path = (*path)[:kept] + string(b[n:n+end])
	n += end + 1
	if version < 4 { // padded with NULs to a multiple of 8
		n = (n + 7) &^ 7
	}
	if n > len(b) {
		return e, 0, 0, errIndex
	}
	return e, flags, n, nil
}

// varint reads a number as packs hold offsets; size is 0 if there is none.
func varint(b []byte) (value, size int) {
	for i, c := range b[:min(len(b), 4)] {
		if i > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}

// whole reports an error if the extensions of an index say that it is not all:
// it is split, or leaves directories out.
func whole(extensions []byte) error {
	for len(extensions) >= 8 {
		name, size := string(extensions[:4]), int64(binary.BigEndian.Uint32(extensions[4:]))
		if name == "link" || name == "sdir" || size > int64(len(extensions)-8) {
			return errIndex
		}
		extensions = extensions[8+size:]
	}
	return nil
}
