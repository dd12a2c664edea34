package session

import (
	"iter"

	"ikigai"
	"ikigai/internal/crash"
)

// aheadEvents is how many events are read at once while others are folded.
const aheadEvents = 256

// ahead yields what events yields, read by another goroutine while the caller
// works on what came before. It holds a bounded number of events.
func ahead(events iter.Seq2[ikigai.Event, error]) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		batches, stop := make(chan []ikigai.Event, 2), make(chan struct{})
		var failed error // set before batches is closed
		go func() {
			defer close(batches)
			defer crash.Guard()
			var batch []ikigai.Event
			send := func() bool {
				select {
				case batches <- batch:
					batch = make([]ikigai.Event, 0, aheadEvents)
					return true
				case <-stop:
					return false
				}
			}
			for e, err := range events {
				if err != nil {
					failed = err
					break
				}
				if batch = append(batch, e); len(batch) >= aheadEvents && !send() {
					return
				}
			}
			send()
		}()
		defer func() {
			close(stop)
			for range batches { // until the reader has let go of the store
			}
		}()
		for batch := range batches {
			for _, e := range batch {
				if !yield(e, nil) {
					return
				}
			}
		}
		if failed != nil {
			yield(ikigai.Event{}, failed)
		}
	}
}
