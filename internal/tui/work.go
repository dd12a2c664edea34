package tui

import (
	"cmp"
	"fmt"
	"time"

	"ikigai"
	"ikigai/internal/render"
)

// work is what is under way, and since when.
type work struct {
	busy    bool
	what    string
	since   time.Time
	again   time.Time // when the request is sent again
	attempt int       // which one it will be
	of      int       // of how many at most
	coming  string    // what the model is sending; "" while it is waited for
}

// begins takes in that something is under way.
func (l *loop) begins(what string) {
	w := &l.work
	if !w.busy {
		*w = work{busy: true, since: time.Now()}
		l.input.Busy(true)
	}
	w.what = safe(what)
}

// ends takes in that nothing is under way any more.
func (l *loop) ends() {
	if !l.work.busy {
		return
	}
	l.ring("ikigai is done: " + l.subject())
	l.work, l.calls = work{}, nil
	l.input.Busy(false)
	l.write(l.live.End())
	l.tellAsides()
}

// delta takes in a piece of a reply.
func (l *loop) delta(d ikigai.Delta) {
	w := &l.work
	w.came()
	switch {
	case d.Retry != nil:
		w.again, w.attempt, w.of = time.Now().Add(d.Retry.After), d.Retry.Attempt+1, d.Retry.Of
	case d.Call != nil:
		w.coming = "receiving a call"
	case d.Thinking != "":
		w.coming = "thinking"
	case d.Text != "":
		w.coming = "answering"
	}
	if d.Thinking != "" || d.Text != "" || d.Refusal != "" {
		l.atEnd = nil // it stands below them, if not printed yet
	}
	l.write(l.live.Delta(d))
}

// came takes in that something has come of what was waited for.
func (w *work) came() { w.again, w.coming = time.Time{}, "" }

// doing says what is under way.
func (w *work) doing(now time.Time) string {
	if left := w.again.Sub(now); left > 0 {
		return fmt.Sprintf("attempt %d of %d in %ds", w.attempt, w.of, (left+time.Second-1)/time.Second)
	}
	return cmp.Or(w.coming, w.what, "working")
}

// doing says what is under way, and for how long.
func (s *state) doing() (what, took string) {
	what, took = s.work.doing(s.now), elapsed(s.now.Sub(s.work.since))
	switch n := len(s.running()); {
	case s.now.Before(s.work.again):
		return what, ""
	case s.under() != nil:
		return "running", elapsed(s.now.Sub(s.under().since))
	case n == 1:
		what = "running"
	case n > 1:
		what = "running " + render.Count(n, "call")
	}
	return what, took
}

// elapsed returns a time span to the second: " 1m 5s", and nothing in the first
// second.
func elapsed(d time.Duration) string {
	s := int64(d / time.Second)
	switch {
	case s < 1:
		return ""
	case s < 60:
		return fmt.Sprintf(" %ds", s)
	case s < 3600:
		return fmt.Sprintf(" %dm %ds", s/60, s%60)
	}
	return fmt.Sprintf(" %dh %dm", s/3600, s/60%60)
}

// nextTick returns how long it takes until what is shown changes by itself, -1 if
// it does not.
func (l *loop) nextTick(now time.Time) time.Duration {
	next := time.Duration(-1)
	sooner := func(d time.Duration) {
		if d > 0 && (next < 0 || d < next) {
			next = d
		}
	}
	sooner(l.untilAnswered(now))
	sooner(l.reminder().Sub(now))
	if l.open() != nil {
		return next
	}
	if l.hint.text != "" {
		sooner(l.hint.until.Sub(now))
	}
	if l.work.busy {
		since := l.work.since
		if c := l.under(); c != nil {
			since = c.since
		}
		sooner(untilSecond(now.Sub(since)))
		if now.Before(l.work.again) {
			sooner(l.work.again.Sub(now)%time.Second + time.Millisecond)
		}
	}
	return next
}

// untilSecond returns how long it is until d has come to a whole second.
func untilSecond(d time.Duration) time.Duration { return time.Second - d%time.Second }
