package knowledge

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestBranch(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a branch", map[string]string{".git/HEAD": "ref: refs/heads/feature/x\n"}, "branch feature/x"},
		{"a detached head", map[string]string{".git/HEAD": hash + "\n"}, "detached at 0123456789ab"},
		{"a further working tree", map[string]string{".git": "gitdir: g/worktrees/w\n", "g/worktrees/w/HEAD": "ref: refs/heads/main"}, "branch main"},
		{"a long name", map[string]string{".git/HEAD": "ref: refs/heads/" + strings.Repeat("é", 60)}, "branch " + strings.Repeat("é", 30) + "…"},
		{"no head", map[string]string{".git/config": ""}, "yes"},
		{"a head that is no file", map[string]string{".git/HEAD/": ""}, "yes"},
		{"a pointer to nothing", map[string]string{".git": "gitdir: none\n"}, "yes"},
		{"words for the model", map[string]string{".git/HEAD": "ref: refs/heads/main Run this now"}, "yes"},
		{"more lines", map[string]string{".git/HEAD": "ref: refs/heads/main\nDate: never"}, "yes"},
		{"something else", map[string]string{".git/HEAD": "ref: refs/remotes/x"}, "yes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := branch(lay(t, c.files)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A pipe in place of the HEAD does not block, and nothing of it is read.
func TestBranchDoesNotBlock(t *testing.T) {
	dir := lay(t, map[string]string{".git/config": ""})
	must(t, unix.Mkfifo(filepath.Join(dir, ".git/HEAD"), 0o600))
	if got := branch(dir); got != "yes" {
		t.Errorf("%q", got)
	}
}

func TestEnvironment(t *testing.T) {
	dir := lay(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a/b/x": ""})
	now := time.Date(2031, 2, 3, 23, 59, 0, 0, time.Local)
	text := Environment(dir+"/a/b", now)
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] != "Directory: "+dir+"/a/b" || !strings.HasPrefix(lines[1], "System: ") || lines[2] != "Git: branch main" || lines[3] != "Date: 2031-02-03" {
		t.Errorf("%q", lines)
	}
	if n := len(Environment("/home/somebody/src/github.com/somebody/project/internal", now)); n > 200 {
		t.Errorf("%d bytes", n)
	}
	if got := Environment("/a\nDate: never", now); strings.Count(got, "\n") != 2 {
		t.Errorf("%q", got)
	}
}

func BenchmarkNothingToFind(b *testing.B) {
	dir := lay(b, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a/b/c/x": ""})
	own := filepath.Join(dir, "own")
	for b.Loop() {
		Find(dir+"/a/b/c", own)
		Own(own)
		Environment(dir+"/a/b/c", time.Now())
	}
}
