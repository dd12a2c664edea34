package agent

import "ikigai"

// Aside queues events of the interaction that come from beside the loop, such as
// what a side interaction has found out. It may be called at any time, by any
// goroutine.
func (a *Agent) Aside(events ...ikigai.Event) {
	a.recording.Lock()
	defer a.recording.Unlock()
	a.Recorder.Queue(events...)
}
