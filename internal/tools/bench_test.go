package tools

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
)

func benchTool(b *testing.B, name, dir, args string) {
	for _, tool := range Builtin(Config{SpillDir: b.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}}) {
		if tool.Name != name {
			continue
		}
		in, err := tool.Check(json.RawMessage(args))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if r := tool.Run(context.Background(), ikigai.Call{Dir: dir, Args: in}); r.Failed {
				b.Fatal(r)
			}
		}
	}
}

func BenchmarkGrep(b *testing.B) {
	src := filepath.Join(goRoot(b), "src")
	for _, args := range []string{
		`{"pattern":"func \\(.*\\) ServeHTTP"}`, `{"pattern":"(?i)deadlock"}`, `{"pattern":"TODO"}`, `{"pattern":"[A-Z][a-z]+Error\\b"}`,
		`{"pattern":"\\b(read|write)_[a-z]+\\("}`, `{"pattern":"x*"}`, `{"pattern":"^\\s*[a-z]+ := [^a-z]+$"}`,
	} {
		b.Run(args, func(b *testing.B) { benchTool(b, "grep", src, args) })
	}
}

func BenchmarkGlob(b *testing.B) {
	benchTool(b, "glob", filepath.Join(goRoot(b), "src"), `{"pattern":"**/*_test.go"}`)
}

func BenchmarkBash(b *testing.B) { benchTool(b, "bash", b.TempDir(), `{"command":"true"}`) }

func BenchmarkFileRead(b *testing.B) {
	benchTool(b, "file_read", goRoot(b), `{"path":"src/net/http/server.go"}`)
}

// goRoot returns the directory of the Go distribution, a large tree that is
// there wherever the benchmarks run.
func goRoot(b *testing.B) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
