package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/process"
)

const (
	// mostJobs is how many commands may run in the background at once.
	mostJobs = 16
	// endedJobs is how many of those that have ended are remembered.
	endedJobs = 32
	// firstLook is how long a new job is watched: a mistyped command ends at once.
	firstLook = 200 * time.Millisecond

	codeJobNotFound ikigai.ToolCode = "JOB_NOT_FOUND"
	codeManyJobs    ikigai.ToolCode = "TOO_MANY_JOBS"
)

// Jobs are the commands that run in the background of a session. The zero Jobs
// is ready for use.
type Jobs struct {
	// Ended, if it is set before the first job begins, is told of each that has ended
	// by itself after its call had its result, on a goroutine of the job's.
	Ended func(Job)

	mu     sync.Mutex
	closed bool
	last   int    // the number of the latest job
	jobs   []*job // those that run, and of those that have ended the latest
}

// job is a command in the background.
type job struct {
	command
	number  int
	process *process.Process
	stop    context.CancelFunc
	ended   chan struct{}  // closed when result is there
	result  process.Result // with the output that nobody has seen
	told    bool           // the model knows of its end
}

// Close ends all jobs, and returns the commands of those that still ran. No
// others begin.
func (js *Jobs) Close() (stopped []string) {
	js.mu.Lock()
	js.closed = true
	jobs := slices.Clone(js.jobs)
	js.mu.Unlock()
	for _, j := range jobs {
		if j.running() {
			stopped = append(stopped, j.text)
			j.stop()
		}
	}
	for _, j := range jobs {
		<-j.ended
	}
	return stopped
}

// start begins a job.
func (js *Jobs) start(c command) (*job, *ikigai.Result) {
	js.mu.Lock()
	defer js.mu.Unlock()
	var failure ikigai.Result
	switch {
	case js.closed:
		failure = cancelled()
		return nil, &failure
	case js.forget() >= mostJobs:
		failure = ikigai.Failure(codeManyJobs, fmt.Sprintf("There are %d jobs running already", mostJobs), "Stop one with job_stop, or wait for its end")
		return nil, &failure
	}
	p, err := process.Start(c.Command)
	if err != nil {
		failure = startFailure(err)
		return nil, &failure
	}
	js.last++
	ctx, stop := context.WithCancel(context.Background())
	j := &job{command: c, number: js.last, process: p, stop: stop, ended: make(chan struct{})}
	go func() {
		defer stop()
		defer crash.Guard()
		j.result = p.Wait(ctx)
		close(j.ended)
		if js.Ended != nil && ctx.Err() == nil && j.result.Duration > firstLook {
			js.Ended(j.shown())
		}
	}()
	js.jobs = append(js.jobs, j)
	return j, nil
}

// forget drops what ended long ago, and returns how many jobs are running.
func (js *Jobs) forget() (running int) {
	ended := 0
	for _, j := range slices.Backward(js.jobs) {
		if j.running() {
			running++
		} else if ended++; ended > endedJobs {
			js.jobs = slices.DeleteFunc(js.jobs, func(other *job) bool { return other == j })
		}
	}
	return running
}

// find returns the job of a number.
func (js *Jobs) find(number int) (*job, *ikigai.Result) {
	js.mu.Lock()
	defer js.mu.Unlock()
	var known []string
	for _, j := range js.jobs {
		if j.number == number {
			return j, nil
		}
		known = append(known, fmt.Sprint(j.number))
	}
	do := "Start one with background of bash"
	if len(known) > 0 {
		do = "Use one of: " + strings.Join(known, ", ")
	}
	failure := ikigai.Failure(codeJobNotFound, fmt.Sprintf("There is no job %d", number), do)
	return nil, &failure
}

// look returns what is new of a job.
func (js *Jobs) look(j *job) outcome {
	js.mu.Lock()
	defer js.mu.Unlock()
	if j.running() {
		return outcome{command: j.command, job: j.number, running: true, Result: process.Result{Output: j.process.Output()}}
	}
	seen := j.result
	j.result.Output, j.told = process.Output{}, true
	return outcome{command: j.command, job: j.number, Result: seen}
}

// news tells, once, of jobs that have ended while nobody looked.
func (js *Jobs) news() string {
	js.mu.Lock()
	defer js.mu.Unlock()
	var ends []string
	for _, j := range js.jobs {
		if !j.told && !j.running() {
			j.told = true
			ends = append(ends, fmt.Sprintf("Job %d ended with exit code %d.", j.number, j.result.Exit))
		}
	}
	return strings.Join(ends, " ")
}

func (j *job) running() bool {
	select {
	case <-j.ended:
		return false
	default:
		return true
	}
}

// await waits for the end of a job, of a limit or of ctx.
func (j *job) await(ctx context.Context, limit time.Duration) {
	if limit <= 0 {
		return
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-j.ended:
	case <-t.C:
	case <-ctx.Done():
	}
}
