// Package crash has a panic on any goroutine end the program in an orderly way.
//
// The language ends the program when a goroutine panics and nobody there recovers:
// with a stack trace on the screen, and with the terminal as the interactive front
// had it. So each goroutine of the program defers Guard. Where an operation can fail
// by itself, as a tool can, its caller recovers, and Guard meets nothing.
//
// A goroutine of a library that panics, and what the runtime itself calls fatal, end
// the program as before.
package crash

import "sync/atomic"

// handler takes panics. There is one for the program, as there is one terminal.
var handler atomic.Pointer[func(any)]

// Handle has f take the panics of goroutines, until the function that it returns is
// called. f is called on the goroutine that panicked, with its stack as it was then,
// and ends the program.
func Handle(f func(panicked any)) (stop func()) {
	handler.Store(&f)
	return func() { handler.CompareAndSwap(&f, nil) }
}

// Guard is deferred by a goroutine, after whatever else it defers: in a panic it comes
// first. Then the goroutine stands still, so that nobody who waits for it takes for done
// what is not. Without a handler, Guard does nothing.
func Guard() {
	f := handler.Load()
	if f == nil {
		return
	}
	if v := recover(); v != nil {
		(*f)(v)
		select {}
	}
}
