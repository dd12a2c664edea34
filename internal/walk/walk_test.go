package walk

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write makes files; a path that ends with "/" is a directory.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for path, content := range files {
		full := filepath.Join(dir, path)
		if strings.HasSuffix(path, "/") {
			if err := os.MkdirAll(full, 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func paths(t testing.TB, root string, o Options) []string {
	t.Helper()
	list, err := Files(context.Background(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range list.Entries {
		all = append(all, e.Path)
	}
	return all
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		".git/info/exclude": "secret\n", ".git/HEAD": "", ".gitignore": "*.o\n/build/\n", ".hidden/x": "", ".env": "",
		"a-b": "", "a/b": "", "a/c.o": "", "a/.gitignore": "!c.o\nb\n", "build/x": "", "secret": "", "sub/build/y": "",
		"nested/.git/": "", "nested/z.o": "", "nested/.gitignore": "no\n", "nested/no": "",
	})
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		root string
		o    Options
		want []string
	}{
		{"", Options{}, []string{"a-b", "a/c.o", "link", "nested/z.o", "sub/build/y"}},
		{"", Options{Depth: 1}, []string{"a-b", "link"}},
		{"", Options{Dirs: true, Depth: 1}, []string{"a", "a-b", "link", "nested", "sub"}},
		{"", Options{Hidden: true}, []string{".env", ".gitignore", ".hidden/x", "a-b", "a/.gitignore", "a/c.o", "link", "nested/.gitignore", "nested/z.o", "sub/build/y"}},
		{"", Options{Ignored: true}, []string{"a-b", "a/b", "a/c.o", "build/x", "link", "nested/no", "nested/z.o", "secret", "sub/build/y"}},
		{"a", Options{}, []string{"c.o"}},     // the rules above hold
		{"build", Options{}, []string{"x"}},   // what is named is listed
		{".hidden", Options{}, []string{"x"}}, //
		{"link", Options{}, []string{"c.o"}},  //
		{"nested", Options{}, []string{"z.o"}},
	} {
		if diff := cmp.Diff(tc.want, paths(t, filepath.Join(dir, tc.root), tc.o)); diff != "" {
			t.Errorf("%q %+v (-want +got):\n%s", tc.root, tc.o, diff)
		}
	}
	if _, err := Files(context.Background(), filepath.Join(dir, "missing"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing root: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Files(ctx, dir, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestWorkTree(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"main/.git/info/exclude": "x\n", "main/.git/worktrees/w/commondir": "../..\n",
		"w/.git": "gitdir: " + dir + "/main/.git/worktrees/w\n", "w/x": "", "w/y": "",
	})
	if diff := cmp.Diff([]string{"y"}, paths(t, filepath.Join(dir, "w"), Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// tree holds names that patterns may take for something else.
var tree = []string{
	"a", "b.txt", "B.txt", "foo", "foo.o", "foo bar", "trail ", "x\\y", "#hash", "!bang", "[a]", "a*b", "é", "éa", "{a,b}", "-", "]", "^",
	"doc/a", "doc/b.txt", "doc/frotz/a.txt", "doc/frotz/foo/a", "src/foo/bar/baz.o", "src/foo/x", "src/a/foo/b", "a1/b2/c3/d4", "a1/c3",
	"x/a", "x/b/a", "x/b/c/a", "lib/foo/", "Zed/a", "0/1", "sub/.gitkeep", "sub/deep/foo.o", "tab\tname", "\xff\xfe",
}

// git lists what git does not ignore.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

func repository(t testing.TB) string {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	files := map[string]string{}
	for _, path := range tree {
		files[path] = ""
	}
	write(t, dir, files)
	return dir
}

func compare(t *testing.T, dir string) {
	t.Helper()
	var want []string
	for path := range strings.SplitSeq(git(t, dir, "ls-files", "--others", "--exclude-standard", "-z"), "\x00") {
		if path != "" {
			want = append(want, path)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, paths(t, dir, Options{Hidden: true})); diff != "" {
		t.Errorf("git against us (-git +us):\n%s", diff)
	}
}

// Every pattern alone, and all of them together, ignore what git ignores.
func TestLikeGit(t *testing.T) {
	dir := repository(t)
	patterns := strings.Split(`a
/a
a/
*.txt
*.o
!foo.o
foo
/foo
foo/
doc/a
/doc/*.txt
doc/*
doc/**
doc/**/a
**/foo
**/foo/**
foo/**
/**/a
a/**/b
x/**/a
x/**
**/
**
*
/*
!/doc
x/*/a
[a]
\[a\]
[!a]
[^a-z]*
[a-c]*
[]-]
[]
[a
[[:upper:]]*
[[:digit:]]
[[:nope:]]
[[:alpha:]*
[a-]
[\]]
[]a]*
#hash
\#hash
!bang
\!bang
trail\ 
trail 
foo bar
foo\ bar
x\\y
x\y
a\*b
a*b
a**b
?
??
????
{a,b}
\{a,b\}
é
é*
f?o*
*o*
*/a
*/*/a
src/*/foo
src/**/foo
src/foo**
src/**foo/x
**foo
***
x/***/a
/x/b/
x/b/
/x//a
//a
/
!
!/
\
a\
a\/
doc\/a
doc[/]a
doc?a
.git*
sub/.gitkeep
Zed/
zed
	
tab*
-
--
^
[0-1]/1`, "\n")
	ignore := filepath.Join(dir, ".gitignore")
	for _, p := range append(patterns, strings.Join(patterns, "\n"), "*\r\n!a\r\n!*/\r\n", "\uFEFFa\nb.txt", "*\n!*/\n!foo", "doc\n!doc/a") {
		if err := os.WriteFile(ignore, []byte(p), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Run(p, func(t *testing.T) { compare(t, dir) })
	}
	write(t, dir, map[string]string{".gitignore": "*.o\nfoo\n", "src/.gitignore": "!foo\n/foo/x\n", "src/foo/.gitignore": "!x\n!*.o\n", ".git/info/exclude": "doc\n!x\n"})
	compare(t, dir)
}

// FuzzLikeGit: whatever stands in a .gitignore file, git and this package agree.
// Git reads C strings, so that a NUL is out.
func FuzzLikeGit(f *testing.F) {
	for _, p := range []string{"*.o\n!foo.o", "doc/**/a\n", "[!a-c]*\n", "/x/\n!x/b", "a\\\n\\ \n# c\n", "*/\n!doc/\n", "doc/f**/a\n", "/s**", "src/foo**/\n!src/**", "[[:alpha:]-z]\n", "**/foo/**/b\n"} {
		f.Add(p)
	}
	dir := repository(f)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsRune(text, 0) {
			return
		}
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		compare(t, dir)
	})
}

// A pattern made to be slow is not.
func TestHostilePattern(t *testing.T) {
	segments, ok := parsePath(strings.Repeat("**/a*a*a*a*b/", 30) + "x")
	if !ok || matchPath(segments, strings.Repeat(strings.Repeat("a", 200)+"/", 60)+"x") {
		t.Error("matched")
	}
}

func BenchmarkFiles(b *testing.B) {
	root := filepath.Join(goRoot(b), "src")
	for b.Loop() {
		if list, err := Files(context.Background(), root, Options{}); err != nil || len(list.Entries) < 1000 {
			b.Fatal(err, len(list.Entries))
		}
	}
}

func BenchmarkWalkDir(b *testing.B) {
	root := filepath.Join(goRoot(b), "src")
	for b.Loop() {
		n := 0
		if err := filepath.WalkDir(root, func(string, os.DirEntry, error) error { n++; return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// goRoot returns the directory of the Go distribution, a large tree that is
// there wherever the benchmarks run.
func goRoot(b *testing.B) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
