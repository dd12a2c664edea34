package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"ikigai"
)

// S0.18–S0.24, S0.32, S2.60, S2.68, S5.1, D2, D14: both profiles of the same runs.
func TestBash(t *testing.T) {
	combined, split := newBench(t, Config{}), newBench(t, Config{BashResult: "split"})
	for _, tc := range []struct{ command, combined, split, report string }{
		{"true", `{"output":"","exit_code":0}`, `{"stdout":"","stderr":"","exit_code":0,"truncated":false}`, "exit code 0, no output"},
		{"echo one; echo two", `{"output":"one\ntwo\n","exit_code":0}`, `{"stdout":"one\ntwo\n","stderr":"","exit_code":0,"truncated":false}`, "exit code 0, 2 lines"}, // S0.19
		{"echo out; echo err >&2; exit 3", `{"output":"out\nerr\n","exit_code":3}`, `{"stdout":"out\n","stderr":"err\n","exit_code":3,"truncated":false}`, "exit code 3, 2 lines"},
		{"cat config.json", `{"output":"cat: config.json: No such file or directory\n","exit_code":1}`,
			`{"stdout":"","stderr":"cat: config.json: No such file or directory\n","exit_code":1,"truncated":false}`, "exit code 1, 1 line"}, // S0.20
		{"nosuchcommand 2>/dev/null", `{"output":"","exit_code":127}`, `{"stdout":"","stderr":"","exit_code":127,"truncated":false}`, "exit code 127, no output"}, // S0.21
		{"kill -9 $$", `{"output":"","exit_code":137}`, `{"stdout":"","stderr":"","exit_code":137,"truncated":false}`, "exit code 137, no output"},
		{"grep -r 'x y' . --include='*.c' || true", `{"output":"","exit_code":0}`, `{"stdout":"","stderr":"","exit_code":0,"truncated":false}`, "exit code 0, no output"}, // S0.24
		{`printf '%s' "$((1+1)) <&> é"; [[ a == a ]]`, `{"output":"2 <&> é","exit_code":0}`, `{"stdout":"2 <&> é","stderr":"","exit_code":0,"truncated":false}`, "exit code 0, 1 line"},
		{`printf 'a\xffb\n'`, `{"output":"a` + "\uFFFD" + `b\n","exit_code":0}`, `{"stdout":"a` + "\uFFFD" + `b\n","stderr":"","exit_code":0,"truncated":false}`, "exit code 0, 1 line"}, // S2.63
	} {
		args := `{"command":` + quoted(tc.command) + `}`
		combined.want("bash", args, tc.combined, tc.report)
		split.want("bash", args, tc.split, tc.report)
	}
}

// What no system can run is said to be that.
func TestBashNUL(t *testing.T) {
	r := newBench(t, Config{}).call("bash", `{"command":"echo a\u0000b"}`)
	if got := text(r); !r.Failed || !strings.Contains(got, "NUL byte") || !strings.Contains(got, "Leave it out") {
		t.Errorf("%s", got)
	}
}

// S0.38, S0.16
func TestBashDirectory(t *testing.T) {
	b := newBench(t, Config{})
	b.write("sub/f", "x")
	b.want("bash", `{"command":"ls"}`, `{"output":"sub\n","exit_code":0}`, "exit code 0, 1 line")
	b.want("bash", `{"command":"ls","working_dir":"sub"}`, `{"output":"f\n","exit_code":0}`, "exit code 0, 1 line")
	b.want("bash", `{"command":"ls","working_dir":"`+b.dir+`/sub"}`, `{"output":"f\n","exit_code":0}`, "exit code 0, 1 line")
}

// P41: commands see the environment that they are given, and no other.
func TestBashEnvironment(t *testing.T) {
	t.Setenv("IKIGAI_TEST_SECRET", "secret")
	b := newBench(t, Config{Env: []string{"PATH=/usr/bin:/bin", "GIVEN=yes"}})
	r := b.call("bash", `{"command":"env"}`)
	if out := field(t, r, "output"); strings.Contains(out, "secret") || !strings.Contains(out, "GIVEN=yes\n") {
		t.Errorf("%s", out)
	}
}

// S0.25, S0.26, S0.27, S0.28, P24, P25: the form of output that is cut.
func TestBashTruncation(t *testing.T) {
	spill := filepath.Join(t.TempDir(), "made", "later")
	b := newBench(t, Config{SpillDir: spill, BashResult: "split"})
	form := regexp.MustCompile(`(?s)^(.*\n)\.\.\. \[([0-9,]+) more bytes, full output in (\S+)\] \.\.\.\n(.*\n)\n\[OUTPUT TRUNCATED - exceeded (\d+)KB limit\]$`)
	for _, tc := range []struct {
		command, stream string
		limit           int
	}{
		{"seq 1 10000", "stdout", 10}, {"seq 1 10000 >&2", "stderr", 4}, {"printf 'é%.0s' {1..9999}", "stdout", 10}, {"head -c 50000 /dev/zero | tr '\\0' x", "stdout", 10},
	} {
		r := b.call("bash", `{"command":`+quoted(tc.command)+`}`)
		out := field(t, r, tc.stream)
		m := form.FindStringSubmatch(out)
		if r.Failed || m == nil || !strings.Contains(text(r), `"truncated":true`) || m[5] != fmt.Sprint(tc.limit) {
			t.Fatalf("%s: %s", tc.command, out)
		}
		whole, err := os.ReadFile(m[3])
		if err != nil || filepath.Dir(m[3]) != spill {
			t.Fatal(err)
		}
		head, tail := m[1], strings.TrimSuffix(m[4], "\n")
		if !bytes.Contains(whole, []byte("\n")) {
			head = strings.TrimSuffix(head, "\n")
		}
		if bytes.HasSuffix(whole, []byte("\n")) {
			tail += "\n"
		}
		if len(head)+len(tail) > tc.limit<<10 || !utf8.ValidString(out) || !strings.HasPrefix(string(whole), head) || !strings.HasSuffix(string(whole), tail) ||
			m[2] != group(int64(len(whole)-len(head)-len(tail))) || len(head)+len(tail) < tc.limit<<10-1100 {
			t.Errorf("%s: %d + %d bytes of %d, %s left out: %s", tc.command, len(head), len(tail), len(whole), m[2], out)
		}
	}
	r := b.call("bash", `{"command":"printf %10240s x; printf %4096s y >&2"}`) // S0.27
	if strings.Contains(text(r), "TRUNCATED") || !strings.HasSuffix(text(r), `"truncated":false}`) {
		t.Errorf("exactly at the limits: %s", text(r))
	}
	files, err := os.ReadDir(spill)
	if err != nil || len(files) != 4 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// The limits count each stream, also when both are shown as one.
func TestBashTruncationCombined(t *testing.T) {
	b := newBench(t, Config{})
	for command, want := range map[string]string{
		"printf %10240s x; printf %4096s y >&2":             "",
		"printf %10241s x; printf %4096s y >&2":             "... [1 more bytes] ...|[OUTPUT TRUNCATED - exceeded 10KB limit]",
		"printf %10240s x; printf %4097s y >&2":             "... [1 more bytes] ...|[OUTPUT TRUNCATED - exceeded 4KB limit]",
		"printf %20240s x; sleep 0.05; printf %5096s y >&2": "... [10,000 more bytes] ...|... [1,000 more bytes] ...|[OUTPUT TRUNCATED - exceeded 10KB limit]|[OUTPUT TRUNCATED - exceeded 4KB limit]",
	} {
		r := b.call("bash", `{"command":"`+command+`"}`)
		out := field(t, r, "output")
		marks := strings.Join(regexp.MustCompile(`(?m)^(\.\.\.|\[OUTPUT).*$`).FindAllString(out, -1), "|")
		if marks != want || strings.Contains(text(r), `"truncated":true`) != (want != "") {
			t.Errorf("%s: %s", command, marks)
		}
		if want != "" && !regexp.MustCompile(`\n\n\[OUTPUT TRUNCATED[^\n]*(\n\[OUTPUT[^\n]*)?$`).MatchString(out) {
			t.Errorf("%s: the end is %q", command, out[len(out)-100:])
		}
	}
}

// A disk that is full costs the file, not the call.
func TestBashNoSpill(t *testing.T) {
	b := newBench(t, Config{SpillDir: "/proc/nowhere"})
	r := b.call("bash", `{"command":"seq 1 10000"}`)
	if r.Failed || !strings.Contains(text(r), "more bytes, not kept: no such file or directory] ...") {
		t.Errorf("%s", text(r))
	}
}

// S0.36: what was printed before the time was over is kept.
func TestBashTimeout(t *testing.T) {
	t.Parallel()
	b := newBench(t, Config{})
	b.want("bash", `{"command":"echo before; sleep 100; echo after","timeout":3}`,
		`{"output":"before\n","exit_code":143,"error":"Command timed out after 3 seconds. Use a longer timeout (at most 3600), background, or a command that needs less time.","error_code":"TOOL_TIMEOUT"}`,
		"timed out after 3 seconds, 1 line")
	b = newBench(t, Config{BashResult: "split"})
	b.want("bash", `{"command":"sleep 100","timeout":1}`,
		`{"stdout":"","stderr":"","exit_code":143,"truncated":false,"error":"Command timed out after 1 seconds. Use a longer timeout (at most 3600), background, or a command that needs less time.","error_code":"TOOL_TIMEOUT"}`,
		"timed out after 1 second, no output")
	for _, args := range []string{`{"command":"x","timeout":0}`, `{"command":"x","timeout":-5}`, `{"command":"x","timeout":3601}`} { // S0.37
		if _, err := b.tools["bash"].Check(json.RawMessage(args)); err == nil || !strings.Contains(err.Error(), "timeout must be from 1 to 3600") {
			t.Errorf("%s: %v", args, err)
		}
	}
	in, err := b.tools["bash"].Check(json.RawMessage(`{"command":"x"}`)) // S0.8, S0.16
	if err != nil || string(in) != `{"command":"x","timeout":30,"working_dir":"."}` {
		t.Errorf("%s, %v", in, err)
	}
}

func TestBashCancel(t *testing.T) {
	b := newBench(t, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	var progress []byte
	r := b.callWith(ctx, "bash", `{"command":"echo begun; sleep 100"}`, ikigai.Call{Progress: func(p []byte) {
		progress = append(progress, p...)
		cancel()
	}})
	if !r.Failed || field(t, r, "error_code") != "CANCELLED" || field(t, r, "output") != "begun\n" || string(progress) != "begun\n" ||
		!twoSentences.MatchString(field(t, r, "error")) || r.Report != "stopped, 1 line" {
		t.Errorf("%s, %q", text(r), progress)
	}
}

func TestFindShell(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bash"), nil, 0o644); err != nil { // not executable
		t.Fatal(err)
	}
	if got := findShell(dir + ":relative:"); filepath.Dir(got) == dir || !filepath.IsAbs(got) {
		t.Errorf("%q", got)
	}
}

// FuzzFit: what fits, fits, and nothing more would.
func FuzzFit(f *testing.F) {
	f.Add("é\"\\\n\x00\u2028\xff€😀abc", 20)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, s string, max int) {
		if max < 0 || max > 10_000 {
			return
		}
		size := func(s string) int { return len(text(ikigai.Result{Output: ikigai.JSONOutput(s)})) - 2 }
		n := fit(s, max)
		if size(s[:n]) > max {
			t.Fatalf("%q in %d: %d bytes take %d", s, max, n, size(s[:n]))
		}
		if n < len(s) {
			_, next := utf8.DecodeRuneInString(s[n:])
			if size(s[:n+next]) <= max {
				t.Fatalf("%q in %d: %d bytes are not all that fit", s, max, n)
			}
		}
	})
}
