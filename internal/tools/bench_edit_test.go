package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"ikigai"
)

// copyDurably is what any program has to do that keeps a file before it changes
// it, or writes it anew: a copy that is on the disk.
func copyDurably(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}

// bigFile makes a file of so many bytes, whose text in the middle is there once.
func bigFile(tb testing.TB, dir string, size int) string {
	line := []byte("some text that is on every line of the file, more or less\n")
	text := bytes.Repeat(line, size/len(line))
	copy(text[len(text)/2:], "NEEDLE")
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

// An edit of a large file, beside two copies of it that are on the disk: the
// pre-image, and the file itself. Their ratio is not to be over 1.5.
func BenchmarkFileEdit(b *testing.B) {
	dir := b.TempDir()
	path := bigFile(b, dir, 100<<20)
	keep := func(context.Context, string) error { return copyDurably(path, filepath.Join(dir, "kept")) }
	known := ""
	var tool ikigai.Tool
	for _, t := range Builtin(Config{Known: func(string) (string, bool) { return known, known != "" }}) {
		if t.Name == "file_edit" {
			tool = t
		}
	}
	edits := []string{oneEdit("NEEDLE", "THREAD, LONGER"), oneEdit("THREAD, LONGER", "NEEDLE")}
	var floor, edit time.Duration
	n := 0
	for b.Loop() {
		began := time.Now()
		for _, to := range []string{"one", "two"} {
			if err := copyDurably(path, filepath.Join(dir, to)); err != nil {
				b.Fatal(err)
			}
		}
		floor += time.Since(began)
		began = time.Now()
		r := tool.Run(b.Context(), ikigai.Call{Dir: dir, Args: json.RawMessage(edits[n%2]), Intend: keep})
		edit += time.Since(began)
		if n++; r.Failed || r.Note != "" {
			b.Fatal(text(r), r.Note)
		}
		known = r.Resources[0].SHA256
	}
	b.ReportMetric(edit.Seconds()/float64(n), "s/edit")
	b.ReportMetric(floor.Seconds()/float64(n), "s/floor")
	b.ReportMetric(edit.Seconds()/floor.Seconds(), "ratio")
}

// An edit has no more than twice the file in memory, and one place changed does
// with little more than the file. What is allocated for each place, more under
// the race detector, is less than another copy.
func TestFileEditMemory(t *testing.T) {
	const size = 16 << 20
	b := newBench(t, Config{})
	for args, most := range map[string]float64{oneEdit("NEEDLE", "THREAD"): 1.1, everyEdit("more or less", "less"): 2.8, everyEdit(" less\n", "\n"): 2.8} {
		bigFile(t, b.dir, size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := b.call("file_edit", args)
		runtime.ReadMemStats(&after)
		if r.Failed {
			t.Fatal(text(r))
		}
		if files := float64(after.TotalAlloc-before.TotalAlloc) / size; files > most {
			t.Errorf("%s: %.2f times the file was allocated", args, files)
		} else {
			t.Logf("%s: %.2f", args, files)
		}
	}
}
