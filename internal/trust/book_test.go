package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestBook(t *testing.T) {
	book := Open(filepath.Join(t.TempDir(), "new", "trust.json"))
	dir := lay(t, map[string]string{".ikigai/tools/run*": "one"})
	p := scan(t, dir)
	if book.Trusted(p) {
		t.Error("trusted before anything was said")
	}
	must(t, book.Decide(p, false))
	if d, found, err := book.Last(dir); err != nil || !found || d.Trusted || !d.Holds(p) || d.Time == 0 || book.Trusted(p) {
		t.Errorf("after no: %+v, %v, %v", d, found, err)
	}
	must(t, book.Decide(p, true))
	if !book.Trusted(p) {
		t.Error("not trusted after yes")
	}
	if mode := must2(t)(os.Stat(book.Path())).Mode().Perm(); mode != 0o600 {
		t.Errorf("mode %o", mode)
	}
	elsewhere := scan(t, lay(t, map[string]string{".ikigai/tools/run*": "one"}))
	if book.Trusted(elsewhere) {
		t.Error("the same bytes are trusted in another directory")
	}
	must(t, book.Forget(dir))
	if book.Trusted(p) {
		t.Error("trusted after it was forgotten")
	}
	if err := book.Forget(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("forgotten twice: %v", err)
	}
}

// A project with a problem is never trusted, whatever the book says.
func TestProblemIsNeverTrusted(t *testing.T) {
	dir := lay(t, map[string]string{".ikigai/tools/run*": "one"})
	book := Open(filepath.Join(t.TempDir(), "trust.json"))
	p := scan(t, dir)
	must(t, book.Decide(p, true))
	p.Problem = "x"
	if book.Trusted(p) || book.Decide(p, true) == nil {
		t.Error("trusted")
	}
	if s, err := p.Seal(vault(t)); err == nil {
		t.Errorf("sealed in %s", s.Dir)
	}
}

// Names that differ in bytes that are no UTF-8 are different projects and items.
func TestBookKeepsEveryName(t *testing.T) {
	book, base := Open(filepath.Join(t.TempDir(), "trust.json")), lay(t, nil)
	one, two := filepath.Join(base, "a\xff"), filepath.Join(base, "a\xfe")
	for _, dir := range []string{one, two} {
		put(t, dir, ".ikigai/tools/\xf0*", "x")
	}
	must(t, book.Decide(scan(t, one), true))
	must(t, book.Decide(scan(t, two), false))
	if !book.Trusted(scan(t, one)) || book.Trusted(scan(t, two)) {
		t.Error("two directories became one")
	}
	all, err := book.List()
	must(t, err)
	if len(all) != 2 || all[0].Dir != two || all[1].Dir != one || len(all[0].Changes(scan(t, two))) != 0 {
		t.Errorf("listed: %+v", all)
	}
	for _, path := range []string{"", `"`, `"a"`, "a\xff", "`x`", "/ö\n"} {
		if got := decode(encode(path)); got != path {
			t.Errorf("%q becomes %q", path, got)
		}
	}
}

func TestDecisionsAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.json")
	base := lay(t, nil)
	var all sync.WaitGroup
	const count = 20
	for i := range count {
		dir := filepath.Join(base, strconv.Itoa(i))
		put(t, dir, ".ikigai/tools/run*", "one")
		p := scan(t, dir)
		all.Go(func() {
			if err := Open(path).Decide(p, true); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := Open(path).List(); err != nil || len(list) != count {
		t.Errorf("%d decisions, %v", len(list), err)
	}
}

func TestBookThatCannotBeBelieved(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"writable by others": func(path string) error { return os.Chmod(path, 0o622) },
		"damaged":            func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
		"of a later version": func(path string) error { return os.WriteFile(path, []byte(`{"version": 2}`), 0o600) },
		"a directory":        func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		book := Open(filepath.Join(t.TempDir(), "trust.json"))
		p := scan(t, lay(t, map[string]string{".ikigai/tools/run*": "one"}))
		must(t, book.Decide(p, true))
		must(t, spoil(book.Path()))
		if book.Trusted(p) {
			t.Errorf("%s: trusted", name)
		}
		before, _ := os.ReadFile(book.Path())
		if err := book.Decide(p, true); err == nil || !strings.Contains(err.Error(), book.Path()) {
			t.Errorf("%s: decided: %v", name, err)
		}
		if after, _ := os.ReadFile(book.Path()); string(after) != string(before) {
			t.Errorf("%s: written over", name)
		}
	}
}
