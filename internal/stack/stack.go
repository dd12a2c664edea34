// Package stack makes room on the stack of a goroutine at once.
//
// A goroutine begins with a small stack. Whenever that does not suffice, the runtime
// copies it to one of twice the size, and finds what points into it by walking all
// calls that stand on it. SQLite, whose C code was translated, goes so deep that this
// happens three times, at the worst moment: while a start waits for it.
package stack

// room is what Grow makes room for: what opening a database and committing to it take.
const room = 24 << 10

// Grow is called first by a goroutine that is going to call deep. It costs one copy
// of next to nothing, and no memory is touched before it is used.
func Grow() { grow(false) }

// grow has a frame of the size of room, for which the runtime makes space as it is
// entered.
//
//go:noinline
func grow(use bool) byte {
	if !use {
		return 0
	}
	var space [room]byte
	return last(&space)
}

//go:noinline
func last(space *[room]byte) byte { return space[room-1] }
