package cli

import (
	"time"

	"ikigai"
)

const (
	// glanceTime is how often the person sees what a running tool prints.
	glanceTime = 100 * time.Millisecond
	// silence is how long nothing may happen before the person is told what
	// is being waited for.
	silence = time.Second
	// maxProgress is how much of what a tool prints between two glances is kept.
	maxProgress = 4 << 10
)

// watch tells the person at a terminal what is being waited for, until the
// function that it returns is called.
func (v *view) watch() (stop func()) {
	if v.json || !v.live.Terminal {
		return func() {}
	}
	done := make(chan struct{})
	ticker := time.NewTicker(glanceTime)
	go func() {
		for {
			select {
			case now := <-ticker.C:
				v.glance(now)
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}

// glance shows what has changed since the last one.
func (v *view) glance(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.since.IsZero() {
		return
	}
	if len(v.progress) > 0 {
		v.write(v.live.Progress(v.printing, v.progress))
		v.progress = v.progress[:0]
	}
	if elapsed := now.Sub(v.since); elapsed >= silence {
		v.write(v.live.Tick(elapsed.Truncate(time.Second), v.waiting))
	}
}

// prints takes what a running tool prints.
func (v *view) prints(callID string, p []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if callID != v.printing {
		v.printing, v.progress = callID, v.progress[:0]
	}
	if len(p) > maxProgress {
		p = p[len(p)-maxProgress:]
	}
	v.progress = append(v.progress, p...)
	if n := len(v.progress) - maxProgress; n > 0 {
		v.progress = append(v.progress[:0], v.progress[n:]...)
	}
}

// awaits notes what is waited for once e is recorded: a tool, or the model.
func (v *view) awaits(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindToolCall:
		v.waiting = "running " + e.Content
	case ikigai.KindRequest, ikigai.KindUsage, ikigai.KindChange:
		return
	case ikigai.KindUser, ikigai.KindToolResult:
		v.waiting = "waiting for the model"
	}
	v.since = time.Now()
}
