package history

import (
	"slices"
	"sync"

	"ikigai"
)

// Tally counts how the tools of an interaction have fared, as a projection of
// the log. It may be used by several goroutines at once. Make one with NewTally.
type Tally struct {
	interaction string

	mu    sync.Mutex
	trail trail[outcome]
	now   []ikigai.ToolTally // what the trail makes, in the order of first use
}

// NewTally returns the counts before the first event of an interaction.
func NewTally(interaction string) *Tally { return &Tally{interaction: interaction} }

// Tools returns the tools that were called and how often they succeeded and
// failed, in the order of first use. A call whose result is not there yet does
// not count.
func (t *Tally) Tools() []ikigai.ToolTally {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.now)
}

// Add takes in the next event of the session. After a rewind the counts are
// those of then; after a clear there are none.
func (t *Tally) Add(e ikigai.Event) {
	if e.Interaction != t.interaction {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Kind == ikigai.KindToolResult {
		if o, ok := outcomeOf(e); ok {
			t.trail.add(e.Seq, o)
			t.take(o)
		}
		return
	}
	if t.trail.turn(e) {
		t.now = nil
		for _, o := range t.trail.way() {
			t.take(o)
		}
	}
}

func (t *Tally) take(o outcome) {
	i := slices.IndexFunc(t.now, func(have ikigai.ToolTally) bool { return have.Name == o.name })
	if i < 0 {
		i = len(t.now)
		t.now = append(t.now, ikigai.ToolTally{Name: o.name})
	}
	if o.success {
		t.now[i].Succeeded++
	} else {
		t.now[i].Failed++
	}
}
