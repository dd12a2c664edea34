package undo

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// differences returns the patch of all that is not as it was, and the notes on it.
func (f *fake) differences() (patch string, notes []string) {
	f.t.Helper()
	plan, _ := f.ledger().Before(0)
	all, err := f.worker().Differences(f.t.Context(), plan)
	must(f.t, err)
	for _, d := range all {
		name, err := filepath.Rel(f.dir, d.Path)
		must(f.t, err)
		patch += d.Patch(name)
		if d.Note != "" {
			notes = append(notes, name+": "+d.Note)
		}
	}
	return patch, notes
}

// gitState is what Git keeps of a tree: contents, links and who may be run.
func gitState(t testing.TB, dir string) (all []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil || name == ".git":
			return filepath.SkipDir
		case e.IsDir():
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			all = append(all, fmt.Sprintf("%q -> %s", name, to))
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		all = append(all, fmt.Sprintf("%q %t %q", name, info.Mode()&0o100 != 0, content))
		return err
	}))
	return all
}

// takeOff makes of the tree what it was before a patch.
func takeOff(t testing.TB, dir, patch string) {
	t.Helper()
	if patch == "" {
		return
	}
	file := filepath.Join(t.TempDir(), "patch")
	must(t, os.WriteFile(file, []byte(patch), 0o644))
	if out := run(t, dir, "git apply --reverse --whitespace=nowarn "+file+" 2>&1"); out != "" {
		t.Fatalf("git apply: %s\n%s", out, patch)
	}
}

// The patch of random changes, taken off by Git, leaves what was there before. P19
func TestRandomDifferences(t *testing.T) {
	for seed := range *sequences {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := &random{Rand: rand.New(rand.NewPCG(uint64(seed), 2)), fake: newFake(t)}
			r.populate()
			r.watch(1 << 20)
			was := gitState(t, r.dir)
			for i := range 6 {
				r.statement(i)
				if _, ok := r.ledger().Last(); ok && i == 3 {
					r.undo()
				}
			}
			patch, _ := r.differences()
			takeOff(t, r.dir, patch)
			if diff := cmp.Diff(was, gitState(t, r.dir)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s\n%s", diff, strings.Join(r.done, "\n"), patch)
			}
		})
	}
}

// A patch holds what a patch can say, of any name; the rest is noted.
func TestDifferences(t *testing.T) {
	f := newFake(t)
	run(t, f.dir, `git init -q .; printf 'no newline' > plain; printf 'a\000b' > binary; head -c 1100000 /dev/zero | tr '\0' x > long
		echo secret > private; chmod 600 private; echo go > tool; echo to > link; ln -s plain other; printf x > $'a "b"\\\n\tc'; echo gone > gone; echo é > é; : > empty`)
	was := gitState(t, f.dir)
	f.watch(1 << 22)
	f.say("all")
	f.shell(`printf 'no newline\nmore' > plain; printf 'a\000c' > binary; echo y >> long; chmod 640 private; chmod 755 tool; rm link; ln -s plain link
		ln -sfn tool other; printf y > $'a "b"\\\n\tc'; rm gone empty; echo è > é; mkdir -p 'new dir'; echo made > 'new dir/a file'; : > blank`)
	run(t, f.dir, "echo theirs >> tool")
	patch, notes := f.differences()
	want := []string{
		"binary: it is no text",
		"long: it is too long to be compared",
		"private: its permissions were 0600 and are 0640",
		"tool: others have changed it, too",
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Error(diff)
	}
	takeOff(t, f.dir, patch)
	run(t, f.dir, `printf 'a\000b' > binary; head -c 1100000 /dev/zero | tr '\0' x > long`)
	if diff := cmp.Diff(was, gitState(t, f.dir)); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, patch)
	}
	if patch, notes := f.differences(); patch != "" || len(notes) != 1 {
		t.Errorf("after all is as it was:\n%s%q", patch, notes)
	}
}

// What was not kept, or is no file now, has no patch.
func TestDifferencesUnknown(t *testing.T) {
	f := newFake(t)
	run(t, f.dir, "echo one > one; echo two > two")
	f.say("all")
	f.write("one", "1\n")
	f.write("two", "2\n")
	run(t, f.dir, "rm one; mkfifo one")
	clear(f.blobs)
	patch, notes := f.differences()
	want := []string{"one: what is in its place is no file", "two: what it was before cannot be read: " + ikigai.ErrNotFound.Error()}
	if diff := cmp.Diff(want, notes); diff != "" || patch != "" {
		t.Errorf("%s\n%s", diff, patch)
	}
}
