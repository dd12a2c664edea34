package process

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

var much = flag.Int64("much", 64<<20, "bytes of output of the tests of much output")

// producers print a number of bytes as fast as anything does.
var producers = map[string]string{
	"zeros":    "head -c %d /dev/zero",
	"lines":    "yes 'a line of output, as a compiler prints it' | head -c %d",
	"one line": "head -c %d /dev/zero | tr '\\0' x",
}

// S0.29, S0.30, P23: however much a command prints, memory stays what it was,
// nothing holds it up, and nothing of it is miscounted. Beyond the limit of the
// file, bytes are only counted.
func TestMuch(t *testing.T) {
	for name, script := range producers {
		c := bash(t, fmt.Sprintf(script, *much))
		resident(t)
		before := resident(t)
		began := time.Now()
		r := mustRun(t, c)
		took, grown := time.Since(began), resident(t)-before
		t.Logf("%s: %d MB in %v, %d MB more memory", name, *much>>20, took.Round(time.Millisecond), grown>>20)
		if r.Exit != 0 || r.Output.Total[Stdout] != *much || r.Output.FileBytes != min(*much, MaxFile) || (r.Output.FileErr == ErrFileFull) != (*much > MaxFile) {
			t.Errorf("%s: exit %d, %d bytes, %d in the file, %v", name, r.Exit, r.Output.Total[Stdout], r.Output.FileBytes, r.Output.FileErr)
		}
		if grown > 20<<20 {
			t.Errorf("%s: %d bytes more memory", name, grown)
		}
		_ = os.Remove(r.Output.File) // they are large
	}
}

// resident returns the most memory that this process has used since it was last
// asked for.
func resident(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	kilobytes, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // else it is the most of all times, and the test milder
	return kilobytes << 10
}

// BenchmarkMuchBesideCat runs what prints -much bytes, and the same into a file
// by cat, which is the floor. The target is 1.5 times that.
func BenchmarkMuchBesideCat(b *testing.B) {
	for name, script := range producers {
		b.Run(name, func(b *testing.B) {
			script := fmt.Sprintf(script, *much)
			var ours, floor time.Duration
			for b.Loop() {
				began := time.Now()
				r := mustRun(b, bash(b, script))
				ours += time.Since(began)
				_ = os.Remove(r.Output.File)

				file := filepath.Join(b.TempDir(), "out")
				began = time.Now()
				if err := exec.Command("/bin/bash", "-c", script+" | cat >"+file).Run(); err != nil {
					b.Fatal(err)
				}
				floor += time.Since(began)
				_ = os.Remove(file)
			}
			b.ReportMetric(float64(ours)/float64(floor), "x_cat")
		})
	}
}
