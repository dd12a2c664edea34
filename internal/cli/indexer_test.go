package cli

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ikigai"
)

// index is a search index that is left behind by a number of events.
type index struct {
	ikigai.Index
	left  atomic.Int64
	calls atomic.Int64
	err   error
}

func (x *index) Catchup(ctx context.Context, limit int) (int64, error) {
	x.calls.Add(1)
	if x.err != nil {
		return 0, x.err
	}
	time.Sleep(10 * time.Millisecond)
	return x.left.Add(-min(int64(limit), x.left.Load())), ctx.Err()
}

// While a session waits for its model, the index is brought up to date; not
// before a second has passed, and no longer than the session waits.
func TestIndexer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var x indexer
		store := &index{}
		store.left.Store(100_000)
		end := x.start(t.Context(), store)
		request, result := ikigai.NewEvent(ikigai.KindRequest, "", nil), ikigai.NewEvent(ikigai.KindToolResult, "", nil)

		time.Sleep(10 * time.Second)
		if n := store.calls.Load(); n != 0 {
			t.Errorf("indexed %d times before there was a request", n)
		}
		x.recorded(request)
		time.Sleep(indexAfter - 10*time.Millisecond)
		if n := store.calls.Load(); n != 0 {
			t.Errorf("indexed %d times within the first second", n)
		}
		time.Sleep(2 * time.Second)
		x.recorded(result)
		time.Sleep(20 * time.Millisecond)
		some := store.calls.Load()
		if some == 0 || store.left.Load() == 0 {
			t.Errorf("indexed %d times in two seconds, %d left", some, store.left.Load())
		}
		time.Sleep(time.Minute)
		if n := store.calls.Load(); n != some {
			t.Error("indexed while a tool runs")
		}
		x.recorded(request)
		time.Sleep(time.Hour)
		if store.left.Load() != 0 {
			t.Errorf("%d left in the end", store.left.Load())
		}
		all := store.calls.Load()
		time.Sleep(time.Hour)
		if n := store.calls.Load(); n != all {
			t.Errorf("indexed %d times when nothing was left", n-all)
		}
		end()
	})
}

// The end of the session is not held up, and a store that refuses is left alone.
func TestIndexerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var x indexer
		store := &index{}
		store.left.Store(1 << 40)
		end := x.start(t.Context(), store)
		x.recorded(ikigai.NewEvent(ikigai.KindRequest, "", nil))
		time.Sleep(2 * time.Second)
		begun := time.Now()
		end()
		if took := time.Since(begun); took > 20*time.Millisecond {
			t.Errorf("the end took %v", took)
		}

		var y indexer
		refusing := &index{err: errors.New("read-only")}
		end = y.start(t.Context(), refusing)
		y.recorded(ikigai.NewEvent(ikigai.KindRequest, "", nil))
		time.Sleep(time.Minute)
		if n := refusing.calls.Load(); n != 1 {
			t.Errorf("a store that refuses was asked %d times", n)
		}
		end()
	})
}
