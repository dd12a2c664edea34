package trust

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// lay puts files into a new directory. A name that ends in * is executable, a
// content that begins with "-> " makes a link.
func lay(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for name, content := range files {
		put(t, dir, name, content)
	}
	return dir
}

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	mode := os.FileMode(0o644)
	if base, ok := strings.CutSuffix(name, "*"); ok {
		name, mode = base, 0o755
	}
	path := filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.RemoveAll(path))
	if target, ok := strings.CutPrefix(content, "-> "); ok {
		must(t, os.Symlink(target, path))
		return
	}
	must(t, os.WriteFile(path, []byte(content), mode))
	must(t, os.Chmod(path, mode))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func scan(t testing.TB, dir string) *Project {
	t.Helper()
	p, err := Scan(dir, "", Texts{})
	must(t, err)
	return p
}

// told returns the items in words, with where they point to.
func told(p *Project) []string {
	var all []string
	for _, i := range p.Items {
		text := i.String()
		if i.Link != "" {
			text += " -> " + i.Link
		}
		all = append(all, text)
	}
	return all
}

func TestScan(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string
		want    []string
		problem string // the end of it
	}{
		{name: "nothing", files: map[string]string{"README.md": "x"}},
		{name: "a directory that brings nothing", files: map[string]string{".ikigai/notes": "x"}},
		{name: "all kinds", files: map[string]string{
			".ikigai/config.json": "{}", ".mcp.json": "{}", ".ikigai/tools/deploy*": "#!/bin/sh", ".ikigai/tools/README": "x", ".ikigai/tools/lib/x.sh*": "x", "AGENTS.md": "x"},
			want: []string{"settings .ikigai/config.json", "MCP servers .mcp.json", "tool deploy", "file .ikigai/tools/README", "file .ikigai/tools/lib/x.sh"}},
		{name: "links among the tools", files: map[string]string{
			".ikigai/tools/a*": "x", ".ikigai/tools/b": "-> a", ".ikigai/tools/c/d": "-> ../b", ".ikigai/tools/e": "-> c"},
			want: []string{"tool a", "tool b -> a", "tool e -> c", "file .ikigai/tools/c/d -> ../b"}},
		{name: "a link into the project", files: map[string]string{".ikigai/tools/run": "-> ../../bin/run", "bin/run*": "x"},
			want: []string{"tool run -> ../../bin/run"}},
		{name: "a link by way of a link into the project", files: map[string]string{
			".ikigai/tools/a": "-> b/../../../secret", ".ikigai/tools/b": "-> c/d", ".ikigai/tools/c/d/x": "x", "secret": "x", ".ikigai/secret": "y"},
			want: []string{"tool b -> c/d", "file .ikigai/tools/a -> b/../../../secret", "file .ikigai/tools/c/d/x"}},
		{name: "links that lead nowhere", files: map[string]string{
			".ikigai/tools/a": "-> b", ".ikigai/tools/c": "-> c", ".ikigai/tools/d": "-> x/y", ".ikigai/tools/x": "file", ".ikigai/tools/e": "-> ../../none"},
			want: []string{"file .ikigai/tools/x"}},
		{name: "tools by a link", files: map[string]string{".ikigai/tools": "-> ../bin", "bin/x*": "x"}, want: []string{"tool x"}},
		// P43: nothing outside of the project counts as the project's.
		{name: "a link out of the project", files: map[string]string{".ikigai/tools/sh": "-> /bin/sh"},
			problem: "/.ikigai/tools/sh leads out of the project. Put a copy of what it points to in its place, or remove it."},
		{name: "a link out of the project by ..", files: map[string]string{".ikigai/tools/sh": "-> ../../../../../../../../bin/sh"},
			problem: "/.ikigai/tools/sh leads out of the project. Put a copy of what it points to in its place, or remove it."},
		{name: "settings out of the project", files: map[string]string{".ikigai/config.json": "-> /etc/passwd"},
			problem: "/.ikigai/config.json leads out of the project. Put a copy of what it points to in its place, or remove it."},
		{name: "all of it out of the project", files: map[string]string{".ikigai": "-> /etc"},
			problem: "/.ikigai leads out of the project. Put a copy of what it points to in its place, or remove it."},
		{name: "a link to a directory of the project", files: map[string]string{".ikigai/tools/a": "-> ../../src", "src/x": "x"},
			problem: "/.ikigai/tools/a is neither a file nor a link to a file of the project. Remove it, or put a file in its place."},
		{name: "no directory", files: map[string]string{".ikigai/tools": "x"},
			problem: "/.ikigai/tools is no directory. Put tools into a directory of that name, or remove it."},
		{name: "large settings", files: map[string]string{".mcp.json": strings.Repeat(" ", maxSettings+1)},
			problem: "/.mcp.json goes beyond the 256 KiB that can be judged. Make it smaller."},
		{name: "deep settings", files: map[string]string{".ikigai/config.json": strings.Repeat(`{"a":`, maxNesting+1)},
			problem: "/.ikigai/config.json holds more than the 4096 objects and lists that can be judged. Make it smaller."},
		{name: "too deep", files: map[string]string{".ikigai/tools/" + strings.Repeat("d/", maxDepth) + "x": "x"},
			problem: "/d lies too deep to be judged. Keep tools in fewer directories."},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := lay(t, c.files)
			p := scan(t, dir)
			if !strings.HasSuffix(p.Problem, c.problem) || (p.Problem == "") != (c.problem == "") || !strings.HasPrefix(p.Problem, dir) && p.Problem != "" {
				t.Errorf("problem %q, want …%q", p.Problem, c.problem)
			}
			if diff := cmp.Diff(c.want, told(p)); c.problem == "" && diff != "" {
				t.Error(diff)
			}
			if p.Empty() != (c.want == nil && c.problem == "") {
				t.Errorf("empty: %v", p.Empty())
			}
		})
	}
}

func TestScanRefusesWhatIsTooMuch(t *testing.T) {
	dir := lay(t, nil)
	for i := range maxFiles + 1 {
		put(t, dir, fmt.Sprintf(".ikigai/tools/%d", i), "")
	}
	if p := scan(t, dir); !strings.HasSuffix(p.Problem, "holds more than the 4096 files that can be judged. Keep elsewhere what is no tool.") {
		t.Errorf("problem %q", p.Problem)
	}
	dir = lay(t, nil)
	put(t, dir, ".ikigai/tools/a", "x")
	put(t, dir, ".ikigai/tools/b", "")
	must(t, os.Truncate(filepath.Join(dir, ".ikigai/tools/b"), maxBytes))
	if p := scan(t, dir); !strings.HasSuffix(p.Problem, "goes beyond the 32768 KiB that can be judged. Make it smaller.") {
		t.Errorf("problem %q", p.Problem)
	}
}

// What is no file neither blocks nor counts.
func TestScanOfPipe(t *testing.T) {
	dir := lay(t, map[string]string{".ikigai/tools/a": "x"})
	must(t, unix.Mkfifo(filepath.Join(dir, ".ikigai/tools/pipe"), 0o755))
	if p := scan(t, dir); !strings.Contains(p.Problem, "/pipe is neither a file nor a link to a file") {
		t.Errorf("problem %q", p.Problem)
	}
}

func TestScanPassesOverWhatIsMine(t *testing.T) {
	dir := lay(t, map[string]string{".ikigai/config.json": "{}"})
	p, err := Scan(dir, filepath.Join(dir, ".ikigai/config.json"), Texts{})
	must(t, err)
	if !p.Empty() {
		t.Errorf("brings %v", told(p))
	}
}

// Every change that could make something else act changes the hash, and is told.
func TestChangesChangeTheHash(t *testing.T) {
	files := map[string]string{
		".ikigai/config.json": `{"model": "a/b"}`, ".mcp.json": "{}", ".ikigai/tools/run*": "one", ".ikigai/tools/lib/x": "two",
		".ikigai/tools/in": "-> run", ".ikigai/tools/out": "-> ../../bin/out", "bin/out*": "three", "src/main.go": "x"}
	for _, c := range []struct {
		name, content string
		want          []Change
	}{
		{"src/main.go", "y", nil},
		{".ikigai/config.json", `{"model": "a/c"}`, []Change{{".ikigai/config.json", "changed"}}},
		{".ikigai/config.json*", `{"model": "a/b"}`, nil},
		{".mcp.json", "{} ", []Change{{".mcp.json", "changed"}}},
		{".ikigai/tools/run*", "two", []Change{{".ikigai/tools/run", "changed"}}},
		{".ikigai/tools/run", "one", []Change{{".ikigai/tools/run", "changed"}}}, // its mode
		{".ikigai/tools/lib/x", "", []Change{{".ikigai/tools/lib/x", "changed"}}},
		{".ikigai/tools/in", "-> lib/x", []Change{{".ikigai/tools/in", "changed"}}},
		{".ikigai/tools/in*", "one", []Change{{".ikigai/tools/in", "changed"}}},
		{"bin/out*", "four", []Change{{".ikigai/tools/out", "changed"}}},
		{".ikigai/tools/lib/y", "", []Change{{".ikigai/tools/lib/y", "new"}}},
		{".ikigai/tools/lib", "-> none", []Change{{".ikigai/tools/lib/x", "gone"}}},
	} {
		dir := lay(t, files)
		before := scan(t, dir)
		book := Open(filepath.Join(t.TempDir(), "trust.json"))
		must(t, book.Decide(before, true))
		put(t, dir, c.name, c.content)
		after := scan(t, dir)
		last, _, err := book.Last(dir)
		must(t, err)
		if diff := cmp.Diff(c.want, last.Changes(after)); diff != "" {
			t.Errorf("%s = %q: %s", c.name, c.content, diff)
		}
		if trusted := book.Trusted(after); trusted != (c.want == nil) {
			t.Errorf("%s = %q: trusted: %v", c.name, c.content, trusted)
		}
	}
}

func TestDoes(t *testing.T) {
	for content, want := range map[string][]string{
		`{"vendors": {"openai": {"base_url": "https://x", /* hm */ "headers": {}}}, "n": [1, 2,], }`: {
			`vendors.openai.base_url = "https://x"`, `vendors.openai.headers = {}`, `n = [1,2]`},
		`{"mcpServers": {"x": {"command": "sh", "args": ["-c", "curl x | sh"]}}}`: {
			`mcpServers.x.command = "sh"`, `mcpServers.x.args = ["-c","curl x | sh"]`},
		"// nothing": nil,
		`{`:          {"what cannot be read as JSON"},
		`[1]`:        {" = [1]"},
	} {
		if diff := cmp.Diff(want, settingsDo([]byte(content))); diff != "" {
			t.Errorf("%s: %s", content, diff)
		}
	}
	many := settingsDo([]byte(`{"k": ` + strings.Repeat(`{"a": 1, "b": `, 500) + "1" + strings.Repeat("}", 501)))
	if len(many) != maxLines || many[maxLines-1] != "and more" {
		t.Errorf("%d lines, the last %q", len(many), many[len(many)-1])
	}
	deep := []byte(strings.Repeat(`{"a long name":`, maxNesting) + "1" + strings.Repeat("}", maxNesting))
	if lines := settingsDo(deep); len(lines) != 1 || len(lines[0]) > maxLine+len("…") {
		t.Errorf("deep settings are described by %q", lines)
	}
}

// FuzzHash states that no two projects that differ in a name, a kind or a byte
// share a hash, and that the order of reading does not count.
func FuzzHash(f *testing.F) {
	f.Add([]byte("fa\x00b\x01lc\x00d"), []byte("fa\x00b\x01lc\x00e"), uint64(1))
	f.Add([]byte("fab\x00c"), []byte("fa\x00bc"), uint64(2))
	f.Add([]byte("fa\x00\x01fb\x00"), []byte("fa\x00fb\x00"), uint64(3))
	f.Add([]byte("xa\x00b"), []byte("fa\x00b"), uint64(4))
	f.Fuzz(func(t *testing.T, one, two []byte, seed uint64) {
		a, b := project(one), project(two)
		same := slices.EqualFunc(a.entries, b.entries, func(x, y entry) bool {
			return x.kind == y.kind && x.path == y.path && bytes.Equal(x.data, y.data)
		})
		if (a.SHA256() == b.SHA256()) != same {
			t.Errorf("same %v, hashes %s and %s", same, a.SHA256(), b.SHA256())
		}
		s := &scanner{entries: slices.Clone(a.entries)}
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(s.entries), func(i, j int) { s.entries[i], s.entries[j] = s.entries[j], s.entries[i] })
		if s.project().SHA256() != a.SHA256() {
			t.Error("the order of reading changes the hash")
		}
	})
}

// project makes entries of text: kind, path, NUL and content of each, with \x01
// between them. A path that comes again is passed over.
func project(text []byte) *Project {
	s, seen := &scanner{}, map[string]bool{}
	for part := range bytes.SplitSeq(text, []byte{1}) {
		path, data, ok := bytes.Cut(part, []byte{0})
		if !ok || len(path) < 2 || seen[string(path[1:])] {
			continue
		}
		seen[string(path[1:])] = true
		s.entries = append(s.entries, entry{kind: entryKind(path[0]), path: string(path[1:]), data: data})
	}
	return s.project()
}

func BenchmarkScanNothing(b *testing.B) {
	dir := lay(b, nil)
	for b.Loop() {
		if _, err := Scan(dir, "", Texts{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScanTools(b *testing.B) {
	files := map[string]string{".ikigai/config.json": "{}"}
	for i := range 10 {
		files[fmt.Sprintf(".ikigai/tools/t%d*", i)] = strings.Repeat("x", 4<<10)
	}
	dir := lay(b, files)
	for b.Loop() {
		if _, err := Scan(dir, "", Texts{}); err != nil {
			b.Fatal(err)
		}
	}
}
