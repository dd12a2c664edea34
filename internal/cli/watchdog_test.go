package cli

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// watchdog ends the tests when two thirds of go test's time are over, 20 minutes
// of the 30 that make race gives them. What go test itself prints then is too
// long to find the one test in it that hangs. The function that is returned ends
// the watch.
func watchdog() (end func() bool) {
	flag.Parse()
	limit, ok := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration)
	if !ok || limit == 0 {
		return func() bool { return true }
	}
	return time.AfterFunc(limit*2/3, func() {
		tellHang(os.Stderr)
		os.Exit(1)
	}).Stop
}

// tellHang prints what still runs.
func tellHang(w io.Writer) {
	fmt.Fprintf(w, "\n== The tests hang. Processes that they have started:\n\n")
	for _, p := range descendants(os.Getpid()) {
		fmt.Fprintln(w, p)
	}
	fmt.Fprintf(w, "\n== The tests hang. Goroutines that do not wait for other tests:\n\n")
	stacks := make([]byte, 64<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var tests, others strings.Builder // those of tests stand in the end, where they are seen
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		switch {
		case waitsForTests(stack):
		case strings.Contains(stack, "\ntesting.tRunner("):
			tests.WriteString(stack + "\n\n")
		default:
			others.WriteString(stack + "\n\n")
		}
	}
	fmt.Fprint(w, others.String(), tests.String())
}

// waitsForTests reports whether a goroutine is one of a test that waits for its
// turn or for its parts, one of the runtime, or the one that tells.
func waitsForTests(stack string) bool {
	_, frames, _ := strings.Cut(stack, "\n")
	return slices.ContainsFunc([]string{
		"testing.(*T).Parallel(", "testing.(*testState).waitParallel(", "testing.(*T).Run(", "testing.tRunner.func1(", "os/signal.signal_recv(", "runtime.",
		"ikigai/internal/cli.tellHang(",
	}, func(wait string) bool { return strings.HasPrefix(frames, wait) })
}

// descendants returns the processes that a process has started, and that these
// have, each with its state and its command. Where the system does not tell, there
// are none.
func descendants(ancestor int) (found []string) {
	parents, told := map[int]int{}, map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is good
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		stat, _ := os.ReadFile(dir + "/stat") // it may have ended
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 {
			continue
		}
		parents[pid], _ = strconv.Atoi(string(fields[1]))
		command, _ := os.ReadFile(dir + "/cmdline")
		told[pid] = fmt.Sprintf("%d, of %d, %s: %s", pid, parents[pid], fields[0], inLine(command[:min(len(command), 300)]))
	}
	for pid, text := range told {
		for up := parents[pid]; up != 0; up = parents[up] {
			if up == ancestor {
				found = append(found, text)
			}
		}
	}
	slices.Sort(found)
	return found
}

// inLine puts the words of a command on one line.
func inLine(command []byte) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(string(command), "\x00", " ")), " ")
}

// A hang is told of with what hangs and without what waits for it.
func TestTellHang(t *testing.T) {
	p := newPlace(t, goOn)
	g := p.gate("gate")
	p.start("tool", "run", "bash", "command=exec 9>gate; echo there >&9; sleep 1000")
	g.awaits("there")
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	go hang(begun, release)
	within(t, begun, "beginning of the hang")
	wanted := []string{"cli.hang("}
	if runtime.GOOS == "linux" {
		wanted = append(wanted, "ikigai tool run bash command=exec 9>gate")
	}
	t.Run("while a part runs", func(t *testing.T) {
		var told bytes.Buffer
		tellHang(&told)
		for _, want := range wanted {
			if !strings.Contains(told.String(), want) {
				t.Errorf("%q is not in\n%s", want, told.String())
			}
		}
		if strings.Contains(told.String(), "testing.(*T).Parallel(") || strings.Contains(told.String(), "]:\ntesting.(*T).Run(") {
			t.Errorf("what waits is told of:\n%s", told.String())
		}
	})
}

func hang(begun chan<- struct{}, release <-chan struct{}) {
	close(begun)
	<-release
}
