package resource

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func TestName(t *testing.T) {
	for _, tt := range []struct{ uri, dir, want string }{
		{"a.go", "/src", "/src/a.go"},
		{"../b c.go", "/src", "/b c.go"},
		{"./", "/src", "/src"},
		{"/etc//hosts", "/src", "/etc/hosts"},
		{"file:///etc/a%20b", "/src", "/etc/a b"},
		{"FILE://localhost/etc/../x", "", "/x"},
		{"file:/x", "", "/x"},
		{"file://elsewhere/x", "/src", "file://elsewhere/x"},
		{"https://example.org/a/../b?q=1", "/src", "https://example.org/a/../b?q=1"},
		{"config:main", "", "config:main"},
		{"12:30.txt", "/src", "/src/12:30.txt"},
		{"file:///a%00", "/src", "file:///a%00"},
		{"\xff", "/src", "/src/\uFFFD"},
		{" ", "/src", ""},
		{strings.Repeat("a", longest+1), "/src", ""},
	} {
		if got := Name(tt.uri, tt.dir); got != tt.want {
			t.Errorf("Name(%q, %q) = %q, want %q", tt.uri, tt.dir, got, tt.want)
		}
	}
}

func TestAdd(t *testing.T) {
	var list []ikigai.Resource
	for _, r := range []ikigai.Resource{{URI: "/a"}, {}, {URI: "/b", Changed: true, SHA256: "1"}, {URI: "/b", SHA256: "2"}, {URI: "/a", Changed: true}} {
		list = Add(list, r)
	}
	want := []ikigai.Resource{{URI: "/a", Changed: true}, {URI: "/b", Changed: true, SHA256: "2"}}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range 2 * Most {
		list = Add(list, ikigai.Resource{URI: fmt.Sprint("/", i)})
	}
	if len(list) != Most || list[Most-1].URI != fmt.Sprint("/", Most-3) {
		t.Errorf("%d resources, the last %v", len(list), list[len(list)-1])
	}
}

// FuzzName: a name is clean text, that of a name is itself, and what is named in
// a directory is an absolute path or a URL.
func FuzzName(f *testing.F) {
	for _, uri := range []string{"a", "../a", "file:///a%2f..%2f%00", "file:a", "http://[", "x:y", "\x00", "~/a", "file:////a//b"} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		name := Name(uri, "/dir")
		if name == "" {
			return
		}
		if !utf8.ValidString(name) || !filepath.IsAbs(name) && !strings.Contains(name, "://") {
			t.Errorf("Name(%q) = %q", uri, name)
		}
		if again := Name(name, "/dir"); again != name && len(name) <= longest {
			t.Errorf("Name(%q) = %q, and of that %q", uri, name, again)
		}
	})
}
