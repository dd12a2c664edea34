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

// differences returns the patch of all that is not as it was, and what is to be known
// beside it.
func (f *fake) differences() (patch string, notes []string) {
	f.t.Helper()
	for d, err := range f.worker().Differences(f.t.Context(), f.ledger().Since(0)) {
		must(f.t, err)
		name, err := filepath.Rel(f.dir, d.Path)
		must(f.t, err)
		patch += d.Patch(name)
		for _, what := range []string{d.Unknown, d.Mode(), map[bool]string{true: "others"}[d.Others]} {
			if what != "" {
				notes = append(notes, name+": "+what)
			}
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
	if out := run(t, dir, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir)+" git apply --reverse --whitespace=nowarn "+file+" 2>&1"); out != "" {
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
	run(t, f.dir, `git init -q .; printf 'no newline' > plain; printf 'a\000b' > binary; head -c 8400000 /dev/zero | tr '\0' x > long
		seq 50000 > lines; printf 'stra\337e\n' > latin
		echo secret > private; chmod 600 private; echo go > tool; echo to > link; ln -s plain other; printf x > $'a "b"\\\n\tc'; echo gone > gone; echo é > é; : > empty`)
	was := gitState(t, f.dir)
	f.watch(1 << 25)
	f.say("all")
	f.shell(`printf 'no newline\nmore' > plain; printf 'a\000c' > binary; echo y >> long; sed -i 's/^20000$/two/; 3d; $s/$/0/' lines; printf 'stra\337en\n' > latin; chmod 640 private; chmod 755 tool; rm link; ln -s plain link
		ln -sfn tool other; printf y > $'a "b"\\\n\tc'; rm gone empty; echo è > é; mkdir -p 'new dir'; echo made > 'new dir/a file'; : > blank`)
	run(t, f.dir, "echo theirs >> tool")
	patch, notes := f.differences()
	want := []string{
		"binary: it is no text",
		"long: it is too long to be compared",
		"private: its permissions were 0600 and are 0640",
		"tool: others",
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Error(diff)
	}
	takeOff(t, f.dir, patch)
	run(t, f.dir, `printf 'a\000b' > binary; head -c 8400000 /dev/zero | tr '\0' x > long`)
	if n := strings.Count(patch, "\n"); n > 120 {
		t.Errorf("the patch has %d lines", n)
	}
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

// FuzzHunks holds the law of hunks: put on what was they give what is, wherever the
// lines lie that both share.
func FuzzHunks(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\n")
	f.Add("a\nb", "a\nb\n")
	f.Add("", "x")
	f.Add(strings.Repeat("same\n", 20)+"x\n"+strings.Repeat("same\n", 20), strings.Repeat("same\n", 20)+"y\n"+strings.Repeat("same\n", 21))
	f.Add("a\n\n\n\nb", "a\n\n\n\n\nb")
	f.Fuzz(func(t *testing.T, was, is string) {
		if got := putOn(t, was, hunks([]byte(was), []byte(is))); got != is {
			t.Errorf("%q becomes %q, not %q:\n%s", was, got, is, hunks([]byte(was), []byte(is)))
		}
	})
}

// putOn puts hunks on a text.
func putOn(t *testing.T, text, hunks string) string {
	t.Helper()
	lines, out := strings.SplitAfter(text, "\n"), []string{}
	at, fresh := 0, strings.SplitAfter(hunks, "\n")
	for i, line := range fresh {
		if line == "" || strings.HasPrefix(line, `\`) {
			continue
		}
		body := line[1:]
		if i+1 < len(fresh) && strings.HasPrefix(fresh[i+1], `\`) {
			body = strings.TrimSuffix(body, "\n")
		}
		switch line[0] {
		case '@':
			var from, n, to, m int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &from, &n, &to, &m); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if n > 0 {
				from--
			}
			for ; at < from; at++ {
				out = append(out, lines[at])
			}
			if shift := to - len(out); m > 0 && shift != 1 || m == 0 && shift != 0 {
				t.Fatalf("%q stands behind %d lines", line, len(out))
			}
		case ' ', '-':
			if at >= len(lines) || lines[at] != body {
				t.Fatalf("%q is not line %d of %q", body, at+1, text)
			}
			at++
			if line[0] == ' ' {
				out = append(out, body)
			}
		case '+':
			out = append(out, body)
		}
	}
	return strings.Join(append(out, lines[at:]...), "")
}
