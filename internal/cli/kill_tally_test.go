//go:build linux && (amd64 || arm64)

package cli

import (
	"fmt"
	"sync"

	"ikigai"
)

// tally is what the matrix of a store has found.
type tally struct {
	mu                        sync.Mutex
	points, unreached         int
	shown, lost, twice        int // events
	executed, logged, mayHave int // calls of tools
	invalid                   int // requests
}

func (t *tally) add(n *int, by int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*n += by
}

func (t *tally) tried(reached bool) {
	t.add(&t.points, 1)
	if !reached {
		t.add(&t.unreached, 1)
	}
}

// saw counts events that were shown.
func (t *tally) saw(n int) { t.add(&t.shown, n) }

// ran counts calls that were executed beside those that the log holds.
func (t *tally) ran(executed int, events []ikigai.Event) {
	t.add(&t.executed, executed)
	t.add(&t.logged, len(of(ikigai.KindToolCall, events)))
	t.add(&t.mayHave, len(callsWithoutResult(events)))
}

// String returns the report.
func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("points tried %d, of them not reached %d; events shown %d, lost %d, twice %d; "+
		"calls of tools logged %d, executed %d, without a result %d; invalid next requests %d",
		t.points, t.unreached, t.shown, t.lost, t.twice, t.logged, t.executed, t.mayHave, t.invalid)
}
