package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// jobBench is a bench of which the jobs end with the test. A script on it waits
// for the test where it reads descriptor 3, after `exec 3<>go`.
type jobBench struct {
	*bench
	jobs *Jobs
	gate *os.File
}

func newJobBench(t testing.TB, cfg Config) *jobBench {
	b := &jobBench{jobs: new(Jobs)}
	cfg.Jobs = b.jobs
	t.Cleanup(func() { b.jobs.Close() })
	b.bench = newBench(t, cfg)
	gate := filepath.Join(b.dir, "go")
	err := syscall.Mkfifo(gate, 0o600)
	if err == nil {
		b.gate, err = os.OpenFile(gate, os.O_RDWR, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.gate.Close() })
	return b
}

// goOn lets scripts go on, n times.
func (b *jobBench) goOn(n int) {
	b.t.Helper()
	if _, err := b.gate.WriteString(strings.Repeat("\n", n)); err != nil {
		b.t.Fatal(err)
	}
}

// begin starts a job, waits until it has printed a text and nothing else, and
// returns its number.
func (b *jobBench) begin(command, printed string) int {
	b.t.Helper()
	return b.beginWith(`{"command":`+quoted(command)+`,"background":true}`, printed)
}

func (b *jobBench) beginWith(args, printed string) int {
	b.t.Helper()
	r := b.call("bash", args)
	job := jobOf(b.t, r)
	for got := field(b.t, r, "output"); got != printed; got += field(b.t, r, "output") {
		if !strings.HasPrefix(printed, got) || !strings.Contains(text(r), `"running":true`) {
			b.t.Fatalf("%s printed %q, %s", args, got, text(r))
		}
		r = b.call("job_output", fmt.Sprintf(`{"job":%d}`, job))
	}
	return job
}

func jobOf(t testing.TB, r ikigai.Result) int {
	t.Helper()
	var out struct{ Job int }
	if err := json.Unmarshal([]byte(text(r)), &out); err != nil || out.Job == 0 {
		t.Fatalf("%s, %v", text(r), err)
	}
	return out.Job
}

// A job is looked at piece by piece; with its last output its end is told.
func TestJob(t *testing.T) {
	t.Parallel()
	b := newJobBench(t, Config{})
	b.begin("exec 3<>go; echo one; read -r x <&3; echo two; read -r x <&3; echo three; exit 3", "one\n")
	b.want("job_output", `{"job":1}`, `{"output":"","job":1,"running":true}`, "job 1 running")
	b.goOn(2)
	r := b.want("job_output", `{"job":1,"wait":60}`, `{"output":"two\nthree\n","job":1,"exit_code":3}`, "job 1 exit code 3, 2 lines")
	if r.Note != "" {
		t.Errorf("its end is told twice: %s", r.Note)
	}
	b.want("job_output", `{"job":1,"wait":60}`, `{"output":"","job":1,"exit_code":3}`, "job 1 exit code 3, no output")
	b.want("job_stop", `{"job":1}`, `{"output":"","job":1,"exit_code":3}`, "job 1 exit code 3, no output")
}

// What ends at once is told at once, in both forms.
func TestJobEndsAtOnce(t *testing.T) {
	for form, want := range map[string]string{
		"combined": `{"output":"x\n","job":1,"exit_code":127}`,
		"split":    `{"stdout":"x\n","stderr":"","job":1,"exit_code":127,"truncated":false}`,
	} {
		b := newJobBench(t, Config{BashResult: form})
		first := text(b.call("bash", `{"command":"echo x; nosuchcommand 2>/dev/null","background":true}`))
		if strings.Contains(first, "running") { // on a busy machine
			first = text(b.call("job_output", `{"job":1,"wait":60}`))
		}
		if first != want {
			t.Errorf("%s", first)
		}
	}
}

// The end of a job that nobody looks at is told once, with the next result; to whoever
// wants to know at once that of each which ends by itself.
func TestJobNews(t *testing.T) {
	t.Parallel()
	b := newJobBench(t, Config{})
	ended := make(chan Job, 3)
	b.jobs.Ended = func(j Job) { ended <- j }
	b.begin("exec 3<>go; read -r x <&3; exit 1", "")
	b.begin("exec 3<>go; read -r x <&3; exit 2", "")
	b.begin("exec sleep 1000", "")
	b.goOn(2)
	for range 2 {
		if j := <-ended; j.Running || j.Exit != j.Number || j.Took <= firstLook {
			t.Errorf("told of %+v", j)
		}
	}
	if r := b.call("bash", `{"command":"true"}`); r.Note != "Job 1 ended with exit code 1. Job 2 ended with exit code 2." || r.Failed {
		t.Errorf("%+v", r)
	}
	if r := b.call("job_output", `{"job":3}`); r.Note != "" {
		t.Errorf("%+v", r)
	}
	b.call("job_stop", `{"job":3}`)
	b.jobs.Close()
	if len(ended) > 0 {
		t.Errorf("of one that was stopped it is told, too: %+v", <-ended)
	}
}

// P21: what a job has started ends with it, by job_stop and with the program.
func TestJobStop(t *testing.T) {
	t.Parallel()
	b := newJobBench(t, Config{})
	b.begin("sleep 1000 & echo $! >1.pid; echo begun; wait", "begun\n")
	b.begin("trap '' TERM; sleep 1000 & echo $! >2.pid; echo begun; while :; do sleep 1; done", "begun\n")
	b.want("job_stop", `{"job":1}`, `{"output":"","job":1,"exit_code":143}`, "job 1 stopped, no output")
	if alive(t, b.dir, "1.pid") || !alive(t, b.dir, "2.pid") {
		t.Error("job_stop ended too little or too much")
	}
	if diff := cmp.Diff([]string{"trap '' TERM; sleep 1000 & echo $! >2.pid; echo begun; while :; do sleep 1; done"}, b.jobs.Close()); diff != "" {
		t.Error(diff)
	}
	if alive(t, b.dir, "2.pid") {
		t.Error("a job outlived its session")
	}
	if r := b.call("bash", `{"command":"touch x","background":true}`); !r.Failed || field(t, r, "error_code") != "CANCELLED" { // P22
		t.Errorf("a job began after the end: %s", text(r))
	}
}

// The person who wants to be out at once does not wait for a job.
func TestJobLeave(t *testing.T) {
	t.Parallel()
	const tries = 5 // a machine that stands still for a second does not do so each time
	for range tries {
		leave := make(chan struct{})
		b := newJobBench(t, Config{Leave: leave})
		b.begin("trap '' TERM; echo begun; while :; do sleep 1; done", "begun\n")
		close(leave)
		began := time.Now()
		b.jobs.Close()
		if time.Since(began) < time.Second { // the grace
			return
		}
	}
	t.Error("a job was waited for")
}

// alive reports whether the process whose number a file holds still runs.
func alive(t testing.TB, dir, file string) bool {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(raw)) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// A job does not end with the statement that began it; who waits for it does.
func TestJobCancelled(t *testing.T) {
	t.Parallel()
	b := newJobBench(t, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	b.begin("exec sleep 1000", "")
	cancel()
	for _, args := range []string{`{"job":1,"wait":60}`, `{"job":1}`} {
		if r := b.callWith(ctx, "job_output", args, ikigai.Call{}); !r.Failed || field(t, r, "error_code") != "CANCELLED" {
			t.Errorf("%s", text(r))
		}
	}
	b.want("job_output", `{"job":1}`, `{"output":"","job":1,"running":true}`, "job 1 running")
}

// P24, P25: of much output the beginning and the end are shown, and the file has
// all since the job began.
func TestJobMuch(t *testing.T) {
	t.Parallel()
	b := newJobBench(t, Config{SpillDir: filepath.Join(t.TempDir(), "made", "later")})
	b.begin("exec 3<>go; echo one; read -r x <&3; seq 1 10000", "one\n")
	b.goOn(1)
	out := field(t, b.call("job_output", `{"job":1,"wait":60}`), "output")
	m := regexp.MustCompile(`(?s)^1\n2\n.*\[([0-9,]+) more bytes, full output in (\S+)\].*\n10000\n\n\[OUTPUT TRUNCATED - exceeded 10KB limit\]$`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("%s", out)
	}
	if raw, err := os.ReadFile(m[2]); err != nil || !strings.HasPrefix(string(raw), "one\n1\n") || len(raw) != 4+48894 {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}

func TestJobLimits(t *testing.T) {
	t.Parallel()
	b := newJobBench(t, Config{})
	wantFailure := func(name, args, code, what string) {
		t.Helper()
		r := b.call(name, args)
		if !r.Failed || field(t, r, "error_code") != code || !strings.Contains(field(t, r, "error"), what) || !twoSentences.MatchString(field(t, r, "error")) {
			t.Errorf("%s %s: %s", name, args, text(r))
		}
	}
	wantFailure("job_output", `{"job":1}`, "JOB_NOT_FOUND", "There is no job 1. Start one")
	var begun sync.WaitGroup
	for range mostJobs {
		begun.Go(func() {
			if r := b.call("bash", `{"command":"exec 3<>go; read -r x <&3","background":true}`); r.Failed {
				t.Error(text(r))
			}
		})
	}
	begun.Wait()
	wantFailure("bash", `{"command":"true","background":true}`, "TOO_MANY_JOBS", "There are 16 jobs running already.")
	wantFailure("job_stop", `{"job":17}`, "JOB_NOT_FOUND", "Use one of: 1, 2, 3,")
	b.call("job_stop", `{"job":1}`)
	b.begin("exec 3<>go; read -r x <&3", "")
	b.goOn(mostJobs)
	for n := range mostJobs + endedJobs + 2 {
		if n < mostJobs {
			<-b.jobs.jobs[n].ended
			continue
		}
		b.begin("exit", "")
	}
	if n := len(b.jobs.jobs); n > mostJobs+endedJobs+1 {
		t.Errorf("%d jobs are remembered", n)
	}
}

// P20, P26: at a terminal; what is written over is not shown.
func TestBashTerminal(t *testing.T) {
	t.Parallel()
	b := newJobBench(t, Config{Env: []string{"PATH=/usr/bin:/bin", "TERM=dumb", "PAGER=less"}})
	for command, output := range map[string]string{
		`test -t 0 && test -t 1 && echo "$TERM $PAGER $GIT_PAGER"`:  `xterm-256color cat cat\n`,
		`for i in 1 2 3; do printf '\r%s%%' $i; done; echo; echo x`: `3%\nx\n`,
		`printf '\e[31mred\e[0m\n'; echo err >&2`:                   `red\nerr\n`,
		`read -rp 'name? ' x || echo nobody`:                        `name? nobody\n`,
	} {
		r := b.call("bash", `{"command":`+quoted(command)+`,"terminal":true}`)
		if want := `{"output":"` + output + `","exit_code":0}`; text(r) != want {
			t.Errorf("%s: %s, want %s", command, text(r), want)
		}
	}
	b.beginWith(`{"command":"test -t 1 && echo yes; sleep 1000","background":true,"terminal":true}`, "yes\n")
}

// S1.31: what stands ahead of an output.
func TestBashFront(t *testing.T) {
	t.Parallel()
	b := newJobBench(t, Config{})
	b.write("sub/f", "")
	for args, want := range map[string]string{
		`{"command":"exit 3"}`:                       `[{"Name":"command","Value":"exit 3"},{"Name":"exit_code","Value":3},{"Name":"cwd","Value":"DIR"}]`,
		`{"command":"seq 9999","working_dir":"sub"}`: `[{"Name":"command","Value":"seq 9999"},{"Name":"exit_code","Value":0},{"Name":"cwd","Value":"DIR/sub"},{"Name":"truncated","Value":true}]`,
	} {
		if diff := cmp.Diff(want, frontOf(t, b.call("bash", args), b.dir)); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}
	b.begin("exec sleep 1000", "")
	want := `[{"Name":"command","Value":"exec sleep 1000"},{"Name":"job","Value":1},{"Name":"running","Value":true},{"Name":"cwd","Value":"DIR"}]`
	if diff := cmp.Diff(want, frontOf(t, b.call("job_output", `{"job":1}`), b.dir)); diff != "" {
		t.Error(diff)
	}
}

func frontOf(t *testing.T, r ikigai.Result, dir string) string {
	t.Helper()
	raw, err := json.Marshal(r.Front)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(raw), dir, "DIR")
}
