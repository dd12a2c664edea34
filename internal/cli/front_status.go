package cli

import (
	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/render"
	"ikigai/internal/tui"
)

// recorded tells what is waited for and how the session stands, after an event.
func (f *front) recorded(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.turn != nil {
		f.ui.Busy(what)
	}
	f.showStatus()
}

// showStatus shows how the session stands. The caller holds the lock.
func (f *front) showStatus() {
	if f.work != nil {
		f.ui.Status(f.status(f.work))
	}
}

// status returns how a session stands. It is a function of its projections.
func (f *front) status(w *work) tui.Status {
	spent := w.spent.spending(w.agent.Context)
	s := tui.Status{
		Model: w.agent.ModelName, Context: spent.Tokens, Of: int64(w.agent.Context),
		Max: w.agent.MaxToolTurns, Store: kept(w.session.Durability()),
		Goal: w.agent.Standing.Goal(), Objective: w.agent.Standing.Objective(),
	}
	s.Turn, s.Title = f.view.standing()
	if w.agent.Level != ikigai.LevelDefault {
		s.Model += ":" + string(w.agent.Level)
	}
	if spent.Session != nil {
		s.Cost = render.Dollars(*spent.Session)
	}
	if mode := f.approvalMode(); mode != config.ApprovalNever {
		s.Mode = mode
	}
	for _, t := range w.tally.Tools() {
		s.OK, s.Bad = s.OK+t.Succeeded, s.Bad+t.Failed
	}
	return s
}

// kept says how events are kept, where that is not as usual.
func kept(d ikigai.Durability) string {
	switch d {
	case ikigai.Journalled:
		return "journal"
	case ikigai.Volatile:
		return "memory only"
	}
	return ""
}

// turns counts the rounds of tools of the last statement. It is a function of the
// log.
type turns struct {
	n      int
	called bool // the last event of the conversation was a call
}

// add takes in the session's next event.
func (t *turns) add(e ikigai.Event) {
	switch {
	case e.Kind == ikigai.KindRewind || e.Kind == ikigai.KindClear: // the next statement begins anew
		t.n = 0
	case e.Interaction != ikigai.Main || !e.Kind.Conversation():
		return
	case e.IsStatement():
		t.n = 0
	case e.Kind == ikigai.KindToolCall && !t.called:
		t.n++
	}
	t.called = e.Kind == ikigai.KindToolCall
}

// standing returns in which round of tools the last statement is, or how many it
// took, and the session's title.
func (v *frontView) standing() (turn int, title string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.turns.n, v.title
}
