package cli

import (
	"context"
	"time"

	"ikigai"
	"ikigai/internal/crash"
)

const (
	// indexAfter is how long the model must be waited for before the search
	// index is brought up to date meanwhile.
	indexAfter = time.Second
	// indexBatch is how many events are indexed at once: few enough that an
	// append that comes in between does not wait.
	indexBatch = 64
)

// indexer brings the search index up to date while a session waits for its
// model. Its zero value is ready.
type indexer struct {
	waits chan bool // whether the model is waited for; nil where nobody indexes
}

// recorded notes what is waited for once e is recorded.
func (x *indexer) recorded(e ikigai.Event) {
	if x.waits == nil {
		return
	}
	select {
	case <-x.waits: // what is newer counts
	default:
	}
	x.waits <- e.Kind == ikigai.KindRequest
}

// start indexes beside the session until the function that it returns is
// called.
func (x *indexer) start(ctx context.Context, store ikigai.Index) (end func()) {
	x.waits = make(chan bool, 1)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer crash.Guard()
		x.work(ctx, store)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// work indexes once the model has been waited for long enough, until it has
// answered or nothing is left to do.
func (x *indexer) work(ctx context.Context, store ikigai.Index) {
	timer := time.NewTimer(indexAfter)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case waits := <-x.waits:
			timer.Stop()
			if waits {
				timer.Reset(indexAfter)
			}
		case <-timer.C:
			if len(x.waits) > 0 {
				continue // something has happened
			}
			left, err := store.Catchup(ctx, indexBatch)
			if err != nil {
				return // a search tells of it
			}
			if left > 0 {
				timer.Reset(0)
			}
		}
	}
}
