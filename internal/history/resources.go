package history

import (
	"cmp"
	"sync"

	"ikigai"
)

// Resources is the files and URLs that an interaction and the tasks that it handed
// over, and these in turn, have read and changed, as a projection of the log: those
// that results name, and files that were noticed to be others after a command. It
// may be used by several goroutines at once. Make one with NewResources.
type Resources struct {
	interaction string

	mu    sync.Mutex
	tasks map[string]bool // the interactions that serve it
	trail trail[touch]
	now   map[string]*use // by URI: what the trail makes
	order []string        // the URIs, by first use
}

// Use says how often a file or a URL was read and changed.
type Use struct {
	URI     string     `json:"uri"` // an absolute path or a URL
	Read    int        `json:"read"`
	Changed int        `json:"changed"`
	Last    ikigai.Seq `json:"last"` // the event of the last time
}

// use is a Use, and the call that changed it last.
type use struct {
	Use
	by string // with its interaction: vendors number calls anew in each
}

// touch is one read or change.
type touch struct {
	seq     ikigai.Seq
	uri     string
	changed bool
	call    string
	noticed bool
}

// NewResources returns the resources before the first event of an interaction.
func NewResources(interaction string) *Resources {
	return &Resources{interaction: interaction, tasks: map[string]bool{}, now: map[string]*use{}}
}

// List returns what was used, in the order of first use.
func (r *Resources) List() []Use {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Use, len(r.order))
	for i, uri := range r.order {
		list[i] = r.now[uri].Use
	}
	return list
}

// Add takes in the next event of the session. After a rewind the list is the one
// of then, without what tasks have done since; after a clear it is empty.
func (r *Resources) Add(e ikigai.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Kind == ikigai.KindInteraction {
		var d ikigai.InteractionData
		if e.DecodeData(&d) == nil && d.Purpose == ikigai.PurposeTask && r.holds(cmp.Or(d.Parent, ikigai.Main)) {
			r.tasks[e.Interaction] = true
		}
		return
	}
	if !r.holds(e.Interaction) {
		return
	}
	for _, t := range touches(e) {
		r.trail.add(e.Seq, t)
		r.take(t)
	}
	if e.Interaction == r.interaction && r.trail.turn(e) {
		clear(r.now)
		r.order = nil
		for _, t := range r.trail.way() {
			r.take(t)
		}
	}
}

// holds reports whether what an interaction uses is taken in.
func (r *Resources) holds(interaction string) bool {
	return interaction == r.interaction || r.tasks[interaction]
}

// touches returns the reads and changes that e tells of.
func touches(e ikigai.Event) []touch {
	switch e.Kind {
	case ikigai.KindToolResult:
		var all []touch
		for _, r := range resourcesOf(e) {
			all = append(all, touch{seq: e.Seq, uri: r.URI, changed: r.Changed, call: callIn(e, callOf(e))})
		}
		return all
	case ikigai.KindChange:
		var d ikigai.ChangeData
		if e.DecodeData(&d) == nil && d.Noticed && d.Unrecorded == "" { // any other is told by the result of its call
			return []touch{{seq: e.Seq, uri: d.Path, changed: true, call: callIn(e, d.CallID), noticed: true}}
		}
	}
	return nil
}

// callIn returns what tells a call apart from those of other interactions; "" if
// there is none.
func callIn(e ikigai.Event, id string) string {
	if id == "" {
		return ""
	}
	return e.Interaction + " " + id
}

// take counts a touch. What was noticed of a change that the call's result has
// named is the same change.
func (r *Resources) take(t touch) {
	u := r.now[t.uri]
	if u == nil {
		u = &use{Use: Use{URI: t.uri}}
		r.now[t.uri] = u
		r.order = append(r.order, t.uri)
	}
	u.Last = t.seq
	switch {
	case !t.changed:
		u.Read++
	case !t.noticed || t.call == "" || t.call != u.by:
		u.Changed++
		u.by = t.call
	}
}
