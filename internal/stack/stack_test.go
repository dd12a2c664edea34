package stack

import (
	"runtime/debug"
	"testing"
	"unsafe"
)

// After Grow a goroutine calls deep without its stack being copied, which it would be
// without.
func TestGrow(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection can make stacks smaller
	for _, test := range []struct {
		name  string
		begin func()
		moves bool
	}{
		{"grown", Grow, false},
		{"as it began", func() {}, true},
	} {
		moved := make(chan bool)
		go func() {
			test.begin()
			moved <- movedBy(deep)
		}()
		if got := <-moved; got != test.moves {
			t.Errorf("%s: the stack is copied: %t, want %t", test.name, got, test.moves)
		}
	}
}

// movedBy reports whether the stack stands elsewhere after f.
func movedBy(f func()) bool {
	var here byte
	before := uintptr(unsafe.Pointer(&here))
	f()
	return uintptr(unsafe.Pointer(&here)) != before
}

//go:noinline
func deep() {
	var frame [room - 4<<10]byte
	frame[room/2] = 1
	fill(&frame)
}

//go:noinline
func fill(frame *[room - 4<<10]byte) { clear(frame[:]) }
