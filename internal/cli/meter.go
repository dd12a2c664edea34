package cli

import (
	"fmt"
	"io"
	"time"

	"ikigai/internal/archive"
	"ikigai/internal/crash"
	"ikigai/internal/render"
)

const (
	// blink is how long something may take before the person is told how far it is.
	blink = 300 * time.Millisecond
	// meterTime is how often that is told.
	meterTime = 100 * time.Millisecond
)

// meter tells the person at a terminal how far something is, on a line that is
// written over and gone in the end.
type meter struct {
	out   io.Writer // nil where nobody looks
	width int
	next  time.Time
	shown bool
}

func (a *app) newMeter() *meter {
	width, _ := terminal(a.Err)
	if a.tell != nil || !a.overwrites(a.Err) {
		return &meter{}
	}
	return &meter{out: a.Err, width: width, next: time.Now().Add(blink)}
}

// tell shows text, if it is time to.
func (m *meter) tell(format string, args ...any) {
	if m.out == nil {
		return
	}
	now := time.Now()
	if now.Before(m.next) {
		return
	}
	m.next, m.shown = now.Add(meterTime), true
	fmt.Fprintf(m.out, "\r%s\x1b[K", render.StatusLine(fmt.Sprintf(format, args...), m.width-1))
}

// working tells how long something has taken that cannot say how far it is. The
// meter is not used for anything else until the function that it returns is
// called, which takes the line away.
func (m *meter) working(what string) (end func()) {
	if m.out == nil {
		return func() {}
	}
	began := time.Now()
	ticker := time.NewTicker(silence)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer crash.Guard()
		for {
			select {
			case now := <-ticker.C:
				m.tell("%s, %s (Ctrl-C stops)", what, now.Sub(began).Truncate(time.Second))
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		<-ended
		m.end()
	}
}

// end takes the line away.
func (m *meter) end() {
	if m.shown {
		fmt.Fprint(m.out, "\r\x1b[K")
		m.shown = false
	}
}

// archived tells how far an export, an import or a copy is. verb is what is done.
func (m *meter) archived(verb string) func(archive.Progress) {
	return func(p archive.Progress) {
		if p.Of > 0 {
			m.tell("%s: %d %%, %s, %s", verb, min(100, 100*p.Events/p.Of), render.Count(int(p.Events), "event"), render.Bytes(p.Bytes))
			return
		}
		m.tell("%s: %s, %s", verb, render.Count(int(p.Events), "event"), render.Bytes(p.Bytes))
	}
}
