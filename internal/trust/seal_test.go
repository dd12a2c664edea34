package trust

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func seal(t *testing.T, p *Project, into string) *Sealed {
	t.Helper()
	s, err := p.Seal(into)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// vault returns where copies are sealed, and lets the test remove them.
func vault(t *testing.T) string {
	into := filepath.Join(t.TempDir(), "data", "trusted")
	must(t, os.MkdirAll(filepath.Dir(into), 0o755))
	t.Cleanup(func() { must(t, removeAll(filepath.Dir(into))) })
	return into
}

// held returns what lies in a directory: the content of files, "-> " and where
// links point to, with * behind the names of executables.
func held(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, info := strings.TrimPrefix(path, dir+"/"), must2(t)(d.Info())
		if d.Type() == fs.ModeSymlink {
			target, err := os.Readlink(path)
			all[name] = "-> " + target
			return err
		}
		if info.Mode()&0o111 != 0 {
			name += "*"
		}
		content, err := os.ReadFile(path)
		all[name] = string(content)
		return err
	}))
	return all
}

func must2(t *testing.T) func(fs.FileInfo, error) fs.FileInfo {
	return func(info fs.FileInfo, err error) fs.FileInfo { must(t, err); return info }
}

var toolFiles = map[string]string{
	".ikigai/config.json": "{}", ".ikigai/tools/run*": "#!/bin/sh\n. \"$(dirname \"$0\")/lib/x\"\n", ".ikigai/tools/lib/x": "echo one\n",
	".ikigai/tools/in": "-> lib/x", ".ikigai/tools/out": "-> ../../bin/out", "bin/out*": "three", ".ikigai/tools/dangling": "-> ../../trust.json",
}

func TestSeal(t *testing.T) {
	dir, into := lay(t, toolFiles), vault(t)
	s := seal(t, scan(t, dir), into)
	want := map[string]string{"run*": toolFiles[".ikigai/tools/run*"], "lib/x": "echo one\n", "in": "-> lib/x", "out*": "three"}
	if diff := cmp.Diff(want, held(t, s.Dir)); diff != "" {
		t.Error(diff)
	}
	if out, err := exec.Command(filepath.Join(s.Dir, "run")).CombinedOutput(); string(out) != "one\n" {
		t.Errorf("runs as %q, %v", out, err)
	}
	for path, mode := range map[string]fs.FileMode{into: 0o700, s.Dir: sealedDir, s.Dir + "/lib": sealedDir, s.Dir + "/lib/x": sealedFile, s.Dir + "/run": sealedExec} {
		if got := must2(t)(os.Stat(path)).Mode().Perm(); got != mode {
			t.Errorf("%s has mode %o, want %o", path, got, mode)
		}
	}
	if again := seal(t, scan(t, dir), into); again.Dir != s.Dir {
		t.Errorf("sealed again in %s, first in %s", again.Dir, s.Dir)
	}
	put(t, dir, ".ikigai/config.json", "{ }")
	if other := seal(t, scan(t, dir), into); other.Dir != s.Dir {
		t.Error("other settings make another copy of the tools")
	}
}

// P40, P43: the bytes that were hashed are the bytes that are used, whatever is
// put in their place after that.
func TestBytesThatWereHashedAreUsed(t *testing.T) {
	evil := filepath.Join(lay(t, map[string]string{"evil*": "evil", "lib/x": "evil"}), "evil")
	swaps := map[string]func(t *testing.T, dir string){
		"content":     func(t *testing.T, dir string) { put(t, dir, ".ikigai/tools/run*", "evil") },
		"beside":      func(t *testing.T, dir string) { put(t, dir, ".ikigai/tools/lib/x", "evil") },
		"mode":        func(t *testing.T, dir string) { put(t, dir, ".ikigai/tools/lib/x*", "echo one\n") },
		"link":        func(t *testing.T, dir string) { put(t, dir, ".ikigai/tools/run", "-> "+evil) },
		"link target": func(t *testing.T, dir string) { put(t, dir, "bin/out*", "evil") },
		"inner link":  func(t *testing.T, dir string) { put(t, dir, ".ikigai/tools/in", "-> "+evil) },
		"parent":      func(t *testing.T, dir string) { put(t, dir, ".ikigai/tools/lib", "-> "+filepath.Dir(evil)+"/lib") },
		"all":         func(t *testing.T, dir string) { put(t, dir, ".ikigai", "-> "+filepath.Dir(evil)) },
		"settings":    func(t *testing.T, dir string) { put(t, dir, ".ikigai/config.json", "evil") },
		"servers":     func(t *testing.T, dir string) { put(t, dir, ".mcp.json", "evil") },
		"gone":        func(t *testing.T, dir string) { must(t, os.RemoveAll(filepath.Join(dir, ".ikigai"))) },
	}
	for name, swap := range swaps {
		t.Run(name, func(t *testing.T) {
			dir, into := lay(t, toolFiles), vault(t)
			put(t, dir, ".mcp.json", "{}")
			book := Open(filepath.Join(t.TempDir(), "trust.json"))
			judged := scan(t, dir)
			want := held(t, seal(t, judged, vault(t)).Dir)
			must(t, book.Decide(judged, true))

			p := scan(t, dir)
			swap(t, dir) // between scan and decision
			if !book.Trusted(p) {
				t.Fatal("what was read before is not trusted")
			}
			s := seal(t, p, into)
			swap(t, dir) // between decision and use
			if diff := cmp.Diff(want, held(t, s.Dir)); diff != "" {
				t.Error(diff)
			}
			if string(p.Config()) != "{}" || string(p.MCP()) != "{}" {
				t.Errorf("settings %q, servers %q", p.Config(), p.MCP())
			}
			if book.Trusted(scan(t, dir)) {
				t.Error("what was put there is trusted")
			}
		})
	}
}

// A copy that is not what its name says is made anew.
func TestDamagedCopyIsMadeAnew(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, dir string){
		"changed": func(t *testing.T, dir string) { put(t, dir, "run*", "evil") },
		"added":   func(t *testing.T, dir string) { put(t, dir, "more*", "evil") },
		"gone":    func(t *testing.T, dir string) { must(t, os.Remove(dir+"/run")) },
		"link":    func(t *testing.T, dir string) { put(t, dir, "run", "-> /bin/sh") },
		"a link for all": func(t *testing.T, dir string) {
			top := filepath.Dir(filepath.Dir(dir))
			must(t, os.Rename(top, top+"-moved"))
			must(t, os.Symlink(top+"-moved", top))
		},
		"a file for all": func(t *testing.T, dir string) {
			top := filepath.Dir(filepath.Dir(dir))
			must(t, removeAll(top))
			must(t, os.WriteFile(top, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, into := scan(t, lay(t, toolFiles)), vault(t)
			first := seal(t, p, into)
			want := held(t, first.Dir)
			writable(t, first.Dir)
			damage(t, first.Dir)
			if diff := cmp.Diff(want, held(t, seal(t, p, into).Dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// writable lets the owner write the directories from dir on.
func writable(t *testing.T, dir string) {
	must(t, filepath.WalkDir(filepath.Dir(filepath.Dir(dir)), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	}))
}

func TestSealRefusesAPlaceOfOthers(t *testing.T) {
	p := scan(t, lay(t, toolFiles))
	into := filepath.Join(lay(t, map[string]string{"there/x": ""}), "into")
	must(t, os.Symlink("there", into))
	if s, err := p.Seal(into); err == nil || !strings.HasSuffix(err.Error(), "is no directory") {
		t.Errorf("sealed in %v, error %v", s, err)
	}
	into = vault(t)
	must(t, os.MkdirAll(into, 0o777))
	must(t, os.Chmod(into, 0o777))
	seal(t, p, into)
	if mode := must2(t)(os.Stat(into)).Mode().Perm(); mode != 0o700 {
		t.Errorf("mode %o", mode)
	}
}

// Copies that nobody uses go after a month; one that somebody uses stays.
func TestOldCopiesAreRemoved(t *testing.T) {
	into := vault(t)
	made := func(content string) *Sealed {
		s, err := scan(t, lay(t, map[string]string{".ikigai/tools/x*": content})).Seal(into)
		must(t, err)
		return s
	}
	used, unused, young := made("used"), made("unused"), made("young")
	must(t, unused.Close())
	must(t, young.Close())
	long := time.Now().Add(-2 * keepTime)
	for _, s := range []*Sealed{used, unused} {
		must(t, os.Chtimes(filepath.Dir(filepath.Dir(s.Dir)), long, long))
	}
	for _, left := range []string{unfinished + "1", removed + "2"} {
		put(t, into, left+"/x", "x")
		must(t, os.Chtimes(filepath.Join(into, left), long, long))
	}
	put(t, into, "notes", "not ours")
	must(t, made("new").Close())
	for s, stays := range map[*Sealed]bool{used: true, unused: false, young: true} {
		if _, err := os.Stat(s.Dir); errors.Is(err, fs.ErrNotExist) == stays {
			t.Errorf("%s: %v, stays: %v", s.Dir, err, stays)
		}
	}
	entries, err := os.ReadDir(into)
	must(t, err)
	if len(entries) != 4 { // used, young, new, notes
		t.Errorf("left are %v", entries)
	}
	must(t, used.Close())
	must(t, made("newer").Close())
	if _, err := os.Stat(used.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the copy that nobody uses any more: %v", err)
	}
}
