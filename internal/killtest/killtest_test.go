//go:build linux && (amd64 || arm64)

package killtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// script is a program that writes, renames, removes and starts another one.
const script = `
echo 1 >> lines
echo 2 >> lines
mkdir new
echo 3 >> lines
`

// program returns a shell that runs script in a directory of its own.
func program(t *testing.T, launcher string) Program {
	t.Helper()
	dir := t.TempDir()
	terminal, err := os.OpenFile(filepath.Join(dir, "terminal"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return Program{
		Launcher: launcher, Path: "/bin/sh", Args: []string{"-c", script}, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")},
		Terminal: terminal, Patience: 30 * time.Second,
		Class: func(c Call) string {
			switch {
			case c.Name == "execve" && filepath.Base(c.On) == "mkdir" && c.Tool:
				return "tool"
			case c.On == filepath.Join(dir, "new"):
				return "directory"
			case c.On == filepath.Join(dir, "lines") && c.Name == "write":
				return "line"
			}
			return ""
		},
	}
}

// build returns the path of the program in a directory, built.
func build(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(dir))
	if out, err := exec.Command("go", "build", "-o", path, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// run runs p, where programs can be traced.
func run(t *testing.T, p Program) Outcome {
	t.Helper()
	o, err := Run(p)
	if errors.Is(err, unix.EPERM) && os.Getenv("CI") == "" {
		t.Skipf("no program can be traced here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestRun(t *testing.T) {
	launcher := build(t, "./launch")
	t.Run("points", func(t *testing.T) { everyPoint(t, launcher) })
	t.Run("unreached", func(t *testing.T) { unreached(t, launcher) })
	t.Run("patience", func(t *testing.T) { endless(t, launcher) })
	t.Run("threads", func(t *testing.T) { endOfThreads(t, launcher) })
}

// everyPoint checks that a program is killed exactly before or after a call: the
// call has happened or it has not, those before it have, those after it never
// do. A tool lives on.
func everyPoint(t *testing.T, launcher string) {
	o := run(t, program(t, launcher))
	if o.Reached || !o.Status.Exited() || o.Status.ExitStatus() != 0 {
		t.Errorf("outcome %+v", o)
	}
	var classes []string
	for _, c := range o.Calls {
		classes = append(classes, c.Class)
	}
	if diff := cmp.Diff([]string{"line", "line", "tool", "directory", "line"}, classes); diff != "" {
		t.Fatal(diff)
	}
	points := Points(o, o)
	if len(points) != 2*len(classes) {
		t.Errorf("points %v", points)
	}
	// What there is at each point: lines, and the directory.
	want := map[string]string{
		"before line 1": "", "after line 1": "1", "before line 2": "1", "after line 2": "1 2",
		"before tool 1": "1 2 new", "after tool 1": "1 2 new", "before directory 1": "1 2 new", "after directory 1": "1 2 new",
		"before line 3": "1 2 new", "after line 3": "1 2 3 new",
	}
	for _, point := range points {
		t.Run(point.String(), func(t *testing.T) {
			p := program(t, launcher)
			p.Kill = &point
			if o := run(t, p); !o.Reached || !o.Status.Signaled() || o.Status.Signal() != unix.SIGKILL {
				t.Errorf("outcome %+v", o)
			}
			lines, _ := os.ReadFile(filepath.Join(p.Dir, "lines"))
			got := strings.Fields(string(lines))
			if _, err := os.Stat(filepath.Join(p.Dir, "new")); err == nil {
				got = append(got, "new")
			}
			if diff := cmp.Diff(want[point.String()], strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// unreached checks that a point that does not come lets the program run to its
// end.
func unreached(t *testing.T, launcher string) {
	p := program(t, launcher)
	p.Kill = &Point{Class: "line", N: 4}
	if o := run(t, p); o.Reached || o.Status.ExitStatus() != 0 {
		t.Errorf("outcome %+v", o)
	}
}

// endless checks that nothing waits for ever.
func endless(t *testing.T, launcher string) {
	p := program(t, launcher)
	p.Args, p.Patience = []string{"-c", "exec sleep 1000"}, 50*time.Millisecond
	o, err := Run(p)
	if err == nil || !strings.Contains(err.Error(), "did not end within 50ms") || !o.Status.Signaled() {
		t.Errorf("outcome %+v, error %v", o, err)
	}
}

// endOfThreads checks that a program which one thread ends while others stand
// still before their calls is followed to its end.
func endOfThreads(t *testing.T, launcher string) {
	threads := build(t, "./testdata/threads")
	for range 50 {
		p := program(t, launcher)
		p.Path, p.Args = threads, nil
		if o := run(t, p); o.Status.ExitStatus() != 3 {
			t.Fatalf("outcome %+v", o)
		}
	}
}
