package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ikigai/internal/storetest"
)

// What a killed process left is removed by the next write beside it: if it is
// old, of the right name, a file, and nobody's any more.
func TestLeftovers(t *testing.T) {
	b := newBench(t, Config{})
	for name, age := range map[string]time.Duration{
		".f.ikigai-ABCDEFGHIJ":      2 * leftoverAge,
		".other.ikigai-234567ABCD":  2 * leftoverAge,
		".new.ikigai-ABCDEFGHIJ":    0,
		".locked.ikigai-ABCDEFGHI2": 2 * leftoverAge,
		".f.ikigai-ABC":             2 * leftoverAge,
		".f.ikigai-abcdefghij":      2 * leftoverAge,
		"f.ikigai-ABCDEFGHIJ":       2 * leftoverAge,
	} {
		b.write(name, "x")
		when := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(b.dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/nowhere", filepath.Join(b.dir, ".link.ikigai-ABCDEFGHIJ")); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(filepath.Join(b.dir, ".locked.ikigai-ABCDEFGHI2"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := lock(held); err != nil {
		t.Fatal(err)
	}
	if r := b.call("file_write", `{"path":"f","content":"x"}`); r.Failed {
		t.Fatal(text(r))
	}
	b.onlyFiles(".f.ikigai-ABC", ".f.ikigai-abcdefghij", ".link.ikigai-ABCDEFGHIJ", ".locked.ikigai-ABCDEFGHI2", ".new.ikigai-ABCDEFGHIJ", "f", "f.ikigai-ABCDEFGHIJ")
}

// The names that a write makes are those that are looked for, and locked.
func TestCreateBeside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"f", strings.Repeat("é", 120)} {
		f, err := createBeside(filepath.Join(dir, name), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if !isLeftover(filepath.Base(f.Name())) {
			t.Errorf("%s is not known", f.Name())
		}
		again, err := os.Open(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if lock(again) == nil {
			t.Errorf("%s is not locked", f.Name())
		}
	}
}

// P14: on a disk that is full the old content stays, and nothing else.
func TestFullDisk(t *testing.T) {
	b := newBench(t, Config{})
	var lift func()
	b.dir, lift = storetest.SmallDisk(t, 1<<20, 700<<10)
	old := strings.Repeat("0123456789abcde\n", 40<<10) // 640 KiB
	b.write("f", old, "g", "x")
	if err := os.Link(filepath.Join(b.dir, "g"), filepath.Join(b.dir, "h")); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("y", 800<<10)
	for name, args := range map[string]string{
		"file_edit": everyEdit("\n", "\nand more\n"), "file_write": `{"path":"f","content":"` + big + `"}`, "file_edit ": `{"path":"h","edits":[{"old":"x","new":"` + big + `"}]}`,
	} {
		if r := b.call(strings.TrimSpace(name), args); field(t, r, "error_code") != "DISK_FULL" || !twoSentences.MatchString(field(t, r, "error")) {
			t.Errorf("%s: %.300s", name, text(r))
		}
		if b.read("f") != old || b.read("g") != "x" {
			t.Errorf("%s: the old content is gone", name)
		}
		b.onlyFiles("f", "g", "h")
	}
	// What is too large to be put back is not lost either: its end is written first.
	f, err := os.OpenFile(filepath.Join(b.dir, "g"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := setContent(f, []byte(big), 1, 0); err == nil || b.read("g") != "x" {
		t.Errorf("%v, %d bytes", err, len(b.read("g")))
	}
	lift()
	if r := b.call("file_edit", everyEdit("\n", "\nand more\n")); r.Failed {
		t.Error(text(r))
	}
}
