package tools

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/resource"
)

// Each tool names what it has read and changed, by absolute paths and URLs; one
// that has done neither names nothing. What a command reads is not known, and
// what it changes is noticed by looking.
func TestResources(t *testing.T) { // S4.22
	at := site(t, map[string]http.HandlerFunc{"/page": says("text/plain", "text"), "/moved": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/page", http.StatusFound)
	}})
	b := newBench(t, Config{WebPrivate: true})
	b.write("a.go", "one\n", "sub/b.go", "one\n", "sub/c.go", "two\n")
	if err := os.Symlink("sub", filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	read := func(path string) ikigai.Resource { return ikigai.Resource{URI: filepath.Join(b.dir, path)} }
	known := func(path, content string, changed bool) ikigai.Resource {
		return ikigai.Resource{URI: filepath.Join(b.dir, path), SHA256: hashOf([]byte(content)), Changed: changed}
	}
	tried := map[string]bool{}
	for _, tt := range []struct {
		tool, args string
		want       []ikigai.Resource
	}{
		{"file_read", `{"path":"a.go"}`, []ikigai.Resource{known("a.go", "one\n", false)}},
		{"file_read", `{"path":"link/../a.go"}`, []ikigai.Resource{known("a.go", "one\n", false)}},
		{"file_read", `{"path":"none.go"}`, nil},
		{"grep", `{"pattern":"one"}`, []ikigai.Resource{read("a.go"), read("sub/b.go")}},
		{"grep", `{"pattern":"two","path":"link"}`, []ikigai.Resource{read("sub/c.go")}},
		{"grep", `{"pattern":"one","path":"sub/b.go"}`, []ikigai.Resource{read("sub/b.go")}},
		{"grep", `{"pattern":"three"}`, nil},
		{"glob", `{"pattern":"**/*.go"}`, nil},
		{"file_write", `{"path":"sub/new.go","content":"x"}`, []ikigai.Resource{known("sub/new.go", "x", true)}},
		{"file_edit", `{"path":"a.go","edits":[{"old":"one","new":"1"}]}`, []ikigai.Resource{known("a.go", "1\n", true)}},
		{"file_edit", `{"path":"a.go","edits":[{"old":"one","new":"2"}]}`, nil},
		{"bash", `{"command":"cat a.go > copy.go"}`, nil},
		{"job_output", `{"job":1}`, nil},
		{"job_stop", `{"job":1}`, nil},
		{"web_fetch", `{"url":"` + at + `/moved"}`, []ikigai.Resource{{URI: at + "/page"}}},
		{"web_fetch", `{"url":"` + at + `/none"}`, nil},
	} {
		tried[tt.tool] = true
		r := b.call(tt.tool, tt.args)
		if diff := cmp.Diff(tt.want, r.Resources); diff != "" {
			t.Errorf("%s %s: %s\n(-want +got):\n%s", tt.tool, tt.args, text(r), diff)
		}
	}
	for name := range b.tools {
		if !tried[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// A search that finds much names the first files.
func TestManyResources(t *testing.T) {
	b := newBench(t, Config{})
	for i := range resource.Most + 10 {
		b.write(fmt.Sprintf("f%03d", i), strings.Repeat("x\n", i))
	}
	r := b.call("grep", `{"pattern":"x"}`)
	if n := len(r.Resources); n != resource.Most || r.Resources[0].URI != filepath.Join(b.dir, "f001") || r.Resources[n-1].URI != filepath.Join(b.dir, "f100") {
		t.Errorf("%d resources: %v", len(r.Resources), r.Resources)
	}
}
