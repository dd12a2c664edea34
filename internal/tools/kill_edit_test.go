//go:build linux && (amd64 || arm64)

package tools

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ikigai"
	"ikigai/internal/killtest"
)

const asChild = "IKIGAI_TEST_EDITS"

// TestEditChild is the program that TestKilled kills: it makes the calls that its
// environment tells, in its working directory.
func TestEditChild(t *testing.T) {
	name, args, ok := strings.Cut(os.Getenv(asChild), " ")
	if !ok {
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range Builtin(Config{}) {
		if tool.Name == name {
			if r := tool.Run(t.Context(), ikigai.Call{Dir: dir, Args: json.RawMessage(args)}); r.Failed {
				t.Fatal(text(r))
			}
		}
	}
}

// P14: wherever a process is killed while it changes a file, before and after
// each call that changes anything, the old content or the new one is there whole.
// What it leaves behind is gone after the next write.
func TestKilled(t *testing.T) {
	t.Parallel()
	launcher := filepath.Join(t.TempDir(), "launch")
	if out, err := exec.Command("go", "build", "-o", launcher, "ikigai/internal/killtest/launch").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	old := strings.Repeat("some text\n", 10_000) + "NEEDLE\n"
	for args, new := range map[string]string{
		"file_edit " + oneEdit("NEEDLE", "THREAD"):                    strings.Replace(old, "NEEDLE", "THREAD", 1),
		"file_edit " + everyEdit("some", "any"):                       strings.ReplaceAll(old, "some", "any"),
		"file_write {\"path\":\"f\",\"content\":\"" + "short" + "\"}": "short",
	} {
		whole, got := killed(t, launcher, old, args, nil)
		if got != new {
			t.Fatalf("%s: %.40q, %+v", args, got, whole)
		}
		points := killtest.Points(whole)
		if len(points) < 8 { // created, written, synced, renamed
			t.Fatalf("%s: %d points", args, len(points))
		}
		seen := map[string]bool{}
		for _, p := range points {
			if _, got := killed(t, launcher, old, args, &p); got != old && got != new {
				t.Errorf("%s, killed %s: %d bytes, %.40q…", args, p, len(got), got)
			} else {
				seen[got] = true
			}
		}
		if len(seen) != 2 {
			t.Errorf("%s: every death left the same", args)
		}
	}
}

// killed runs a child that makes a call in a new directory, where f holds old,
// and kills it at a point. It returns what f holds then.
func killed(t *testing.T, launcher, old, args string, at *killtest.Point) (killtest.Outcome, string) {
	t.Helper()
	b := newBench(t, Config{})
	b.write("f", old)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	screen, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	outcome, err := killtest.Run(killtest.Program{
		Launcher: launcher, Path: self, Args: []string{"-test.run=^TestEditChild$"}, Dir: b.dir, Env: []string{asChild + "=" + args},
		Terminal: screen, Kill: at, Patience: time.Minute,
		Class: func(c killtest.Call) string {
			if filepath.Dir(c.On) == b.dir {
				return "file"
			}
			return ""
		},
	})
	if errors.Is(err, unix.EPERM) && os.Getenv("CI") == "" {
		t.Skipf("no program can be traced here: %v", err)
	}
	if err != nil || outcome.Reached != (at != nil) {
		t.Fatalf("%v, %+v", err, outcome)
	}
	content := b.read("f")
	b.sweeps()
	return outcome, content
}

// sweeps checks that a write removes what was left behind, once that is old.
func (b *bench) sweeps() {
	b.t.Helper()
	left, err := filepath.Glob(filepath.Join(b.dir, ".f.ikigai-*"))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, path := range left {
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-2*leftoverAge)); err != nil {
			b.t.Fatal(err)
		}
	}
	b.call("file_write", `{"path":"g","content":""}`)
	b.onlyFiles("f", "g")
}
