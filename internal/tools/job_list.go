package tools

import "time"

// Job is what there is to tell of a command in the background.
type Job struct {
	Number  int
	Command string
	Running bool
	Exit    int           // of one that has ended
	Took    time.Duration // likewise
}

// List returns the jobs that run, and of those that have ended the latest. Nothing
// of their output counts as seen by it.
func (js *Jobs) List() []Job {
	js.mu.Lock()
	defer js.mu.Unlock()
	all := make([]Job, len(js.jobs))
	for i, j := range js.jobs {
		all[i] = j.shown()
	}
	return all
}

func (j *job) shown() Job {
	s := Job{Number: j.number, Command: j.text, Running: j.running()}
	if !s.Running {
		s.Exit, s.Took = j.result.Exit, j.result.Duration
	}
	return s
}
