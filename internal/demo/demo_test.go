package demo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteTree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "larder")
	if err := WriteTree(dir); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	todos := 0
	for _, name := range []string{"main.c", "db.c", "repl.c", "util.c"} {
		todos += strings.Count(read("src/"+name), "// TODO: ")
	}
	if todos != 3 {
		t.Errorf("%d TODO comments, want 3", todos)
	}
	if n := len(read("logs/queries.log")); n <= 10<<10 {
		t.Errorf("logs/queries.log has %d bytes, no more than a tool hands over at once", n)
	}
	if _, err := os.Stat(filepath.Join(dir, "config.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("config.json: %v, want none", err)
	}
	if err := WriteTree(dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second WriteTree: %v, want fs.ErrExist", err)
	}
}

func TestScript(t *testing.T) {
	s, err := Script()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Statements()); n != 4 {
		t.Errorf("%d statements, want the 4 of the seed: %q", n, s.Statements())
	}
}
