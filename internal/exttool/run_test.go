package exttool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// S0.14, D1: the input comes as one argument and on standard input, byte for
// byte; no shell sees it.
func TestInput(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "echo", script("echo", `,"parameters":{"type":"object","properties":{"text":{"type":"string"}}}`,
		`printf %s "$1" >argument; printf %s $# >count; cat >stdin; printf '{"pwd":"%s","session":"%s","call":"%s"}' "$PWD" "$IKIGAI_SESSION" "$IKIGAI_TOOL_CALL_ID"`))
	set := loaded(Config{Dirs: []Dir{{Path: dir}}, Env: env(), Session: "s-1"})
	tool := only(t, set)
	for name, args := range map[string]string{
		"quotes":     `{"text":"a'b\"c $HOME ` + "`id`" + ` $(id) ; | & * ~ \\ "}`,
		"lines":      "{\n  \"text\": \"a\\nb\"\n}",
		"characters": `{"text":"ä 世界 😀 \u00e4"}`,
		"dashes":     `{"text":"--schema"}`,
		"long":       `{"text":"` + strings.Repeat("x", 90<<10) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			r := tool.Run(context.Background(), ikigai.Call{ID: "c-1", Dir: work, Args: json.RawMessage(args)})
			want := fmt.Sprintf(`{"pwd":%q,"session":"s-1","call":"c-1"}`, work)
			if r.Failed || text(r) != want {
				t.Fatalf("%+v, want %s", r, want)
			}
			for file, want := range map[string]string{"argument": args, "stdin": args, "count": "1"} {
				got, err := os.ReadFile(filepath.Join(work, file))
				if err != nil || string(got) != want {
					t.Errorf("%s: %q, %v", file, got, err)
				}
			}
		})
	}
}

// D1: a long input comes on standard input alone.
func TestLongInput(t *testing.T) {
	dir := t.TempDir()
	body := `printf '{"arguments":%d,"bytes":%d}' $# "$(wc -c)"`
	write(t, dir, "count", script("count", `,"parameters":{"type":"object"}`, body))
	write(t, dir, "piped", script("piped", `,"input":"stdin"`, body))
	set := load(t, dir)
	of := func(size int) string { return `{"text":"` + strings.Repeat("x", size-11) + `"}` }
	for _, test := range []struct {
		tool, arguments int
		args            string
	}{{0, 1, of(100 << 10)}, {0, 0, of(100<<10 + 1)}, {0, 0, of(1 << 20)}, {1, 0, `{}`}} {
		want := fmt.Sprintf(`{"arguments":%d,"bytes":%d}`, test.arguments, len(test.args))
		if r := set.List()[test.tool].Run(context.Background(), ikigai.Call{Dir: dir, Args: json.RawMessage(test.args)}); text(r) != want {
			t.Errorf("%+v, want %s", r, want)
		}
	}
}

// S0.11, S0.12, S0.13, S0.16: what does not fit the schema is refused before
// the tool is started, whichever dialect it is written in; defaults are filled
// in.
func TestValidation(t *testing.T) {
	dir := t.TempDir()
	body := `touch ran; printf %s "$1"`
	write(t, dir, "flat", script("flat", `,"parameters":{"command":{"type":"string","required":true},"timeout":{"type":"integer","default":30},"working_dir":{"type":"string","default":"."}}`, body))
	write(t, dir, "full", script("full", `,"parameters":{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"integer","default":30},"working_dir":{"type":"string","default":"."}},"required":["command"]}`, body))
	for _, tool := range load(t, dir).List() {
		for args, want := range map[string]string{
			`{}`:                             "command",
			`{"command":1}`:                  "command",
			`{"command":"x","timeout":"30"}`: "timeout",
		} {
			_, err := tool.Check(json.RawMessage(args))
			var e *ikigai.Error
			if !errors.As(err, &e) || !strings.Contains(e.What, want) {
				t.Errorf("%s %s: %v", tool.Name, args, err)
			}
		}
		work := t.TempDir()
		args, err := tool.Check(json.RawMessage(`{"command":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		r := tool.Run(context.Background(), ikigai.Call{Dir: work, Args: args})
		if want := `{"command":"x","timeout":30,"working_dir":"."}`; text(r) != want {
			t.Errorf("%s: %s, want %s", tool.Name, text(r), want)
		}
	}
}

// S0.17, S0.18, S0.19, S0.32, S4.1: what a tool answers, and what comes of it.
func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       string // the output, or what its error says
		failed     bool
		report     string
		note       string
	}{
		{name: "object", body: `printf '{"stdout":"a\\nb\\n","stderr":"","exit_code":0,"truncated":false}\n'`,
			want: `{"stdout":"a\nb\n","stderr":"","exit_code":0,"truncated":false}`},
		{name: "command failed", body: `printf '{"stdout":"","stderr":"no\\n","exit_code":1,"truncated":false}'`,
			want: `{"stdout":"","stderr":"no\n","exit_code":1,"truncated":false}`},
		{name: "bytes unchanged", body: `printf '{ "a" : 1.50,\n "b":"\\u00e4/ä" }'`, want: "{ \"a\" : 1.50,\n \"b\":\"\\u00e4/ä\" }"},
		{name: "channels", body: `printf '{"_note":"n","a": 1,"_report":"r","b":2}'`, want: `{"a": 1,"b":2}`, report: "r", note: "n"},
		{name: "bbResponse", body: `printf '{"bbResponse":"r","a":1}'`, want: `{"a":1}`, report: "r"},
		{name: "bbaiResponse", body: `printf '{"a":1,"bbaiResponse":"r"}'`, want: `{"a":1}`, report: "r"},
		{name: "error", body: `printf '{"error":"Not there. Look elsewhere.","error_code":"GONE"}'`,
			want: `{"error":"Not there. Look elsewhere.","error_code":"GONE"}`, failed: true, report: "Not there. Look elsewhere"},
		{name: "no error", body: `printf '{"error":null,"a":1}'`, want: `{"error":null,"a":1}`},
		{name: "not JSON", body: `echo hello`, want: "INVALID_OUTPUT hello", failed: true},
		{name: "two objects", body: `echo '{}{}'`, want: "INVALID_OUTPUT", failed: true},
		{name: "noise before", body: `echo loading; echo '{}'`, want: "INVALID_OUTPUT loading", failed: true},
		{name: "a list", body: `echo '[1]'`, want: "INVALID_OUTPUT", failed: true},
		{name: "nothing", body: `:`, want: "INVALID_OUTPUT nothing", failed: true},
		{name: "exit code", body: `echo why >&2; exit 3`, want: "TOOL_CRASHED code 3: why", failed: true},
		{name: "exit code and answer", body: `printf '{"error":"x y"}'; exit 1`, want: "TOOL_CRASHED x y", failed: true},
		{name: "signal", body: `kill -SEGV $$`, want: "TOOL_CRASHED signal 11", failed: true},
		{name: "no UTF-8", body: `printf '{"a":"\xff"}'`, want: "{\"a\":\"\uFFFD\"}"},
		{name: "lone surrogate", body: `printf '{"a":"\\ud800\\u0000\\u00e4"}'`, want: `{"a":"\ufffd\ufffd\u00e4"}`}, // P2
		{name: "escapes", body: `printf '\033[31mred\033[0m'`, want: "INVALID_OUTPUT printed red", failed: true},
		{name: "too long", body: `printf '{"a":"'; head -c 17000000 /dev/zero | tr '\0' x; printf '"}'`, want: "INVALID_OUTPUT 16 MiB", failed: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "x", script("x", "", test.body))
			r := call(t, only(t, load(t, dir)), `{}`)
			if r.Failed != test.failed || test.report != "" && r.Report != test.report || r.Note != test.note {
				t.Errorf("failed %v, report %q, note %q", r.Failed, r.Report, r.Note)
			}
			if !test.failed || !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZ", rune(test.want[0])) {
				if text(r) != test.want {
					t.Errorf("%s, want %s", text(r), test.want)
				}
				return
			}
			code, words, _ := strings.Cut(test.want, " ")
			var failure struct {
				Error string `json:"error"`
				Code  string `json:"error_code"`
			}
			if err := json.Unmarshal([]byte(text(r)), &failure); err != nil {
				t.Fatal(err)
			}
			if failure.Code != code || !strings.Contains(failure.Error, words) || !strings.HasSuffix(failure.Error, ".") {
				t.Errorf("%+v, want %s", failure, test.want)
			}
		})
	}
}

// The members for the harness become what they say.
func TestEnvelope(t *testing.T) { // S4.22
	dir, work := t.TempDir(), t.TempDir()
	png := "\x89PNG\r\n\x1a\n-pixels"
	if err := os.WriteFile(filepath.Join(work, "a.png"), []byte(png), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "x", script("x", "", `cat answer`))
	tool := only(t, load(t, dir))
	for _, test := range []struct {
		name, answer string
		want         ikigai.Result
	}{
		{"resources", `{"a":1,"_resources":["b.txt","/c",{"uri":"https://x/y","changed":true},{"uri":"d","sha256":"00"},7,{},"file:///c","./b.txt"]}`, ikigai.Result{
			Output: []ikigai.Part{{Type: "text", Text: `{"a":1}`}},
			Resources: []ikigai.Resource{{URI: filepath.Join(work, "b.txt")}, {URI: "/c"}, {URI: "https://x/y", Changed: true},
				{URI: filepath.Join(work, "d"), SHA256: "00"}}}},
		{"images", `{"_images":["a.png",{"media_type":"image/png","data":"iVBORw=="},"none.png",{"data":"?"},null,{"data":""}]}`, ikigai.Result{
			Output: []ikigai.Part{{Type: "text", Text: `{}`}, {Type: "image", Name: "a.png", Bytes: []byte(png), Size: int64(len(png))},
				{Type: "image", Bytes: []byte("\x89PNG"), Size: 4}},
			Note: "The image none.png was left out: open " + filepath.Join(work, "none.png") + ": no such file or directory.\n" +
				`The image {"data":"?"} was left out: it is neither a path nor {media_type, data} with base64.` + "\n" +
				`The image null was left out: it is neither a path nor {media_type, data} with base64.` + "\n" +
				`The image {"data":""} was left out: it is neither a path nor {media_type, data} with base64.`}},
		{"no images", `{"a":1,"_images":null}`, ikigai.Result{Output: []ikigai.Part{{Type: "text", Text: `{"a":1}`}}}},
		{"frontmatter by name", `{"file":"a","lines":3,"body":"x","_frontmatter":["lines","file","none"]}`, ikigai.Result{
			Output: []ikigai.Part{{Type: "text", Text: `{"file":"a","lines":3,"body":"x"}`}},
			Front:  []ikigai.Fact{{Name: "lines", Value: json.RawMessage("3")}, {Name: "file", Value: "a"}}}},
		{"frontmatter", `{"body":"x","_frontmatter":{"z":"1","a":[2]}}`, ikigai.Result{
			Output: []ikigai.Part{{Type: "text", Text: `{"body":"x"}`}},
			Front:  []ikigai.Fact{{Name: "z", Value: "1"}, {Name: "a", Value: json.RawMessage("[2]")}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(work, "answer"), []byte(test.answer), 0o644); err != nil {
				t.Fatal(err)
			}
			got := tool.Run(context.Background(), ikigai.Call{Dir: work, Args: json.RawMessage(`{}`)})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The images of a result are bounded, in number and in bytes.
func TestManyImages(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "large.png"), make([]byte, 9<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	parts, left := images(json.RawMessage(`["large.png","large.png"]`), dir)
	if len(parts) != 1 || len(left) != 1 || !strings.Contains(left[0], "16 MiB") {
		t.Errorf("%d parts, %q", len(parts), left)
	}
	many := strings.Repeat(`{"data":"aGVsbG8="},`, 25)
	parts, left = images(json.RawMessage("["+strings.TrimSuffix(many, ",")+"]"), dir)
	if len(parts) != maxImages || len(left) != 1 || !strings.Contains(left[0], "5 images") {
		t.Errorf("%d parts, %q", len(parts), left)
	}
}

// S0.17: time-outs and stops keep what was printed, and end every process of
// the tool (P21).
func TestStop(t *testing.T) {
	body := `echo begun; echo working >&2; sleep 1000 & echo $! >child; echo $$ >parent; touch ready; wait`
	for _, test := range []struct {
		name, members, args string
		code                string
		cancel              bool
	}{
		{name: "time of the schema", members: `,"timeout":3`, args: `{}`, code: "TOOL_TIMEOUT"},
		{name: "stopped", args: `{}`, code: "CANCELLED", cancel: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, work := t.TempDir(), t.TempDir()
			write(t, dir, "x", script("x", test.members, body))
			tool := only(t, load(t, dir))
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if test.cancel {
				go func() {
					for { // until the tool has begun
						if _, err := os.Stat(filepath.Join(work, "ready")); err == nil {
							cancel()
							return
						}
					}
				}()
			}
			r := tool.Run(ctx, ikigai.Call{Dir: work, Args: json.RawMessage(test.args)})
			var got struct {
				Code   string `json:"error_code"`
				Stdout string `json:"stdout"`
				Stderr string `json:"stderr"`
			}
			if err := json.Unmarshal([]byte(text(r)), &got); err != nil || !r.Failed {
				t.Fatalf("%v, %+v", err, r)
			}
			if got.Code != test.code || got.Stdout != "begun\n" || got.Stderr != "working\n" {
				t.Errorf("%+v", got)
			}
			for _, file := range []string{"parent", "child"} {
				raw, err := os.ReadFile(filepath.Join(work, file))
				if err != nil {
					t.Fatal(err)
				}
				pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
				if err != nil {
					t.Fatal(err)
				}
				if running(pid) {
					t.Errorf("the %s still runs", file)
				}
			}
		})
	}
}

// running reports whether a process runs, and is more than an entry that waits
// for its parent.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return syscall.Kill(pid, 0) == nil && !strings.Contains(string(stat), ") Z ")
}

// A call that has a time of its own gets that and some more; one that asks for
// ever does not get it.
func TestTimeout(t *testing.T) {
	p := program{spec: spec{Timeout: 7}}
	for args, want := range map[string]string{
		`{}`: "7s", `{"timeout":60}`: "1m5s", `{"timeout":0}`: "7s", `{"timeout":-1}`: "7s", `{"timeout":"x"}`: "7s",
		`{"timeout":1e300}`: "24h0m5s", `{"timeout":0.5}`: "5.5s",
	} {
		if got := p.timeout(json.RawMessage(args)).String(); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	if got := (program{}).timeout(json.RawMessage(`{}`)); got != defaultTimeout {
		t.Errorf("%s", got)
	}
}

// What cannot be started is a failure that says why.
func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "x", script("x", "", `echo '{}'`))
	tool := only(t, load(t, dir))
	for name, test := range map[string]struct {
		change func() error
		want   string
	}{
		"no program":  {func() error { return os.WriteFile(path, []byte("#!/no/such/program\n"), 0o755) }, "first line"},
		"no shebang":  {func() error { return os.WriteFile(path, []byte("echo hello\n"), 0o755) }, "#!/bin/sh"},
		"it was gone": {func() error { return os.Remove(path) }, "gone"},
	} {
		if err := test.change(); err != nil {
			t.Fatal(err)
		}
		if r := call(t, tool, `{}`); !r.Failed || !strings.Contains(text(r), "TOOL_CRASHED") || !strings.Contains(text(r), test.want) {
			t.Errorf("%s: %s", name, text(r))
		}
		if name == "it was gone" {
			path = write(t, dir, "x", "")
		}
	}
}

// What a tool says on standard error beside its answer is for the person.
func TestStandardError(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "x", script("x", "", `echo watch me >&2; echo '{}'`))
	var seen string
	r := only(t, load(t, dir)).Run(context.Background(), ikigai.Call{Dir: dir, Args: json.RawMessage(`{}`),
		Progress: func(b []byte) { seen += string(b) }})
	if text(r) != "{}" || r.Note != "" || r.Report != "" || seen != "watch me\n" {
		t.Errorf("%+v, seen %q", r, seen)
	}
}

// An output that will be cut lies in a file, which the note names.
func TestWholeOutput(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "x", script("x", "", `printf '{"a":"%s"}' "$(seq 1 1000 | tr '\n' ' ')"`))
	set := loaded(Config{Dirs: []Dir{{Path: dir}}, Env: env(), SpillDir: filepath.Join(dir, "spill"), MaxOutput: 1000})
	r := call(t, only(t, set), `{}`)
	_, path, _ := strings.Cut(strings.TrimSuffix(r.Note, "."), "in ")
	kept, err := os.ReadFile(path)
	if err != nil || string(kept) != text(r) {
		t.Errorf("%v: %q", err, r.Note)
	}
}
