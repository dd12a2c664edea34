package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ikigai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a directory with tools that work on it. // S2.82
type bench struct {
	t     testing.TB
	dir   string
	tools map[string]ikigai.Tool
}

func newBench(t testing.TB, cfg Config) *bench {
	if cfg.Env == nil {
		cfg.Env = []string{"PATH=/usr/bin:/bin"}
	}
	b := &bench{t: t, dir: t.TempDir(), tools: map[string]ikigai.Tool{}}
	for _, tool := range Builtin(cfg) {
		b.tools[tool.Name] = tool
	}
	return b
}

// write makes files of paths and contents in turn.
func (b *bench) write(pairs ...string) {
	b.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(b.dir, pairs[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(pairs[i+1]), 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) read(path string) string {
	b.t.Helper()
	raw, err := os.ReadFile(filepath.Join(b.dir, path))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(raw)
}

// call runs a tool as the loop does: with input that was checked.
func (b *bench) call(name, args string) ikigai.Result {
	b.t.Helper()
	return b.callWith(context.Background(), name, args, ikigai.Call{})
}

func (b *bench) callWith(ctx context.Context, name, args string, call ikigai.Call) ikigai.Result {
	b.t.Helper()
	tool := b.tools[name]
	in, err := tool.Check(json.RawMessage(args))
	if err != nil {
		b.t.Fatalf("%s %s: %v", name, args, err)
	}
	call.Dir, call.Args = b.dir, in
	return tool.Run(ctx, call)
}

// want calls a tool and compares its output, a JSON text.
func (b *bench) want(name, args, output, report string) ikigai.Result {
	b.t.Helper()
	r := b.call(name, args)
	if diff := cmp.Diff(output, text(r)); diff != "" {
		b.t.Errorf("%s %s: output (-want +got):\n%s", name, args, diff)
	}
	if r.Report != report {
		b.t.Errorf("%s %s: report %q, want %q", name, args, r.Report, report)
	}
	if failed := strings.Contains(output, `"error"`); failed != r.Failed {
		b.t.Errorf("%s %s: failed is %v", name, args, r.Failed) // D14
	}
	return r
}

func text(r ikigai.Result) string {
	if len(r.Output) != 1 {
		return ""
	}
	return r.Output[0].Text
}

// field returns a string of the output.
func field(t testing.TB, r ikigai.Result, name string) string {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text(r)), &out); err != nil {
		t.Fatalf("%s: %v", text(r), err)
	}
	s, _ := out[name].(string)
	return s
}

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// S2.11, S2.74, S3.1: five tools in this order and the others behind them, with nothing configured, each
// with a schema of an object that refuses what it does not know.
func TestList(t *testing.T) {
	var names []string
	for _, tool := range Builtin(Config{}) {
		names = append(names, tool.Name)
		var s struct {
			Type                 string
			Properties           map[string]struct{ Type string }
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(tool.Schema, &s); err != nil || s.Type != "object" || s.AdditionalProperties == nil || *s.AdditionalProperties {
			t.Errorf("%s: schema %s: %v", tool.Name, tool.Schema, err)
		}
		for name, p := range s.Properties {
			if p.Type == "" {
				t.Errorf("%s: %s has no type", tool.Name, name)
			}
		}
		if tool.ReadOnly == slices.Contains([]string{"bash", "file_edit", "file_write", "job_stop"}, tool.Name) {
			t.Errorf("%s: read-only is %v", tool.Name, tool.ReadOnly)
		}
		if _, err := tool.Check(json.RawMessage(`{"nonsense":1}`)); err == nil || !strings.Contains(err.Error(), "nonsense is not a parameter") { // S3.6
			t.Errorf("%s: %v", tool.Name, err)
		}
	}
	if diff := cmp.Diff([]string{"glob", "file_read", "grep", "file_write", "bash"}, names[:5]); diff != "" || !slices.IsSorted(names[5:]) {
		t.Errorf("%v\n%s", names, diff)
	}
}

// The tool list is what every request pays for.
func TestListSize(t *testing.T) {
	type function struct {
		Type     string          `json:"type"`
		Function ikigai.ToolSpec `json:"function"`
	}
	var list []function
	for _, tool := range Builtin(Config{}) {
		spec := ikigai.ToolSpec{Name: tool.Name, Description: tool.Description, Schema: tool.Schema}
		list = append(list, function{"function", spec})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", b.Len())
	if b.Len() > 4300 {
		t.Errorf("the tool list has %d bytes", b.Len())
	}
}

// twoSentences is the form of every error.
var twoSentences = regexp.MustCompile(`(?s)^[A-Z].*\. [A-Z].*[^.]\.$`)

// S1.26, S2.61, S2.69, S2.70: what failed, and what to do.
func TestErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t, Config{})
	b.write("file", "x", "binary", "a\x00b", "read-only", "x")
	if err := os.Chmod(filepath.Join(b.dir, "read-only"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(b.dir, "loop")); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 300)
	for _, tc := range []struct{ name, args, code, what string }{
		{"file_read", `{"path":"missing"}`, "FILE_NOT_FOUND", "File not found: missing. Check the path exists."}, // S1.27
		{"file_read", `{"path":"."}`, "IS_DIRECTORY", "."},
		{"file_read", `{"path":"file/x"}`, "NOT_A_DIRECTORY", "file/x"},
		{"file_read", `{"path":"loop"}`, "FILE_ERROR", "loop"},
		{"file_read", `{"path":"` + long + `"}`, "FILE_ERROR", "file name too long"},
		{"file_read", `{"path":"a\u0000b"}`, "FILE_ERROR", "invalid argument"},
		{"file_read", `{"path":"/dev/zero"}`, "NOT_A_FILE", "/dev/zero is a device"},
		{"file_read", `{"path":"binary"}`, "BINARY_FILE", "binary"},
		{"file_read", `{"path":"file","offset":2}`, "PAST_END", "file has no line 2: it has 1 line"},
		{"glob", `{"pattern":"*","path":"missing"}`, "FILE_NOT_FOUND", "missing"},
		{"glob", `{"pattern":"*","path":"file"}`, "NOT_A_DIRECTORY", "file"},
		{"glob", `{"pattern":"[a"}`, "BAD_PATTERN", "[a"},
		{"grep", `{"pattern":"x","path":"missing"}`, "FILE_NOT_FOUND", "File not found: missing. Check the path exists."},
		{"grep", `{"pattern":"x","path":"binary"}`, "BINARY_FILE", "binary"},
		{"grep", `{"pattern":"x","path":"/dev/null"}`, "NOT_A_FILE", "/dev/null"},
		{"grep", `{"pattern":"x","glob":"{a"}`, "BAD_PATTERN", "{a"},
		{"grep", `{"pattern":"a(b"}`, "BAD_PATTERN", "missing closing ) at a(b"}, // S2.66
		{"grep", `{"pattern":"(?=x)"}`, "BAD_PATTERN", "(?="},
		{"grep", `{"pattern":"a\nb"}`, "BAD_PATTERN", "line break"},
		{"file_write", `{"path":".","content":""}`, "IS_DIRECTORY", "."},
		{"file_write", `{"path":"new/","content":""}`, "IS_DIRECTORY", "new/"},
		{"file_write", `{"path":"file/x","content":""}`, "NOT_A_DIRECTORY", "file/x"},
		{"file_write", `{"path":"/dev/null","content":""}`, "NOT_A_FILE", "/dev/null"},
		{"file_write", `{"path":"read-only","content":""}`, "PERMISSION_DENIED", "read-only"},
		{"file_write", `{"path":"loop","content":""}`, "FILE_ERROR", "loop"},
		{"file_write", `{"path":"/proc/x","content":""}`, "FILE_NOT_FOUND", "/proc/x"},
		{"file_write", `{"path":"` + long + `","content":""}`, "FILE_ERROR", "file name too long"},
		{"file_edit", `{"path":".","edits":[{"old":"a","new":"b"}]}`, "IS_DIRECTORY", "."},
		{"file_edit", `{"path":"","edits":[{"old":"a","new":"b"}]}`, "IS_DIRECTORY", ""},
		{"file_write", `{"path":"","content":""}`, "IS_DIRECTORY", ""},
		{"file_edit", `{"path":"missing","edits":[{"old":"a","new":"b"}]}`, "FILE_NOT_FOUND", "missing"},
		{"file_edit", `{"path":"file/x","edits":[{"old":"a","new":"b"}]}`, "NOT_A_DIRECTORY", "file/x"},
		{"file_edit", `{"path":"/dev/zero","edits":[{"old":"a","new":"b"}]}`, "NOT_A_FILE", "/dev/zero"},
		{"file_edit", `{"path":"read-only","edits":[{"old":"x","new":"b"}]}`, "PERMISSION_DENIED", "read-only"},
		{"file_edit", `{"path":"binary","edits":[{"old":"a","new":"b"}]}`, "BINARY_FILE", "binary"},
		{"file_edit", `{"path":"file","edits":[{"old":"a","new":"b"}]}`, "NO_MATCH", "not found in file"},
		{"bash", `{"command":"x","working_dir":"missing"}`, "FILE_NOT_FOUND", "Directory not found: missing"}, // S0.38
		{"bash", `{"command":"x","working_dir":"file"}`, "NOT_A_DIRECTORY", "file"},
		{"bash", `{"command":"sleep 100","timeout":1}`, "TOOL_TIMEOUT", "Command timed out after 1 seconds."}, // S0.36
		{"bash", `{"command":"` + strings.Repeat("x", 200_000) + `"}`, "TOOL_CRASHED", "too long"},
	} {
		r := b.call(tc.name, tc.args)
		message := field(t, r, "error")
		if !r.Failed || field(t, r, "error_code") != tc.code || !strings.Contains(message, tc.what) || !twoSentences.MatchString(message) {
			t.Errorf("%s %.80s: %v %s", tc.name, tc.args, r.Failed, text(r))
		}
		if r.Report == "" {
			t.Errorf("%s %.80s: nothing for the person", tc.name, tc.args)
		}
	}
}

// A call that was stopped before it began does nothing.
func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := newBench(t, Config{})
	for name, args := range map[string]string{"glob": `{"pattern":"*"}`, "file_read": `{"path":"x"}`, "grep": `{"pattern":"x"}`,
		"file_write": `{"path":"x","content":""}`, "file_edit": `{"path":"x","edits":[{"old":"a","new":"b"}]}`, "bash": `{"command":"touch x"}`} { // P22
		if r := b.callWith(ctx, name, args, ikigai.Call{}); !r.Failed || field(t, r, "error_code") != "CANCELLED" {
			t.Errorf("%s: %s", name, text(r))
		}
	}
	if entries, err := os.ReadDir(b.dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// S2.85, S2.86, S2.88: max_output_size holds for the whole result, which says how much
// of the whole it shows.
func TestMaxOutput(t *testing.T) {
	t.Parallel()
	for _, max := range []int{600, 2000, 5000} {
		for _, profile := range []string{"combined", "split"} {
			b := newBench(t, Config{MaxOutput: max, BashResult: profile})
			for i := range 300 {
				b.write("dir/"+strings.Repeat("é", i%50)+string(rune('a'+i%26))+strings.Repeat("x", i/26), "some \"text\"\t\x01€\n")
			}
			b.write("big", strings.Repeat("line \"é\"\n", 5000), "long", strings.Repeat("é\x01", 5000))
			for name, args := range map[string]string{"glob": `{"pattern":"dir/*"}`, "grep": `{"pattern":"text"}`, "file_read": `{"path":"big"}`,
				"file_read ": `{"path":"long"}`, "bash": `{"command":"cat big; cat long >&2"}`} {
				r := b.call(strings.TrimSpace(name), args)
				out := text(r)
				if r.Failed || len(out) > max || !json.Valid([]byte(out)) || !utf8.ValidString(out) || strings.Contains(out, "\uFFFD") {
					t.Errorf("%s, limit %d: %d bytes, %.100s", name, max, len(out), out)
				}
				if !regexp.MustCompile(`\[OUTPUT TRUNCATED - [0-9,]+/[0-9,]+ \w+ shown|exceeded`).MatchString(out) || !strings.Contains(out, `"truncated":true`) {
					t.Errorf("%s, limit %d: no indicator in %s", name, max, out)
				}
			}
		}
	}
}

// S2.71, S0.31: whatever the arguments are, the answer is a JSON object and nothing panics.
func FuzzTools(f *testing.F) {
	for _, seed := range []string{`{"pattern":"**/*","path":"..","all":true}`, `{"path":"a","offset":1e9,"limit":1e300}`, `{"path":"b/../a","content":"\ud800"}`,
		`{"pattern":"(?s).*\\z|a{1000}","context":20,"ignore_case":true,"glob":"{a,b}"}`, `{"pattern":"[^a]\\s$","path":"a","context":2}`,
		`{"command":"true","timeout":1.0,"working_dir":""}`, `{"pattern":"{a,[","path":"/"}`, `{"path":""}`, `[]`, ``, `{"pattern":"x*"}`,
		`{"path":"a","edits":[{"old":"two\n","new":"\u0000"},{"old":"one","new":"","replace_all":true}]}`} {
		for tool := range uint8(6) {
			f.Add(tool, []byte(seed))
		}
	}
	b := newBench(f, Config{})
	b.write("a", "one\ntwo\r\n\xff\xfe\nlast", "b/c.txt", "x\n\n\ny\n", ".hidden/x", "x")
	f.Fuzz(func(t *testing.T, which uint8, args []byte) {
		tools := Builtin(Config{Env: []string{"PATH="}})
		tool := tools[which%6]
		if in, err := tool.Check(args); err == nil {
			args = in
		}
		var in struct{ Path, Pattern, Command string }
		_ = json.Unmarshal(args, &in)
		if away := func(p string) bool { return filepath.IsAbs(p) || strings.Contains(p, "..") }; away(in.Path) || away(in.Pattern) || in.Command != "" && in.Command != "true" {
			return // stay in the directory
		}
		r := tool.Run(context.Background(), ikigai.Call{Dir: b.dir, Args: args})
		var out map[string]any
		if err := json.Unmarshal([]byte(text(r)), &out); err != nil {
			t.Fatalf("%s %q: %q: %v", tool.Name, args, text(r), err)
		}
		message, failed := out["error"].(string)
		if failed != r.Failed || failed && !twoSentences.MatchString(message) { // S5.4
			t.Fatalf("%s %q: failed %v, %s", tool.Name, args, r.Failed, text(r))
		}
	})
}
