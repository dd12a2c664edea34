package walk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A directory of a hundred thousand entries is listed whole, and in order.
func TestManyEntries(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "walk") // in memory; on a disk it takes long
	if err != nil {
		dir = t.TempDir()
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var want []string
	for i := range 100_000 {
		name := fmt.Sprintf("%d", i)
		want = append(want, name)
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, paths(t, dir, Options{})); diff != "" {
		t.Errorf("%d bytes of difference", len(diff))
	}
}

// What lies below a directory stands where its path belongs, byte by byte, with
// the slash, and a directory itself without it.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a/z": "", "a/b/c": "", "a/b-": "", "a-b": "", "a.b": "", "a0": "", "ab/x": "", "\xff": "", "new\nline": "", "é": "", "A": ""})
	want := []string{"A", "a", "a-b", "a.b", "a/b", "a/b-", "a/b/c", "a/z", "a0", "ab", "ab/x", "new\nline", "é", "\xff"}
	if diff := cmp.Diff(want, paths(t, dir, Options{Dirs: true})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Links are listed, not followed: they cannot lead in circles.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a/f": ""})
	for link, target := range map[string]string{"a/up": "..", "self": "self", "b": "a"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := Files(context.Background(), dir, Options{})
	want := []Entry{{"a/f", 0}, {"a/up", os.ModeSymlink}, {"b", os.ModeSymlink}, {"pipe", os.ModeNamedPipe}, {"self", os.ModeSymlink}}
	if diff := cmp.Diff(want, list.Entries); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Directories that cannot be read are counted: those of others, and one whose
// path is too long for the system.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"open/f": "", "closed/f": ""})
	if err := os.Chmod(filepath.Join(dir, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o700) }()
	for up := dir; up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		if err := os.Chmod(up, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	defer asNobody(t)()
	list, err := Files(context.Background(), dir, Options{})
	if err != nil || list.Unreadable != 1 || !slices.Equal(list.Entries, []Entry{{"open/f", 0}}) {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := Files(context.Background(), filepath.Join(dir, "closed"), Options{}); !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}
}

// asNobody takes root's rights from the test until what it returns is called.
func asNobody(t *testing.T) func() {
	if os.Geteuid() != 0 {
		return func() {}
	}
	if err := syscall.Setresuid(-1, 65534, -1); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Setresuid(-1, 0, -1); err != nil {
			panic(err) // the tests after this one need them
		}
	}
}

func TestPathTooLong(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("d", 200)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 25 {
		if err := root.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
		below, err := root.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		_ = root.Close()
		root = below
	}
	_ = root.Close()
	list, err := Files(context.Background(), dir, Options{})
	if err != nil || list.Unreadable != 1 {
		t.Errorf("%d unreadable, %v", list.Unreadable, err)
	}
}
