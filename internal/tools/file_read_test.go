package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// S2.57, S2.63, S2.64, P15: contents exactly; a part says which it is.
func TestFileRead(t *testing.T) {
	b := newBench(t, Config{})
	b.write("empty", "", "open", "no line break", "crlf", "a\r\nb\n\r\n", "bom", "\uFEFFé\n", "bad", "a\x81b\n", "html", "<a>&</a>\n",
		"five", "1\n2\n3\n4\n5", "late", strings.Repeat("x\n", 9000)+"\x00\n")
	for _, tc := range []struct{ args, output, report string }{
		{`{"path":"empty"}`, `{"output":""}`, "0 lines, 0 bytes"},
		{`{"path":"empty","offset":1}`, `{"output":""}`, "0 lines, 0 bytes"},
		{`{"path":"open"}`, `{"output":"no line break"}`, "1 line, 13 bytes"},
		{`{"path":"crlf"}`, `{"output":"a\r\nb\n\r\n"}`, "3 lines, 7 bytes"},
		{`{"path":"bom"}`, "{\"output\":\"\uFEFFé\\n\"}", "1 line, 6 bytes"},
		{`{"path":"html"}`, `{"output":"<a>&</a>\n"}`, "1 line, 9 bytes"},
		{`{"path":"` + b.dir + `/open"}`, `{"output":"no line break"}`, "1 line, 13 bytes"},
		{`{"path":"five","offset":1,"limit":5}`, `{"output":"1\n2\n3\n4\n5"}`, "5 lines, 9 bytes"},
		{`{"path":"five","offset":2,"limit":2}`, `{"output":"2\n3\n","lines":"2-3","total_lines":5}`, "lines 2-3 of 5, 4 bytes"},
		{`{"path":"five","offset":4}`, `{"output":"4\n5","lines":"4-5","total_lines":5}`, "lines 4-5 of 5, 3 bytes"},
		{`{"path":"five","offset":5.0,"limit":1e2}`, `{"output":"5","lines":"5-5","total_lines":5}`, "lines 5-5 of 5, 1 byte"},
		{`{"path":"five","limit":1}`, `{"output":"1\n","lines":"1-1","total_lines":5}`, "lines 1-1 of 5, 2 bytes"},
		{`{"path":"late","offset":9001}`, `{"output":"\u0000\n","lines":"9001-9001","total_lines":9001}`, "lines 9001-9001 of 9,001, 2 bytes"},
	} {
		r := b.want("file_read", tc.args, tc.output, tc.report)
		if r.Note != "" {
			t.Errorf("%s: note %q", tc.args, r.Note)
		}
	}
	r := b.want("file_read", `{"path":"bad"}`, `{"output":"a\ufffdb\n"}`, "1 line, 4 bytes")
	if !strings.Contains(r.Note, "not valid UTF-8") {
		t.Errorf("note %q", r.Note)
	}
	if diff := cmp.Diff([]ikigai.Resource{{URI: filepath.Join(b.dir, "bad"), SHA256: hashOf([]byte("a\x81b\n"))}}, r.Resources); diff != "" {
		t.Error(diff)
	}
}

func TestFileReadHome(t *testing.T) {
	home := t.TempDir()
	b := newBench(t, Config{Env: []string{"HOME=/wrong", "HOME=" + home}})
	if err := os.WriteFile(filepath.Join(home, "x"), []byte("at home"), 0o666); err != nil {
		t.Fatal(err)
	}
	b.want("file_read", `{"path":"~/x"}`, `{"output":"at home"}`, "1 line, 7 bytes")
}

// A file with more than the limit can be read on, line by line, without a gap.
func TestFileReadOn(t *testing.T) {
	b := newBench(t, Config{MaxOutput: 3000})
	var whole strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&whole, "%d %s\n", i, strings.Repeat("é\"", i%20))
	}
	b.write("big", whole.String())
	got, next := "", 1
	for range 200 {
		r := b.call("file_read", fmt.Sprintf(`{"path":"big","offset":%d}`, next))
		out := field(t, r, "output")
		part, mark, cut := strings.Cut(out, "\n[OUTPUT TRUNCATED")
		got += part
		if !cut {
			break
		}
		var shown string
		if _, err := fmt.Sscanf(mark, " - %s bytes shown, go on with offset %d]", &shown, &next); err != nil {
			t.Fatalf("%q: %v", mark, err)
		}
	}
	if diff := cmp.Diff(whole.String(), got); diff != "" {
		t.Errorf("put together (-want +got):\n%.500s", diff)
	}
}

// A pipe without a writer does not hold the call up.
func TestFileReadPipe(t *testing.T) {
	b := newBench(t, Config{})
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file_read", "grep"} {
		args := `{"path":"pipe"}`
		if name == "grep" {
			args = `{"pattern":"x","path":"pipe"}`
		}
		if r := b.call(name, args); field(t, r, "error_code") != "NOT_A_FILE" {
			t.Errorf("%s: %s", name, text(r))
		}
	}
	b.want("grep", `{"pattern":"x"}`, `{"output":"","count":0}`, "no matches")
	if r := b.call("file_write", `{"path":"pipe","content":"x"}`); field(t, r, "error_code") != "NOT_A_FILE" {
		t.Error(text(r))
	}
}
