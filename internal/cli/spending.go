package cli

import (
	"cmp"
	"io"
	"maps"
	"slices"
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

	counted int // usages that are in sum
	sum     render.Spending
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
	for ; t.counted < len(t.usages); t.counted++ {
		t.count(t.usages[t.counted], t.counted < t.before)
	}
	s := t.sum
	s.Tokens, s.Context = t.gauge.Tokens(), context
	return s
}

// count adds what a request has cost, one of an earlier statement if before is set.
func (t *spendings) count(e ikigai.Event, before bool) {
	var d ikigai.UsageData
	_ = e.DecodeData(&d) // damaged, it cost what nobody knows
	s := &t.sum
	s.Session = plus(s.Session, d.Cost)
	switch {
	case before:
	case e.Interaction == ikigai.Main:
		s.Requests++
		s.Cost = plus(s.Cost, d.Cost)
		s.Usage.Input += d.Input
		s.Usage.Output += d.Output
		s.Usage.CacheRead += d.CacheRead
	default:
		s.Side++
		s.SideCost = plus(s.SideCost, d.Cost)
	}
}

// answered returns the model that has answered last in the conversation, "" if
// none has.
func (t *spendings) answered() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var d ikigai.UsageData
	for _, e := range slices.Backward(t.usages) {
		if e.Interaction == ikigai.Main {
			_ = e.DecodeData(&d) // damaged, it names nobody
			break
		}
	}
	return d.Model
}

// tellSpending tells a person at a terminal what the statement has cost, and how
// full the context is now. Scripts read it from the log.
func (a *app) tellSpending(w *work, e config.Endpoint) {
	if !a.overwrites(a.Err) {
		return
	}
	if s := w.spent.spending(a.contextOf(e)); s.Requests+s.Side > 0 {
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

// purposes sums up what a session has cost, by what it was for.
type purposes struct {
	of   map[string]string // purpose of each side interaction
	sums map[string]*render.Purpose
}

// add takes in the session's next event.
func (p *purposes) add(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindInteraction:
		var d ikigai.InteractionData
		if e.DecodeData(&d) == nil && d.Purpose != "" {
			if p.of == nil {
				p.of = map[string]string{}
			}
			p.of[e.Interaction] = string(d.Purpose)
		}
	case ikigai.KindUsage:
		var d ikigai.UsageData
		_ = e.DecodeData(&d) // damaged, it cost what nobody knows
		p.sum(cmp.Or(p.of[e.Interaction], e.Interaction)).Add(d)
	}
}

func (p *purposes) sum(name string) *render.Purpose {
	if p.sums == nil {
		p.sums = map[string]*render.Purpose{}
	}
	if p.sums[name] == nil {
		p.sums[name] = &render.Purpose{Name: name}
	}
	return p.sums[name]
}

// list returns the sums: that of the conversation, then the others by name.
func (p *purposes) list() []render.Purpose {
	list := []render.Purpose{*p.sum(ikigai.Main)}
	for _, name := range slices.Sorted(maps.Keys(p.sums)) {
		if name != ikigai.Main {
			list = append(list, *p.sums[name])
		}
	}
	return list
}
