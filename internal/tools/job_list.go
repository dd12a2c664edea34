package tools

// Job is what there is to tell of a command in the background.
type Job struct {
	Number  int
	Command string
	Running bool
	Exit    int // of one that has ended
}

// List returns the jobs that run, and of those that have ended the latest. Nothing
// of their output counts as seen by it.
func (js *Jobs) List() []Job {
	js.mu.Lock()
	defer js.mu.Unlock()
	all := make([]Job, len(js.jobs))
	for i, j := range js.jobs {
		all[i] = Job{Number: j.number, Command: j.text, Running: j.running()}
		if !all[i].Running {
			all[i].Exit = j.result.Exit
		}
	}
	return all
}
