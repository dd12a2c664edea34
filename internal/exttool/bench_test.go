package exttool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ikigai"
)

// BenchmarkCall measures a call against a bare fork, exec and pipe of the same
// program, each by its median. The target is 1.5 times.
func BenchmarkCall(b *testing.B) {
	dir := b.TempDir()
	path := write(b, dir, "greet", greet)
	tool := only(b, load(b, dir))
	args := json.RawMessage(`{"who":"me"}`)
	var ours, bare []time.Duration
	for b.Loop() {
		began := time.Now()
		if r := tool.Run(context.Background(), ikigai.Call{Dir: dir, Args: args}); r.Failed {
			b.Fatal(text(r))
		}
		between := time.Now()
		cmd := exec.Command(path, string(args))
		cmd.Dir, cmd.Env, cmd.Stdin = dir, env(), bytes.NewReader(args)
		var out, err bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &err
		if err := cmd.Run(); err != nil || !json.Valid(out.Bytes()) {
			b.Fatal(err)
		}
		bare = append(bare, time.Since(between))
		ours = append(ours, between.Sub(began))
	}
	b.ReportMetric(float64(median(ours))/float64(median(bare)), "times-bare")
	b.ReportMetric(float64(median(bare).Microseconds()), "bare-µs")
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// BenchmarkLoad100 measures what a hundred tools that are known cost at the
// start. The target is 5 ms.
func BenchmarkLoad100(b *testing.B) {
	for _, count := range []int{0, 100} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			root := b.TempDir()
			cfg := Config{Dirs: []Dir{{Path: filepath.Join(root, "tools")}}, Env: env(), Cache: filepath.Join(root, "cache")}
			for i := range count {
				name := fmt.Sprintf("tool_%d", i)
				path := write(b, cfg.Dirs[0].Path, name, script(name, `,"parameters":{"type":"object","properties":{`+
					`"path":{"type":"string","description":"Where to begin, the working directory if nothing is said"},"limit":{"type":"integer","default":100}},"required":["path"]}`, "echo '{}'"))
				if i == count-1 {
					age(b, path)
				}
			}
			for first := Load(b.Context(), cfg); len(first.Tools()) < count; first.Refresh(b.Context()) {
			}
			b.ResetTimer()
			for b.Loop() {
				if set := Load(b.Context(), cfg); len(set.Tools()) != count {
					b.Fatal(problems(set))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
		})
	}
}

// BenchmarkRefresh measures what a hundred tools cost between statements.
func BenchmarkRefresh(b *testing.B) {
	dir := b.TempDir()
	for i := range 100 {
		name := fmt.Sprintf("tool_%d", i)
		write(b, dir, name, script(name, "", "echo '{}'"))
	}
	set := load(b, dir)
	for len(set.Tools()) < 100 {
		set.Refresh(b.Context())
	}
	for b.Loop() {
		if set.Refresh(b.Context()) {
			b.Fatal("nothing has changed")
		}
	}
}
