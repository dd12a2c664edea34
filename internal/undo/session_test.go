package undo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ikigai"
	"ikigai/internal/preimage"
)

// fake is a session that changes files in a directory, with an agent's way of
// recording it.
type fake struct {
	t       testing.TB
	dir     string
	events  []ikigai.Event
	blobs   map[string][]byte
	calls   int
	watcher *Watcher
	notices []string
}

func newFake(t testing.TB) *fake {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &fake{t: t, dir: dir, blobs: map[string][]byte{}}
}

// watch begins to watch the directory.
func (f *fake) watch(limit int64) { f.watchWith(Config{Limit: limit}) }

func (f *fake) watchWith(c Config) {
	c.Dir, c.Env, c.Notice = f.dir, os.Environ(), func(text string) { f.notices = append(f.notices, text) }
	f.watcher = Watch(context.Background(), c)
	f.watcher.Begin()
	f.t.Cleanup(f.watcher.Close)
}

func (f *fake) record(_ context.Context, events ...ikigai.Event) error {
	for _, e := range events {
		e.Seq, e.Time = ikigai.Seq(len(f.events)+1), ikigai.MicrosOf(time.Now())
		for _, b := range e.Blobs {
			if sum := sha256.Sum256(b.Bytes); hex.EncodeToString(sum[:]) != b.Hash {
				f.t.Fatalf("the blob of %s has another hash", e.Content)
			}
			f.blobs[b.Hash] = b.Bytes
		}
		f.events = append(f.events, e)
	}
	return nil
}

func (f *fake) blob(_ context.Context, hash string) ([]byte, error) {
	b, ok := f.blobs[hash]
	if !ok {
		return nil, ikigai.ErrNotFound
	}
	return b, nil
}

func (f *fake) state() string { return snapshot(f.t, f.dir) }

// say begins a statement.
func (f *fake) say(text string) {
	_ = f.record(context.Background(), ikigai.NewEvent(ikigai.KindUser, text, nil))
}

func (f *fake) call(name string) string {
	f.calls++
	id := fmt.Sprintf("call_%d", f.calls)
	_ = f.record(context.Background(), ikigai.NewEvent(ikigai.KindToolCall, name,
		ikigai.ToolCallData{ID: id, Type: "function", Function: ikigai.ToolCallFunction{Name: name, Arguments: "{}"}}))
	return id
}

func (f *fake) result(id string, resources ...ikigai.Resource) {
	_ = f.record(context.Background(), ikigai.NewEvent(ikigai.KindToolResult, "",
		ikigai.ToolResultData{ToolCallID: id, Output: "{}", Success: true, Resources: resources}))
}

// write writes a file as file_write does.
func (f *fake) write(name, content string) {
	f.t.Helper()
	id := f.call("file_write")
	path := f.intend(id, name)
	f.replace(path, content)
	sum := sha256.Sum256([]byte(content))
	f.result(id, ikigai.Resource{URI: path, Changed: true, SHA256: hex.EncodeToString(sum[:])})
}

func (f *fake) intend(id, name string) string {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	data, blobs, err := preimage.Take(path, filepath.Join(f.dir, "../kept"))
	if err != nil {
		f.t.Fatal(err)
	}
	data.CallID = id
	e := ikigai.NewEvent(ikigai.KindChange, path, data)
	e.Blobs = blobs
	_ = f.record(context.Background(), e)
	return path
}

func (f *fake) replace(path, content string) {
	f.t.Helper()
	mode := fs.FileMode(0o644)
	if info, err := os.Lstat(path); err == nil {
		mode = info.Mode().Perm()
	}
	must(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
	made := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+unfinished+"X")
	must(f.t, os.WriteFile(made, []byte(content), mode))
	must(f.t, os.Chmod(made, mode))
	must(f.t, os.Rename(made, path))
}

// shell runs a command as bash does.
func (f *fake) shell(command string) {
	f.t.Helper()
	id := f.call("bash")
	after := f.before(id)
	run(f.t, f.dir, command)
	f.result(id)
	if after != nil {
		after(context.Background())
	}
}

// before tells the watcher that a command is about to run.
func (f *fake) before(id string) (after func(context.Context)) {
	return f.watcher.Before(context.Background(), id, func(events ...ikigai.Event) { _ = f.record(context.Background(), events...) })
}

// run runs a shell command that need not succeed.
func run(t testing.TB, dir, command string) string {
	t.Helper()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%v: %s", err, out)
	}
	return string(out)
}

func (f *fake) ledger() *Ledger {
	l := &Ledger{}
	for _, e := range f.events {
		e.Blobs = nil
		l.Add(e)
	}
	return l
}

func (f *fake) worker() *Worker {
	return &Worker{Blob: f.blob, Record: f.record, KeepDir: filepath.Join(f.dir, "../kept")}
}

// apply makes of the files what a plan says.
func (f *fake) apply(p Plan, ok bool) []Step {
	f.t.Helper()
	if !ok {
		f.t.Fatal("there is nothing to take back")
	}
	w := f.worker()
	before := f.state()
	steps, err := w.Look(context.Background(), p)
	must(f.t, err)
	if f.state() != before {
		f.t.Fatal("looking has changed something")
	}
	steps, err = w.Apply(context.Background(), p, steps)
	must(f.t, err)
	return steps
}

// undo takes the last statement back; what is left is named.
func (f *fake) undo() string {
	f.t.Helper()
	return told(f.apply(f.ledger().Last()))
}

func (f *fake) redo() string {
	f.t.Helper()
	return told(f.apply(f.ledger().Redo()))
}

// told names what is left, and why.
func told(steps []Step) string {
	var left []string
	for _, s := range steps {
		if s.Action == Left || s.Action == Failed {
			left = append(left, filepath.Base(s.Path)+": "+s.Reason)
		}
	}
	return strings.Join(left, "; ")
}

// snapshot describes all files of a directory but git's own.
func snapshot(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" && d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		name, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		must(t, err)
		switch {
		case d.IsDir():
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			must(t, err)
			fmt.Fprintf(&b, "%s -> %s\n", name, target)
		default:
			content, err := os.ReadFile(path)
			must(t, err)
			if len(content) > 1<<10 {
				content = fmt.Appendf(nil, "%d bytes, %x", len(content), sha256.Sum256(content))
			}
			fmt.Fprintf(&b, "%s %o %q\n", name, preimage.Mode(info.Mode()), content)
		}
		return nil
	}))
	return b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
