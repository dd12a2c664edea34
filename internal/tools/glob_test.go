package tools

import (
	"fmt"
	"strings"
	"testing"
)

// S2.56, S2.62, S2.65: sorted paths and their number; nothing found is no
// failure. Hidden and ignored files only when they are asked for.
func TestGlob(t *testing.T) {
	b := newBench(t, Config{})
	b.write("b.go", "", "a.go", "", "c.txt", "", "sub/d.go", "", "sub/deep/e.go", "", ".hidden/f.go", "", ".env", "",
		".gitignore", "ignored.go\n", "ignored.go", "", "sp ace.md", "", "new\nline.md", "", "\xff.md", "")
	for args, want := range map[string]string{
		`{"pattern":"*.go"}`:                        "a.go b.go",
		`{"pattern":"**/*.go"}`:                     "a.go b.go sub/d.go sub/deep/e.go",
		`{"pattern":"./*.go"}`:                      "a.go b.go",
		`{"pattern":"*.go","path":"sub"}`:           "sub/d.go",
		`{"pattern":"*.go","path":"sub/"}`:          "sub/d.go",
		`{"pattern":"sub/**"}`:                      "sub/d.go sub/deep/e.go",
		`{"pattern":"**/deep/*"}`:                   "sub/deep/e.go",
		`{"pattern":"*.{go,txt}"}`:                  "a.go b.go c.txt",
		`{"pattern":"{sub/d,a}.go"}`:                "a.go sub/d.go",
		`{"pattern":"[!a].go"}`:                     "b.go",
		`{"pattern":"a.go"}`:                        "a.go",
		`{"pattern":"*/"}`:                          "sub/",
		`{"pattern":"sub/*/"}`:                      "sub/deep/",
		`{"pattern":"*.rs"}`:                        "",
		`{"pattern":"nowhere/*.go"}`:                "",
		`{"pattern":"a.go/*"}`:                      "",
		`{"pattern":".env"}`:                        ".env",
		`{"pattern":".*"}`:                          ".env .gitignore",
		`{"pattern":".hidden/*"}`:                   ".hidden/f.go",
		`{"pattern":"**/*.go","all":true}`:          ".hidden/f.go a.go b.go ignored.go sub/d.go sub/deep/e.go",
		`{"pattern":"` + b.dir + `/s*/*.go"}`:       b.dir + "/sub/d.go",
		`{"pattern":"*.go","path":"` + b.dir + `"}`: b.dir + "/a.go " + b.dir + "/b.go",
	} {
		paths := strings.Fields(want)
		what := "file"
		if strings.HasSuffix(want, "/") {
			what = "directory"
		}
		b.want("glob", args, fmt.Sprintf(`{"output":%s,"count":%d}`, quoted(strings.Join(paths, "\n")), len(paths)), plural(len(paths), what)+" found")
	}
	// S2.63: a name that is no text, or more than a line, is quoted as in Go.
	b.want("glob", `{"pattern":"*.md"}`, `{"output":"\"new\\nline.md\"\nsp ace.md\n\"\\xff.md\"","count":3}`, "3 files found")
}

func TestGlobMany(t *testing.T) {
	b := newBench(t, Config{})
	for i := range 1200 {
		b.write(fmt.Sprintf("f%04d", i), "")
	}
	r := b.call("glob", `{"pattern":"*"}`)
	out := field(t, r, "output")
	if !strings.HasPrefix(out, "f0000\nf0001\n") || !strings.HasSuffix(out, "\nf0999\n\n[OUTPUT TRUNCATED - 1,000/1,200 paths shown. Narrow the search to see the rest]") {
		t.Errorf("%.30s … %s", out, out[len(out)-100:])
	}
	if !strings.HasSuffix(text(r), `,"count":1200,"truncated":true}`) || r.Report != "1,200 files found" {
		t.Errorf("%q, %s", r.Report, text(r)[len(text(r))-60:])
	}
}
