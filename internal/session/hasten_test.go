package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ikigai"
)

// silent is a store that takes events and never answers.
type silent struct{ *memoryLog }

func (silent) Append(ctx context.Context, _ ikigai.Grant, _ ikigai.Seq, _ ...ikigai.Event) error {
	<-ctx.Done()
	return ctx.Err()
}

// Who leaves does not wait for a store that does not answer: what it does not take
// soon goes to a journal, also what it is asked to take at that moment. P9
func TestHasten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.config.Store = silent{f.log}
		s := Begin(f.config)
		recorded := make(chan ikigai.Durability, 1)
		go func() {
			d, _ := s.Record(t.Context(), say("a"))
			recorded <- d
		}()
		time.Sleep(time.Second) // the write is under way, of which there are 9 s left
		began := time.Now()
		s.Hasten()
		if d := <-recorded; d != ikigai.Journalled {
			t.Errorf("durability %s", d)
		}
		s.Queue(say("b"))
		s.Close()
		if took := time.Since(began); took != 2*retryTimeout { // for a, and for the last attempt
			t.Errorf("leaving took %s", took)
		}
		f.config.Store = f.log
		restored, err := Restore(t.Context(), f.config)
		if err != nil {
			t.Fatal(err)
		}
		restored.Close()
		if got := f.log.contents(); got != "user:a user:b" {
			t.Errorf("log %q", got)
		}
	})
}
