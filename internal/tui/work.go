package tui

import (
	"fmt"
	"time"

	"ikigai"
)

// work is what is under way, and since when.
type work struct {
	busy     bool
	what     string
	since    time.Time
	again    time.Time // when the request is sent again
	attempt  int       // which one it will be
	of       int       // of how many at most
	receives bool      // the model is sending a call
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
	l.work, l.running = work{}, nil
	l.input.Busy(false)
	l.write(l.live.End())
}

// delta takes in a piece of a reply.
func (l *loop) delta(d ikigai.Delta) {
	w := &l.work
	w.came()
	switch {
	case d.Retry != nil:
		w.again, w.attempt, w.of = time.Now().Add(d.Retry.After), d.Retry.Attempt+1, d.Retry.Of
	case d.Call != nil:
		w.receives = true
	}
	l.write(l.live.Delta(d))
}

// came takes in that something has come of what was waited for.
func (w *work) came() { w.again, w.receives = time.Time{}, false }

// line says what is under way, for how long, and how to stop it.
func (w *work) line(now time.Time) string {
	if !w.busy {
		return ""
	}
	what := w.what
	switch {
	case now.Before(w.again):
		left := (w.again.Sub(now) + time.Second - 1) / time.Second
		what = fmt.Sprintf("sending again in %d s, attempt %d of %d", left, w.attempt, w.of)
	case w.receives:
		what = "receiving a call"
	}
	return what + elapsed(now.Sub(w.since))
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
	if l.open() != nil {
		return next
	}
	if l.hint.text != "" {
		sooner(l.hint.until.Sub(now))
	}
	if l.work.busy {
		sooner(untilSecond(now.Sub(l.work.since)))
		if now.Before(l.work.again) {
			sooner(l.work.again.Sub(now)%time.Second + time.Millisecond)
		}
	}
	return next
}

// untilSecond returns how long it is until d has come to a whole second.
func untilSecond(d time.Duration) time.Duration { return time.Second - d%time.Second }
