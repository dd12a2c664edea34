package blob

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

const (
	// width is the least number of bytes that a target and its base have in
	// common where it is worth to say so.
	width = 16
	// maxBlocks is the most places of a base that are remembered. In a base of
	// more than that, only runs that are so much longer are certainly found.
	maxBlocks = 1 << 17
	// maxTries is how many places with one hash are tried.
	maxTries = 8
)

// index finds runs of a base by the hash of their first bytes.
type index struct {
	base   []byte
	stride int      // between the places that are remembered
	shift  int      // of a hash, to the length of heads
	heads  []uint32 // by hash: the first place with it, plus one
	next   []uint32 // by place: the next one with its hash, plus one
}

func newIndex(base []byte) *index {
	if len(base) < width {
		return &index{}
	}
	x := &index{base: base, stride: 1 + (len(base)-1)/maxBlocks}
	blocks := 1 + (len(base)-width)/x.stride
	size := bits.Len(uint(blocks))
	x.shift = 64 - size
	x.heads, x.next = make([]uint32, 1<<size), make([]uint32, blocks)
	for i := blocks - 1; i >= 0; i-- {
		head := &x.heads[hash(base[i*x.stride:])>>x.shift]
		x.next[i], *head = *head, uint32(i)+1
	}
	return x
}

// hash mixes the first width bytes of b.
func hash(b []byte) uint64 {
	const one, two = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f
	return (binary.LittleEndian.Uint64(b)*one ^ bits.RotateLeft64(binary.LittleEndian.Uint64(b[8:]), 29)) * two
}

// longest returns the longest run of the base that target goes on with at at,
// as far as is known, and its length, or 0. Of several, the one at near, where
// the base would go on after a change in place, is best.
func (x *index) longest(target []byte, at, near int) (from, n int) {
	if len(x.base) == 0 {
		return 0, 0
	}
	if near+width <= len(x.base) {
		from, n = near, x.common(near, target[at:])
	}
	next := x.heads[hash(target[at:])>>x.shift]
	for range maxTries {
		if next == 0 {
			break
		}
		place := int(next-1) * x.stride
		if m := x.common(place, target[at:]); m > n {
			from, n = place, m
		}
		next = x.next[next-1]
	}
	return from, n
}

// common returns how many bytes of the base at from are the first of target, or
// 0 if they are fewer than width.
func (x *index) common(from int, target []byte) int {
	base := x.base[from:]
	if !bytes.Equal(base[:width], target[:width]) {
		return 0
	}
	n := width
	for n+8 <= len(base) && n+8 <= len(target) {
		if d := binary.LittleEndian.Uint64(base[n:]) ^ binary.LittleEndian.Uint64(target[n:]); d != 0 {
			return n + bits.TrailingZeros64(d)/8
		}
		n += 8
	}
	for n < len(base) && n < len(target) && base[n] == target[n] {
		n++
	}
	return n
}
