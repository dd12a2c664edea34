package exttool

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"ikigai"
)

var soak = flag.Int("soak", 150, "calls of the test that nothing is left behind")

// However many calls there are, they leave nothing behind: no process, no
// goroutine, no open file, no file on the disk (P21).
func TestNothingLeftBehind(t *testing.T) {
	dir, work := t.TempDir(), t.TempDir()
	mark := "EXTTOOL_SOAK=" + filepath.Base(filepath.Dir(work))
	write(t, dir, "a", script("a", `,"timeout":20`, `sleep 1000 >/dev/null 2>&1 & head -c 70000 /dev/zero | tr '\0' x >&2; printf '{"a":1}'`))
	write(t, dir, "b", script("b", `,"timeout":20`, `sleep 1000 >/dev/null 2>&1 & exit 3`))
	set := loaded(Config{Dirs: []Dir{{Path: dir}}, Env: append(env(), mark), SpillDir: filepath.Join(work, "spill")})
	defer set.Close()
	count := func() (goroutines, files int) {
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err) // a system without /proc
		}
		return runtime.NumGoroutine(), len(open)
	}
	calls := func(n int) {
		for i := range n {
			tool := set.List()[i%2]
			if r := tool.Run(context.Background(), ikigai.Call{Dir: work, Args: json.RawMessage(`{}`)}); r.Failed != (tool.Name == "b") {
				t.Fatalf("%d: %s", i, text(r))
			}
		}
	}
	calls(2)
	goroutines, files := count()
	calls(*soak)
	for g, _ := count(); g > goroutines; g, _ = count() { // the last are just ending
		runtime.Gosched()
	}
	if _, now := count(); now > files {
		t.Errorf("%d open files, %d before", now, files)
	}
	if left := marked(mark); len(left) > 0 {
		t.Errorf("processes: %v", left)
	}
	for _, where := range []string{work, filepath.Join(work, "spill")} {
		entries, err := os.ReadDir(where)
		if err != nil {
			t.Fatal(err) // one is made for standard error, and is empty again
		}
		for _, entry := range entries {
			if entry.Name() != "spill" {
				t.Errorf("left behind: %s in %s", entry.Name(), where)
			}
		}
	}
}
