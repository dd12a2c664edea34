package session

import (
	"testing"
	"time"

	"ikigai/internal/crash"
)

// Where the writer breaks, the program is told, and nobody takes for written what
// is not: Record does not return.
func TestWriterBreaks(t *testing.T) {
	met := make(chan any, 1)
	defer crash.Handle(func(v any) { met <- v })()
	f := newFixture(t)
	f.log.hold = func() { panic("a fault of the store") }
	s := Begin(f.config)
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		_, _ = s.Record(t.Context(), say("a"))
	}()
	select {
	case v := <-met:
		if v != "a fault of the store" {
			t.Errorf("the handler was given %v", v)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("nobody was told")
	}
	select {
	case <-returned:
		t.Error("Record returned, and the event is in no store")
	default:
	}
	if got := f.log.contents(); got != "" {
		t.Errorf("log %q", got)
	}
	s.mu.Lock() // the test goes on, which a program does not: let go of who waits
	s.finished = true
	s.done.Broadcast()
	s.mu.Unlock()
	<-returned
}
