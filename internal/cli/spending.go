package cli

import (
	"io"
	"sync"

	"ikigai"
	"ikigai/internal/catalog"
	"ikigai/internal/config"
	"ikigai/internal/render"
)

// spendings counts what a session costs and how full the model's context is. It is
// a projection of the session that does its work when it is asked.
type spendings struct {
	mu     sync.Mutex
	gauge  catalog.Gauge
	usages []ikigai.Event
	before int // usages of earlier statements
}

// begin tells that events are new from now on.
func (t *spendings) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.before = len(t.usages)
}

// Add takes in the session's next event, old or new.
func (t *spendings) Add(e ikigai.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Interaction == ikigai.Main {
		t.gauge.Add(e)
	}
	if e.Kind == ikigai.KindUsage {
		t.usages = append(t.usages, e)
	}
}

// spending returns what the statement has cost, with a model that has so much
// context.
func (t *spendings) spending(context int) render.Spending {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := render.Spending{Tokens: t.gauge.Tokens(), Context: context, Requests: len(t.usages) - t.before}
	for i, e := range t.usages {
		var d ikigai.UsageData
		if e.DecodeData(&d) != nil {
			continue
		}
		s.Session = plus(s.Session, d.Cost)
		if i >= t.before {
			s.Cost = plus(s.Cost, d.Cost)
			s.Usage.Input += d.Input
			s.Usage.Output += d.Output
			s.Usage.CacheRead += d.CacheRead
		}
	}
	return s
}

// answered returns the model that has answered last, "" if none has.
func (t *spendings) answered() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var d ikigai.UsageData
	if n := len(t.usages); n > 0 {
		_ = t.usages[n-1].DecodeData(&d) // damaged, it names nobody
	}
	return d.Model
}

// tellSpending tells a person at a terminal what the statement has cost, and how
// full the context is now. Scripts read it from the log.
func (a *app) tellSpending(w *work, e config.Endpoint) {
	if !a.overwrites(a.Err) {
		return
	}
	if s := w.spent.spending(e.Known.Context); s.Requests > 0 {
		_, _ = io.WriteString(a.Err, a.style(a.Err).Spending(s)) // there is no place to tell of it
	}
}

// plus adds a cost to a sum. Both may be nil, which is not known.
func plus(sum, cost *int64) *int64 {
	if cost == nil {
		return sum
	}
	total := *cost
	if sum != nil {
		total += *sum
	}
	return &total
}
