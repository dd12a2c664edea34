package exttool

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// A problem is told once, also by another process, and once more when it has
// changed, or has come back. What other directories have is not forgotten.
func TestNews(t *testing.T) {
	root := t.TempDir()
	dir, other, store := filepath.Join(root, "tools"), filepath.Join(root, "other"), filepath.Join(root, "cache")
	path := write(t, dir, "a", "#!/bin/sh\necho no >&2; exit 1\n")
	write(t, other, "b", "#!/bin/sh\nexit 2\n")
	in := func(dir, store string) int {
		t.Helper()
		set := loaded(Config{Dirs: []Dir{{Path: dir}}, Env: env(), Cache: store})
		defer set.Close()
		return len(set.News())
	}
	repaired := script("a", "", "")
	for _, step := range []struct {
		name, content, dir string
		want               int
	}{
		{"new", "", dir, 1},
		{"known", "", dir, 0},
		{"elsewhere", "", other, 1},
		{"known still", "", dir, 0},
		{"known elsewhere", "", other, 0},
		{"changed", "#!/bin/sh\nexit 4\n", dir, 1},
		{"repaired", repaired, dir, 0},
		{"back", "#!/bin/sh\nexit 4\n", dir, 1},
	} {
		if step.content != "" {
			write(t, dir, "a", step.content)
		}
		if got := in(step.dir, store); got != step.want {
			t.Errorf("%s: %d are news, want %d", step.name, got, step.want)
		}
	}
	for range 2 {
		if in(dir, "") != 1 {
			t.Error("what cannot be remembered is not told")
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if in(other, store) != 0 || len(readTold(store)) != 1 {
		t.Errorf("%v", readTold(store))
	}
}

// The set of a process tells each problem once.
func TestNewsOfOneSet(t *testing.T) {
	dir := t.TempDir()
	set := loaded(Config{Dirs: []Dir{{Path: dir}}, Env: env(), Cache: filepath.Join(t.TempDir(), "cache")})
	defer set.Close()
	write(t, dir, "a", "#!/bin/sh\nexit 1\n")
	for i, want := range []int{1, 0, 0} {
		set.Refresh(context.Background())
		if got := set.News(); len(got) != want {
			t.Errorf("%d: %v", i, got)
		}
	}
}
