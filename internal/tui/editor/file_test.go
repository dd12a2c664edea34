package editor

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ikigai/internal/wholefile"
)

func open(t testing.TB, path string) *File {
	t.Helper()
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHistoryIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	h := open(t, path)
	if len(h.Entries()) != 0 {
		t.Fatalf("a new history has %q", h.Entries())
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a history of nothing has a file")
	}
	want := []string{"one", "two\nlines of <it> \u2028", "one"}
	for _, text := range []string{want[0], want[1], want[1], want[2], strings.Repeat("x", mostLineBytes+1)} {
		h.Add(text)
	}
	if h.Err() != nil {
		t.Fatal(h.Err())
	}
	if got := h.Entries(); !slices.Equal(got[:3], want) || len(got) != 4 {
		t.Errorf("in memory: %.80q", got)
	}
	if got := open(t, path).Entries(); !slices.Equal(got, want) {
		t.Errorf("in the file: %.80q", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}

func TestDamagedHistoryIsReadAroundTheDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	damaged := "{\"text\":\"one\"}\nnothing\n\n{\"other\":1}\n\xff\n{\"text\":\"two\"}\n{\"text\":\"cut"
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, path).Add("three")
	if got := open(t, path).Entries(); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("read %q", got)
	}
}

func TestHistoryThatCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	h, err := OpenHistory(dir) // no file can be there
	if err == nil {
		t.Error("a directory was read")
	}
	h.Add("one")
	if h.Err() == nil || !slices.Equal(h.Entries(), []string{"one"}) {
		t.Errorf("entries %q, error %v", h.Entries(), h.Err())
	}
}

func TestHistoryFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h := open(t, path)
	text := strings.Repeat("x", 60<<10)
	for i := range 150 {
		h.Add(fmt.Sprint(i, text))
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > mostFileBytes+2*mostLineBytes {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	got := open(t, path).Entries()
	if len(got) < 10 || !strings.HasPrefix(got[len(got)-1], "149x") {
		t.Errorf("%d entries are left", len(got))
	}
	for i := 1; i < len(got); i++ {
		var before, after int
		fmt.Sscan(strings.TrimRight(got[i-1], "x"), &before)
		fmt.Sscan(strings.TrimRight(got[i], "x"), &after)
		if after != before+1 {
			t.Fatalf("entry %d follows %d", after, before)
		}
	}
	leftovers(t, path)
}

func leftovers(t *testing.T, path string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Dir(path), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && p != path {
			t.Errorf("%s is left", p)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// The test binary is also the process that writes: with a path in its environment
// it does that instead of running tests.
const (
	pathVariable = "IKIGAI_TEST_HISTORY"
	nameVariable = "IKIGAI_TEST_NAME"
	written      = 400 // entries of each process
)

func TestMain(m *testing.M) {
	if path := os.Getenv(pathVariable); path != "" {
		writeHistory(path, os.Getenv(nameVariable))
		return
	}
	os.Exit(m.Run())
}

func writeHistory(path, name string) {
	h, err := OpenHistory(path)
	if err == nil {
		for i := range written {
			h.Add(fmt.Sprintf("%s-%d-%s", name, i, strings.Repeat("x", 4<<10)))
		}
		err = h.Err()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Four processes write more than the file keeps: it is made shorter while others
// write, and what is newest of each is in it, in the order in which it was written.
func TestProcessesShareAHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	names := []string{"a", "b", "c", "d"}
	var wait sync.WaitGroup
	for _, name := range names {
		wait.Go(func() {
			c := exec.CommandContext(t.Context(), os.Args[0])
			c.Env = append(os.Environ(), pathVariable+"="+path, nameVariable+"="+name)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wait.Wait()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(all); n > mostFileBytes+64<<10 || bytes.Count(all, []byte("\n")) < 200 {
		t.Errorf("%d bytes, %d lines", n, bytes.Count(all, []byte("\n")))
	}
	last := map[string]int{}
	h := &File{lines: all}
	h.load()
	if n := bytes.Count(all, []byte("{")); len(h.entries) != n {
		t.Errorf("%d entries in %d lines", len(h.entries), n)
	}
	for _, text := range h.entries {
		part := strings.Split(text, "-")
		var i int
		fmt.Sscan(part[1], &i)
		if before, seen := last[part[0]]; seen && i != before+1 {
			t.Errorf("%s: %d follows %d", part[0], i, before)
		}
		last[part[0]] = i
	}
	for name, i := range last {
		if i != written-1 {
			t.Errorf("%s: the last entry is %d", name, i)
		}
	}
	leftovers(t, path)
}

// Each of two windows finds what the other has sent since it was opened, in the order
// in which it was sent, and nothing twice.
func TestHistoryOfTwoWindows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	open(t, path).Add("before")
	a, b := open(t, path), open(t, path)
	for _, step := range []struct {
		by   *File
		text string
		sees []string
	}{
		{a, "one", []string{"before", "one"}},
		{b, "two", []string{"before", "one", "two"}},
		{b, "three", []string{"before", "one", "two", "three"}},
		{a, "three", []string{"before", "one", "two", "three"}}, // it equals the last
		{a, strings.Repeat("x", mostLineBytes+1), []string{"before", "one", "two", "three"}},
		{b, "four", []string{"before", "one", "two", "three", "four"}},
	} {
		step.by.Add(step.text)
		if got := b.Entries(); !slices.Equal(got, step.sees) {
			t.Errorf("after %.20q there is %.80q", step.text, got)
		}
	}
	if got := a.Entries(); len(got) != 6 || got[5] != "four" {
		t.Errorf("the other window has %.80q", got)
	}
}

// What was made shorter, by whatever way, is read anew; a line that somebody is
// writing counts once it is whole.
func TestHistoryIsReadOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h := open(t, path)
	write := func(how int, text string) {
		t.Helper()
		f, err := os.OpenFile(path, how|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		do   func()
		sees []string
	}{
		{func() { write(os.O_APPEND, `{"text":"one"}`+"\n"+`{"text":"tw`) }, []string{"one"}},
		{func() { write(os.O_APPEND, `o"}`+"\n") }, []string{"one", "two"}},
		{func() { write(os.O_TRUNC, `{"text":"new"}`+"\n") }, []string{"new"}},
		{func() { must(t, wholefile.Replace(path, []byte(`{"text":"new"}`+"\n"+`{"text":"newer"}`+"\n"))) }, []string{"new", "newer"}},
		{func() { must(t, os.Remove(path)) }, []string{"new", "newer"}},
		{func() { h.Add("newest") }, []string{"newest"}},
	} {
		step.do()
		if got := h.Entries(); !slices.Equal(got, step.sees) {
			t.Errorf("there is %q, want %q", got, step.sees)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
