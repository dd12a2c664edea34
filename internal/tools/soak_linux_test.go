package tools

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/process"
)

var soak = flag.Int("soak", 200, "how many calls of tools TestSoak makes")

// P21, P25, P34: calls of tools, however many, leave no process, no file descriptor, no
// goroutine and no file behind, but the outputs that results have named.
func TestSoak(t *testing.T) {
	temporary, spill := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	mark := fmt.Sprintf("TOOLS_TEST_SOAK=%d", os.Getpid()) // of every process that is started here
	b := newJobBench(t, Config{SpillDir: spill, Env: []string{"PATH=/usr/bin:/bin", mark}})
	b.write("a.txt", "one\ntwo\nthree\n")
	spilled := soakRound(t, b, 50) // what is made once is there from here on
	descriptors, goroutines := descriptorsOf(t), runtime.NumGoroutine()
	for n := 0; n < *soak; n += 50 {
		spilled += soakRound(t, b, 50)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(deadline); {
		runtime.Gosched() // the last ones are about to end
	}
	if got := runtime.NumGoroutine(); got > goroutines {
		t.Errorf("%d goroutines, at first %d", got, goroutines)
	}
	if diff := cmp.Diff(descriptors, descriptorsOf(t)); diff != "" {
		t.Errorf("file descriptors (-first +last):\n%s", diff)
	}
	if left, _ := process.Marked(mark); len(left) > 0 {
		t.Errorf("processes: %+v", left)
	}
	for dir, want := range map[string]int{temporary: 0, spill: spilled, b.dir: 3} { // a.txt, b.txt, go
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != want {
			t.Errorf("%d files in %s, want %d: %v, %v", len(entries), dir, want, entries, err)
		}
	}
}

// soakRound makes n calls and returns how many outputs went to a file.
func soakRound(t *testing.T, b *jobBench, n int) (spilled int) {
	calls := []struct{ name, args string }{
		{"bash", `{"command":"true"}`},
		{"bash", `{"command":"sleep 1000 >/dev/null 2>&1 & (sleep 1000 >/dev/null 2>&1 &) exit 1"}`},
		{"bash", `{"command":"seq 1 4000"}`},
		{"bash", `{"command":"echo at a terminal; sleep 1000 &","terminal":true}`},
		{"file_write", `{"path":"b.txt","content":"four"}`},
		{"file_edit", `{"path":"b.txt","edits":[{"old":"four","new":"five"}]}`},
		{"file_read", `{"path":"a.txt"}`},
		{"glob", `{"pattern":"*.txt"}`},
		{"grep", `{"pattern":"t.o"}`},
	}
	for i := range n {
		switch c := calls[i%len(calls)]; i {
		case 17: // stopped in the middle
			ctx, cancel := context.WithCancel(context.Background())
			b.callWith(ctx, "bash", `{"command":"sleep 1000 & echo begun; sleep 1000"}`, ikigai.Call{Progress: func([]byte) { cancel() }})
		case 27: // held up by what it left behind
			b.call("bash", `{"command":"sleep 1000 &"}`)
		case 37:
			job := b.begin("sleep 1000 & sleep 1000", "")
			b.call("job_stop", fmt.Sprintf(`{"job":%d}`, job))
		default:
			r := b.call(c.name, c.args)
			if r.Failed {
				t.Fatalf("%s %s: %s", c.name, c.args, text(r))
			}
			spilled += strings.Count(text(r), "full output in")
		}
	}
	return spilled
}

// descriptorsOf returns what the file descriptors of this process are.
func descriptorsOf(t *testing.T) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil { // but the one that lists them
			all = append(all, to)
		}
	}
	return all
}
