package exttool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"ikigai"
)

const examples = "../../examples/tools"

// need skips a test for which a program is missing; where tests must be whole,
// that is a failure.
func need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing", program)
	}
	t.Skipf("%s is missing", program)
}

// hostEnv is the environment in which the programs of the examples are found.
func hostEnv() []string { return []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"} }

// goTool builds the example in Go.
func goTool(t testing.TB) string {
	t.Helper()
	need(t, "go")
	path := filepath.Join(t.TempDir(), "outline")
	if out, err := exec.Command("go", "build", "-o", path, "ikigai/examples/tools/outline").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// S0.31: every example keeps every rule of the protocol, and answers what it
// declares, in each of four languages.
func TestExamples(t *testing.T) {
	work := t.TempDir()
	for name, content := range map[string]string{
		"a.csv": "name;n\nä;1\nö;2.5\n", "a.json": `{"users":[{"name":"Ä"}]}`, "a.go": "package a\n\nfunc Shown(int) {}\n\nfunc hidden() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		tool, needs, input, want string
		skipped                  int
	}{
		{"bash", "bash", `{"command":"printf 'ä\\n'"}`, `{"stdout":"ä\n","stderr":"","exit_code":0,"truncated":false}`, 1},
		{"csv_peek", "python3", `{"path":"` + work + `/a.csv"}`,
			`{"columns": [{"name": "name", "kind": "text", "empty": 0}, {"name": "n", "kind": "number", "empty": 0}],"rows": [["ä", "1"], ["ö", "2.5"]],"count": 2}`, 0},
		{"json_get", "node", `{"path":"` + work + `/a.json","at":"users.0.name"}`, `{"type":"string","value":"Ä"}`, 0},
		{"outline", "go", `{"path":"` + work + `/a.go"}`, fmt.Sprintf(`{"output":%q,"files":1,"count":1}`, work+"/a.go\n    3  func Shown(int)\n"), 1},
	} {
		t.Run(test.tool, func(t *testing.T) {
			need(t, test.needs)
			dir, err := filepath.Abs(examples)
			if err != nil {
				t.Fatal(err)
			}
			if test.tool == "outline" {
				dir = filepath.Dir(goTool(t))
			}
			report, err := Check(context.Background(), filepath.Join(dir, test.tool), Trial{Env: hostEnv(), Input: test.input})
			if err != nil {
				t.Fatal(err)
			}
			for _, rule := range breaks(report) {
				t.Errorf("%+v", rule)
			}
			if len(report.Rules) != 19 || report.Count(Skip) != test.skipped {
				t.Errorf("%d rules: %+v", len(report.Rules), report.Rules)
			}
			tool := named(t, dir, test.tool)
			r := call(t, tool, test.input)
			if r.Failed || text(r) != test.want {
				t.Errorf("%+v, want %s", r, test.want)
			}
			fits(t, tool, text(r))
		})
	}
}

// named returns a tool of a directory.
func named(t testing.TB, dir, name string) Tool {
	t.Helper()
	set := loaded(Config{Dirs: []Dir{{Path: dir}}, Env: hostEnv()})
	for _, tool := range set.List() {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no %s: %s", name, problems(set))
	return Tool{}
}

// fits holds an output against what the tool declares.
func fits(t testing.TB, tool Tool, output string) {
	t.Helper()
	var s jsonschema.Schema
	var value any
	if err := json.Unmarshal(tool.Returns, &s); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(output), &value); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Error(err)
	}
}

// split is what the bash of the seed answers.
type split struct {
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Exit      int    `json:"exit_code"`
	Truncated bool   `json:"truncated"`
	Error     string `json:"error"`
	Code      string `json:"error_code"`
}

// The bash of the seed, as an executable.
func TestBash(t *testing.T) {
	need(t, "bash")
	dir, err := filepath.Abs(examples)
	if err != nil {
		t.Fatal(err)
	}
	tool := named(t, dir, "bash")
	work := t.TempDir()
	x := strings.Repeat
	cut := func(data string, limit, kilobytes, more int) string {
		return fmt.Sprintf("%s\n... [%s more bytes] ...\n%s\n\n[OUTPUT TRUNCATED - exceeded %dKB limit]",
			data[:limit/2], grouped(more), data[len(data)-limit/2:], kilobytes)
	}
	for _, test := range []struct {
		name, command string
		want          split
	}{
		{"lines", "echo a; echo b", split{Stdout: "a\nb\n"}},                                                                                    // S0.19
		{"no such file", "cat config.json", split{Stderr: "cat: config.json: No such file or directory\n", Exit: 1}},                            // S0.20
		{"no such command", "no-such-command", split{Stderr: "bash: line 1: no-such-command: command not found\n", Exit: 127}},                  // S0.21
		{"pipeline", "grep -r 'TODO' . --include='*.c' | sort || true", split{}},                                                                // S0.24
		{"quotes", `printf '%s|' "a \"b\" \\ $((1+1))" 'ä\n' "é & %s" '/'`, split{Stdout: `a "b" \ 2|ä\n|é & %s|/|`}},                           // S0.14
		{"exactly the limit", "head -c 10240 /dev/zero | tr '\\0' x", split{Stdout: x("x", 10240)}},                                             // S0.27
		{"one more", "head -c 10241 /dev/zero | tr '\\0' x", split{Stdout: cut(x("x", 10241), 10240, 10, 1), Truncated: true}},                  // S0.25
		{"errors", "head -c 5000 /dev/zero | tr '\\0' x >&2; exit 7", split{Stderr: cut(x("x", 5000), 4096, 4, 904), Exit: 7, Truncated: true}}, // S0.26
		{"both huge", "head -c 3000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2; exit 3", split{ // S0.29
			Stdout: cut(x("x", 10240), 10240, 10, 3000000-10240), Stderr: cut(x("y", 4096), 4096, 4, 3000000-4096), Exit: 3, Truncated: true}},
		{"no text", `printf 'a\xffb\000\001'`, split{Stdout: "ab\x01"}},
		{"background", "sleep 1000 & echo hi", split{Stdout: "hi\n"}},
		{"input", "cat", split{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := tool.Run(context.Background(), ikigai.Call{Dir: work, Args: encode(map[string]any{"command": test.command, "timeout": 20})})
			var got split
			if err := json.Unmarshal([]byte(text(r)), &got); err != nil || r.Failed {
				t.Fatalf("%v: %+v", err, r)
			}
			if got != test.want {
				t.Errorf("%.300q, want %.300q", fmt.Sprint(got), fmt.Sprint(test.want))
			}
			fits(t, tool, text(r))
		})
	}
	t.Run("time", func(t *testing.T) {
		var got split
		r := tool.Run(context.Background(), ikigai.Call{Dir: work, Args: json.RawMessage(`{"command":"echo a; sleep 1000","timeout":3}`)})
		if err := json.Unmarshal([]byte(text(r)), &got); err != nil || got.Code != "TOOL_TIMEOUT" || got.Stdout != "a\n" || !r.Failed {
			t.Errorf("%v: %s", err, text(r))
		}
	})
	t.Run("characters", func(t *testing.T) { // S0.28
		var got split
		r := tool.Run(context.Background(), ikigai.Call{Dir: work, Args: json.RawMessage(`{"command":"printf x; for i in {1..9000}; do printf 世; done"}`)})
		if err := json.Unmarshal([]byte(text(r)), &got); err != nil || !got.Truncated || !utf8.ValidString(got.Stdout) || strings.ContainsRune(got.Stdout, utf8.RuneError) {
			t.Errorf("%v: %s", err, text(r))
		}
	})
	t.Run("escapes", func(t *testing.T) {
		var got split
		args := `{"command":"printf '%s' '\u00e4\ud83d\ude00\/\t\"\\\\'", "working_dir":"\/"}`
		if r := call(t, tool, args); json.Unmarshal([]byte(text(r)), &got) != nil || got.Stdout != "ä😀/\t\"\\\\" {
			t.Errorf("%s", text(r))
		}
	})
}

// grouped returns n with commas between groups of three digits.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
