package blob

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A difference is a byte that says its form, then deflated
//
//	formWhole  the target
//	formEdits  edits: the number of bytes that come next in the target, those
//	           bytes, the number of bytes of the base that come after them, and,
//	           unless that is 0, where they stand, from the end of the last ones
//
// Numbers are varints. No edit makes nothing.
const (
	formWhole = 0
	formEdits = 1
)

var errForm = errors.New("the difference does not have the form of one")

// Diff returns a packed difference that, with base, gives target again. It is
// short when the two have long runs in common, wherever those stand. It takes
// time in proportion to the length of both and, beside what it returns, some
// 2 MiB at most.
func Diff(base, target []byte) []byte {
	edits, found := edit(base, target)
	if !found {
		return deflate([]byte{formWhole}, target)
	}
	return deflate([]byte{formEdits}, edits)
}

// Patch is the inverse of Diff: it returns the target. A target of more than
// size bytes is an error, and is not made. base may be longer than the one that
// Diff was given.
func Patch(base, diff []byte, size int) ([]byte, error) {
	if len(diff) == 0 || size < 0 {
		return nil, errForm
	}
	packed := flate.NewReader(bytes.NewReader(diff[1:]))
	switch diff[0] {
	case formWhole:
		return readAtMost(packed, size)
	case formEdits:
		p := patcher{in: bufio.NewReader(packed), base: base, room: size}
		if err := p.run(); err != nil {
			return nil, err
		}
		return p.out, nil
	}
	return nil, fmt.Errorf("the difference has the form %d, which is unknown", diff[0])
}

// edit returns the edits that make target of base. found tells whether they
// take anything from base.
func edit(base, target []byte) (edits []byte, found bool) {
	x := newIndex(base)
	done, end := 0, 0 // of target, and of the last bytes taken from base
	for at := 0; at+width <= len(target); {
		from, n := x.longest(target, at, end+at-done)
		if n == 0 {
			at++
			continue
		}
		for at > done && from > 0 && base[from-1] == target[at-1] {
			at, from, n = at-1, from-1, n+1
		}
		edits = appendBytes(edits, target[done:at])
		edits = binary.AppendUvarint(edits, uint64(n))
		edits = binary.AppendVarint(edits, int64(from-end))
		at, end = at+n, from+n
		done = at
	}
	if done < len(target) {
		edits = appendBytes(edits, target[done:])
		edits = binary.AppendUvarint(edits, 0)
	}
	return edits, end > 0
}

func appendBytes(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// patcher follows edits.
type patcher struct {
	in   *bufio.Reader
	base []byte
	end  int64 // of the last bytes taken from base
	out  []byte
	room int // for further bytes
}

func (p *patcher) run() error {
	for {
		added, err := binary.ReadUvarint(p.in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := p.add(added); err != nil {
			return err
		}
		taken, err := binary.ReadUvarint(p.in)
		if err != nil {
			return cutShort(err)
		}
		if added == 0 && taken == 0 {
			return errForm
		}
		if taken > 0 {
			if err := p.take(taken); err != nil {
				return err
			}
		}
	}
}

// add appends the next n bytes of the edits.
func (p *patcher) add(n uint64) error {
	if n > uint64(p.room) {
		return errSize
	}
	p.room -= int(n)
	// What is announced may not be there, so room is made for a part at a time.
	for n > 0 {
		part := int(min(n, 64<<10))
		start := len(p.out)
		p.out = append(p.out, make([]byte, part)...)
		if _, err := io.ReadFull(p.in, p.out[start:]); err != nil {
			return cutShort(err)
		}
		n -= uint64(part)
	}
	return nil
}

// take appends n bytes of the base.
func (p *patcher) take(n uint64) error {
	offset, err := binary.ReadVarint(p.in)
	if err != nil {
		return cutShort(err)
	}
	from := p.end + offset
	if from < 0 || from > int64(len(p.base)) || n > uint64(int64(len(p.base))-from) {
		return errForm
	}
	if n > uint64(p.room) {
		return errSize
	}
	p.room -= int(n)
	p.end = from + int64(n)
	p.out = append(p.out, p.base[from:p.end]...)
	return nil
}

func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
