package tools

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ikigai"
)

// S2.58, S2.62, S2.66
func TestGrep(t *testing.T) {
	b := newBench(t, Config{})
	b.write("a.go", "package a\n\nfunc Foo() {}\nfunc Bar() {} // foo\n", "sub/b.go", "func Foo() {}\r\nlast foo", "sub/c.txt", "Foo\n",
		".hidden", "Foo\n", ".gitignore", "build\n", "build/x.go", "Foo\n", "binary.go", "Foo\x00Foo\n", "latin1", "caf\xe9 Foo\n", "empty", "")
	for _, tc := range []struct{ args, output, report string }{
		{`{"pattern":"nothing here"}`, "", "no matches"},
		{`{"pattern":"func Foo"}`, "a.go:3: func Foo() {}\nsub/b.go:1: func Foo() {}", "2 matches in 2 files"},
		{`{"pattern":"Foo","glob":"*.txt"}`, "sub/c.txt:1: Foo", "1 match in 1 file"},
		{`{"pattern":"Foo","glob":"sub/*.go"}`, "sub/b.go:1: func Foo() {}", "1 match in 1 file"},
		{`{"pattern":"Foo","glob":"/*.go"}`, "a.go:3: func Foo() {}", "1 match in 1 file"},
		{`{"pattern":"Foo","path":"sub"}`, "sub/b.go:1: func Foo() {}\nsub/c.txt:1: Foo", "2 matches in 2 files"},
		{`{"pattern":"Foo","path":"sub/c.txt"}`, "sub/c.txt:1: Foo", "1 match in 1 file"},
		{`{"pattern":"Foo","path":".hidden"}`, ".hidden:1: Foo", "1 match in 1 file"},
		{`{"pattern":"Foo","path":"build"}`, "build/x.go:1: Foo", "1 match in 1 file"},
		{`{"pattern":"^Foo$","all":true}`, ".hidden:1: Foo\nbuild/x.go:1: Foo\nsub/c.txt:1: Foo", "3 matches in 3 files"},
		{`{"pattern":"foo","glob":"*.go"}`, "a.go:4: func Bar() {} // foo\nsub/b.go:2: last foo", "2 matches in 2 files"},
		{`{"pattern":"FUNC foo","ignore_case":true}`, "a.go:3: func Foo() {}\nsub/b.go:1: func Foo() {}", "2 matches in 2 files"},
		{`{"pattern":"(?i)FUNC foo"}`, "a.go:3: func Foo() {}\nsub/b.go:1: func Foo() {}", "2 matches in 2 files"},
		{`{"pattern":"\\{\\}$"}`, "a.go:3: func Foo() {}\nsub/b.go:1: func Foo() {}", "2 matches in 2 files"},
		{`{"pattern":"^$"}`, "a.go:2: ", "1 match in 1 file"},
		{`{"pattern":"caf. "}`, "", "no matches"}, // RE2's dot is a character
		{`{"pattern":"caf"}`, "latin1:1: caf\uFFFD Foo", "1 match in 1 file"},
		{`{"pattern":"a\\s+func"}`, "", "no matches"},
		{`{"pattern":"[^x]Foo\\(\\)(?s:.)*x?\\z","path":"a.go"}`, "a.go:3: func Foo() {}", "1 match in 1 file"},
		{`{"pattern":"\\Afunc B"}`, "a.go:4: func Bar() {} // foo", "1 match in 1 file"},
		{`{"pattern":"Foo","path":"a.go","context":1}`, "a.go-2- \na.go:3: func Foo() {}\na.go-4- func Bar() {} // foo", "1 match in 1 file"},
	} {
		count := len(regexp.MustCompile(`(?m)^[^:\n]+:\d+: `).FindAllString(tc.output, -1))
		b.want("grep", tc.args, fmt.Sprintf(`{"output":%s,"count":%d}`, quoted(tc.output), count), tc.report)
	}
}

func TestGrepContext(t *testing.T) {
	b := newBench(t, Config{})
	b.write("f", "1\n2x\n3\n4x\n5\n6\n7\n8\n9x\n10\n", "g", "1\n2x", "h", "x\nx\nx\n")
	want := "f-1- 1\nf:2: 2x\nf-3- 3\nf:4: 4x\nf-5- 5\n--\nf-8- 8\nf:9: 9x\nf-10- 10\n--\ng-1- 1\ng:2: 2x\n--\nh:1: x\nh:2: x\nh:3: x"
	b.want("grep", `{"pattern":"x","context":1}`, `{"output":`+quoted(want)+`,"count":7}`, "7 matches in 3 files")
}

// However a file is cut into blocks, the result is that of grep.
func TestGrepBlocks(t *testing.T) {
	b := newBench(t, Config{})
	var text strings.Builder
	for i := 0; text.Len() < 5*blockSize; i++ {
		fmt.Fprintf(&text, "line %d %s\n", i, strings.Repeat("y", i%97))
		if i%5000 == 0 {
			fmt.Fprintf(&text, "needle %d\n\n", i)
		}
	}
	text.WriteString("needle at the end")
	b.write("big", text.String())
	for _, context := range []int{0, 1, 20} {
		out := field(t, b.call("grep", fmt.Sprintf(`{"pattern":"needle|line \\d+999 ","context":%d}`, context)), "output")
		theirs := exec.Command("grep", "-nE", "needle|line [0-9]+999 ", "big")
		if context > 0 {
			theirs.Args = append(theirs.Args, fmt.Sprintf("-C%d", context))
		}
		theirs.Dir = b.dir
		want, err := theirs.Output()
		if err != nil {
			t.Fatal(err)
		}
		ours := regexp.MustCompile(`(?m)^big([:-])(\d+)[:-] `).ReplaceAllString(out, "$2$1")
		ours, _, _ = strings.Cut(ours, "\n[OUTPUT TRUNCATED")
		if !strings.HasPrefix(string(want), strings.TrimSuffix(ours, "\n")) || strings.Count(ours, "\n") < 60 {
			t.Errorf("context %d: %d lines of ours differ from grep's %d", context, strings.Count(ours, "\n"), strings.Count(string(want), "\n"))
		}
	}
}

// P23: a line longer than any block is searched, a part of it is shown.
func TestGrepLongLine(t *testing.T) {
	b := newBench(t, Config{})
	b.write("min.js", strings.Repeat("é", 10_000_000)+"needle"+strings.Repeat("z", 5000)+"\nneedle\n", "b", strings.Repeat("a", 3000)+"needle")
	r := b.call("grep", `{"pattern":"needle","context":2}`)
	out := field(t, r, "output")
	if len(out) > 10_000 || !strings.Contains(out, "needle") || !strings.Contains(out, "…") || !strings.HasPrefix(out, "b:1: …aaa") ||
		!strings.Contains(out, "zz… [line of") || !strings.Contains(out, "aneedle [line of 3,006 bytes]") || !strings.Contains(out, "min.js:2: needle") {
		t.Errorf("%.2000s", out)
	}
}

// A line that is not in memory as a whole is searched as any other.
func TestGrepLongerThanMemory(t *testing.T) {
	for _, n := range []int{longestLine, 2*longestLine + 1} {
		b := newBench(t, Config{})
		b.write("f", "first\n"+strings.Repeat("a", n)+"TODO TODO"+strings.Repeat(" é", 5)+"\nTODO\nlast\n")
		length := group(int64(n + 9 + 15))
		for _, tc := range []struct {
			pattern string
			lines   string // that match
		}{
			{`TODO`, "2 3"},
			{`^TODO`, "3"},
			{`^a+TODO`, "2"},
			{`a{3}TODO`, "2"},
			{`^a+TODO TODO( é){5}$`, "2"},
			{`a$`, ""},
			{`$`, "1 2 3 4"},
		} {
			r := b.call("grep", `{"pattern":`+quoted(tc.pattern)+`}`)
			out := field(t, r, "output")
			var lines []string
			for _, m := range regexp.MustCompile(`(?m)^f:(\d+): `).FindAllStringSubmatch(out, -1) {
				lines = append(lines, m[1])
			}
			if got := strings.Join(lines, " "); got != tc.lines || strings.Contains(out, "f:2: ") != strings.Contains(out, "[line of "+length+" bytes]") {
				t.Errorf("%d, %s: lines %s, want %s: %.500s", n, tc.pattern, got, tc.lines, out)
			}
		}
		part := "…" + strings.Repeat("a", 200) + "TODO TODO é é é é é [line of " + length + " bytes]"
		want := "f-1- first\nf:2: " + part + "\nf:3: TODO\nf-4- last"
		b.want("grep", `{"pattern":"TODO","context":1}`, `{"output":`+quoted(want)+`,"count":2}`, "2 matches in 1 file")
		part = strings.Repeat("a", longText) + "… [line of " + length + " bytes]"
		want = "f:1: first\nf-2- " + part + "\nf-3- TODO\nf:4: last"
		b.want("grep", `{"pattern":"first|last","context":2}`, `{"output":`+quoted(want)+`,"count":2}`, "2 matches in 1 file")
	}
}

func TestGrepMany(t *testing.T) {
	b := newBench(t, Config{})
	for i := range 50 {
		b.write(fmt.Sprintf("f%02d", i), strings.Repeat("x\n", 30))
	}
	r := b.call("grep", `{"pattern":"x"}`)
	out := field(t, r, "output")
	if !strings.HasPrefix(out, "f00:1: x\nf00:2: x\n") || !strings.HasSuffix(out, "f16:20: x\n\n[OUTPUT TRUNCATED - 500/1,500 matches shown. Narrow the search to see the rest]") {
		t.Errorf("%s", out)
	}
	if !strings.HasSuffix(text(r), `"count":1500,"truncated":true}`) || r.Report != "1,500 matches in 50 files" {
		t.Errorf("%q %s", r.Report, text(r)[len(text(r))-60:])
	}
}

// A pattern that matches everywhere is held in parts.
func TestGrepEverywhere(t *testing.T) {
	b := newBench(t, Config{})
	b.write("f", strings.Repeat("\n", 10_000)+"x\ny")
	for _, pattern := range []string{"x*", "^", "$", "()"} {
		if r := b.call("grep", `{"pattern":"`+pattern+`"}`); r.Report != "10,002 matches in 1 file" {
			t.Errorf("%s: %s", pattern, r.Report)
		}
	}
}

func TestGrepCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	b := newBench(t, Config{})
	for i := range 2000 {
		b.write(fmt.Sprintf("f%d", i), "x")
	}
	go cancel()
	r := b.callWith(ctx, "grep", `{"pattern":"x"}`, ikigai.Call{})
	if r.Failed != (field(t, r, "error_code") == "CANCELLED") {
		t.Error(text(r))
	}
}

// Files that cannot be read are counted, not hidden.
func TestGrepUnreadable(t *testing.T) {
	b := newBench(t, Config{})
	b.write("a", "x\n")
	p, _ := compile("x", false)
	s := search{pattern: p, root: b.dir, files: []string{"a", "gone"}, limit: time.Minute}
	s.run(context.Background())
	r := grepResult(Config{MaxOutput: 1 << 20}, &s, "")
	if text(r) != `{"output":"a:1: x","count":1}` || r.Note != "1 file could not be read." {
		t.Errorf("%s %q", text(r), r.Note)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "gone")); err == nil {
		t.Error("it is there")
	}
}
