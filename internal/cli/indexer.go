package cli

import (
	"context"
	"sync"
	"time"

	"ikigai"
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
	mu    sync.Mutex
	since time.Time // since when the model is waited for; zero while it is not
	fresh bool      // there may be something to index
}

// recorded notes what is waited for once e is recorded.
func (x *indexer) recorded(e ikigai.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fresh = true
	x.since = time.Time{}
	if e.Kind == ikigai.KindRequest {
		x.since = time.Now()
	}
}

// start indexes beside the session until the function that it returns is
// called.
func (x *indexer) start(ctx context.Context, store ikigai.Index) (end func()) {
	x.fresh = true
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		x.work(ctx, store)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (x *indexer) work(ctx context.Context, store ikigai.Index) {
	ticker := time.NewTicker(indexAfter / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			for x.idle(now) {
				left, err := store.Catchup(ctx, indexBatch)
				if err != nil {
					return // a search tells of it
				}
				if left == 0 {
					x.caughtUp()
				}
			}
		}
	}
}

// idle reports whether there is time to index and something to do.
func (x *indexer) idle(now time.Time) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.fresh && !x.since.IsZero() && now.Sub(x.since) >= indexAfter
}

func (x *indexer) caughtUp() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fresh = false
}
