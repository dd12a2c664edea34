package wholefile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "er", "file.json")
	for _, content := range []string{"one", "", strings.Repeat("long ", 10000), "two"} {
		if err := Replace(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("the file holds %.20q, %v", got, err)
		}
	}
	alone(t, filepath.Dir(path), "file.json")
	for of, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700, filepath.Join(dir, "deep"): 0o700} {
		if info, err := os.Stat(of); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", of, info.Mode(), err)
		}
	}
}

// What others could read or write before is the owner's alone, and the parents stay
// as they are.
func TestReplaceTakesOver(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	must(t, os.Chmod(dir, 0o755))
	must(t, os.WriteFile(path, []byte("old"), 0o600))
	must(t, os.Chmod(path, 0o666))
	open, err := os.Open(path)
	must(t, err)
	defer open.Close()
	must(t, Replace(path, []byte("new")))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("its directory: %v, %v", info.Mode(), err)
	}
	old := make([]byte, 10)
	if n, _ := open.Read(old); string(old[:n]) != "old" {
		t.Errorf("who has the old one open reads %q", old[:n])
	}
}

func TestReplaceFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	path, away := filepath.Join(dir, "file"), filepath.Join(t.TempDir(), "away")
	must(t, os.WriteFile(away, []byte("theirs"), 0o600))
	must(t, os.Symlink(away, path))
	must(t, Replace(path, []byte("ours")))
	if got, err := os.ReadFile(away); err != nil || string(got) != "theirs" {
		t.Errorf("where the link led is %q, %v", got, err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link is now %v, %v", info.Mode(), err)
	}
}

// What cannot be written leaves nothing behind, and what was there as it was.
func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "taken", "x"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "flat"), []byte("x"), 0o600))
	for _, path := range []string{"taken", "flat/file"} {
		if Replace(filepath.Join(dir, path), []byte("new")) == nil {
			t.Errorf("%s is replaced", path)
		}
	}
	alone(t, dir, "flat", "taken")
}

// Whoever reads while others write finds one of their contents whole.
func TestReplaceIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, Replace(path, bytes.Repeat([]byte("0"), 10000)))
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			for range 10 {
				if err := Replace(path, bytes.Repeat([]byte{'a' + byte(i)}, 10000)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		got, err := os.ReadFile(path)
		if err != nil || len(got) != 10000 || len(bytes.Trim(got, string(got[:1]))) > 0 {
			t.Errorf("%d bytes were read, %v", len(got), err)
		}
	}
	writers.Wait()
	alone(t, filepath.Dir(path), "file")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// alone checks that a directory holds nothing else than names.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%s holds %q", dir, got)
	}
}
