package undo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
)

// died is what a test panics with where the program would have been killed.
type died struct{}

// applyUntil does the n-th thing of a plan no more. It reports whether it came
// that far.
func (f *fake) applyUntil(n int, plan func(*Ledger) (Plan, bool)) (finished bool) {
	f.t.Helper()
	p, ok := plan(f.ledger())
	if !ok {
		f.t.Fatal("there is nothing to take back")
	}
	w := f.worker()
	w.step = func(string) {
		if n--; n == 0 {
			panic(died{})
		}
	}
	defer func() {
		if v := recover(); v != nil && v != any(died{}) {
			panic(v)
		}
	}()
	steps, err := w.Look(context.Background(), p)
	must(f.t, err)
	_, err = w.Apply(context.Background(), p, steps)
	must(f.t, err)
	return true
}

// TestDeathAtEveryStep ends an undo, and then its redo, before each thing that
// they do: nothing is lost, and the same command goes on where they ended. P19
func TestDeathAtEveryStep(t *testing.T) {
	for n := 1; ; n++ {
		f := newFake(t)
		f.replace(f.dir+"/changed", "before")
		f.replace(f.dir+"/removed", "was here")
		f.replace(f.dir+"/names", "two")
		must(t, os.Link(f.dir+"/names", f.dir+"/other"))
		f.replace(f.dir+"/was/dir", "in it")
		must(t, os.Symlink("changed", f.dir+"/link"))
		f.watch(1 << 20)
		was := f.state()
		f.say("go")
		f.write("changed", "after")
		f.write("made/new/file", "new")
		f.shell("rm removed; echo three > names; chmod 600 changed; ln -sf made link; rm -r was; echo file > was")
		is := f.state()

		finished := f.applyUntil(n, (*Ledger).Last)
		if left := ""; !finished {
			if left = f.undo(); left != "" {
				t.Fatalf("killed before thing %d of an undo, left: %s", n, left)
			}
		}
		if got := f.state(); got != was {
			t.Fatalf("killed before thing %d of an undo, undone again:\n%s\nwas\n%s", n, got, was)
		}
		redone := f.applyUntil(n, (*Ledger).Redo)
		if !redone {
			if left := f.redo(); left != "" {
				t.Fatalf("killed before thing %d of a redo, left: %s", n, left)
			}
		}
		if got := f.state(); got != is {
			t.Fatalf("killed before thing %d of a redo, redone again:\n%s\nwas\n%s", n, got, is)
		}
		if left := f.undo(); left != "" || f.state() != was {
			t.Fatalf("undone after that, left %q:\n%s\nwas\n%s", left, f.state(), was)
		}
		if finished && redone {
			if n < 15 {
				t.Fatalf("there were only %d things to die before", n)
			}
			return
		}
	}
}

// TestDeathOfATool ends a session between a pre-image, the change, and its
// result: the change is taken back in any case. P19
func TestDeathOfATool(t *testing.T) {
	for _, changed := range []bool{false, true} {
		f := newFake(t)
		f.replace(f.dir+"/a", "before")
		was := f.state()
		f.say("go")
		id := f.call("file_write")
		for _, name := range []string{"a", "new"} {
			path := f.intend(id, name)
			if changed {
				f.replace(path, "after")
			}
		}
		if left := f.undo(); left != "" || f.state() != was {
			t.Errorf("changed %t, left %q:\n%s", changed, left, f.state())
		}
	}
}

// TestLostCalls names the calls that a death has left without a result.
func TestLostCalls(t *testing.T) {
	f := newFake(t)
	f.watch(1 << 20)
	f.say("one")
	f.shell("true")
	f.call("bash")
	f.say("two")
	f.write("a", "1")
	f.call("external")
	from := func(seq ikigai.Seq) (all []string) {
		for _, c := range f.ledger().Lost(seq) {
			all = append(all, fmt.Sprintf("%s in %d", c.Tool, c.Statement))
		}
		return all
	}
	if got := strings.Join(from(0), ", "); got != "bash in 1, external in 2" {
		t.Error(got)
	}
	p, _ := f.ledger().Last()
	if got := strings.Join(from(p.To), ", "); got != "external in 2" {
		t.Error(got)
	}
}

// TestOthers leaves alone what others have changed, whenever they did.
func TestOthers(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/a", "a1")
	f.replace(f.dir+"/b", "b1")
	f.replace(f.dir+"/c", "c1")
	f.say("go")
	f.write("a", "a2")
	f.write("b", "b2")
	f.write("c", "c2")
	f.write("d", "d2")
	f.replace(f.dir+"/a", "theirs")
	must(t, os.Remove(f.dir+"/b"))
	must(t, os.Chmod(f.dir+"/c", 0o600))
	must(t, os.Remove(f.dir+"/d"))
	must(t, os.Mkdir(f.dir+"/d", 0o700))
	is := f.state()
	want := "a: it was changed since; b: it was removed since; c: it was changed since"
	if left := f.undo(); left != want || f.state() != is {
		t.Errorf("left %q:\n%s", left, f.state())
	}

	// Between two changes of the session: what they left is the goal.
	f = newFake(t)
	f.replace(f.dir+"/a", "one")
	f.say("go")
	f.write("a", "two")
	f.replace(f.dir+"/a", "theirs")
	theirs := f.state()
	f.write("a", "three")
	steps := f.apply(f.ledger().Last())
	if f.state() != theirs || !strings.Contains(steps[0].Reason, "changed from outside in between") {
		t.Errorf("%+v:\n%s", steps, f.state())
	}
}

// TestMeanwhile changes a file between the look and the change: it is left.
func TestMeanwhile(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/a", "one")
	f.say("go")
	f.write("a", "two")
	p, _ := f.ledger().Last()
	w := f.worker()
	steps, err := w.Look(context.Background(), p)
	must(t, err)
	f.replace(f.dir+"/a", "theirs")
	steps, err = w.Apply(context.Background(), p, steps)
	must(t, err)
	if told(steps) != "a: it was changed just now" || !strings.Contains(f.state(), "theirs") {
		t.Errorf("%q\n%s", told(steps), f.state())
	}
}

// TestTryAgain keeps what the system did not allow for the next undo.
func TestTryAgain(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/dir/a", "one")
	f.replace(f.dir+"/b", "one")
	was := f.state()
	f.say("go")
	f.write("dir/a", "two")
	f.write("b", "two")
	p, _ := f.ledger().Last()
	hash := p.Files[1].Target.Blob
	kept := f.blobs[hash]
	w := f.worker()
	steps, err := w.Look(context.Background(), p)
	must(t, err)
	delete(f.blobs, hash)
	steps, err = w.Apply(context.Background(), p, steps)
	must(t, err)
	if left := told(steps); left != "b: not found; a: not found" && left != "a: not found; b: not found" {
		t.Errorf("left %q", left)
	}
	f.blobs[hash] = kept
	if left := f.undo(); left != "" || f.state() != was {
		t.Errorf("left %q:\n%s", left, f.state())
	}
}

// TestDamaged restores nothing that is not what the log says.
func TestDamaged(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/a", "one")
	f.say("go")
	f.write("a", "two")
	for hash := range f.blobs {
		f.blobs[hash] = []byte("no")
	}
	if left := f.undo(); left != "a: "+errDamaged.Error() || !strings.Contains(f.state(), "two") {
		t.Errorf("left %q:\n%s", left, f.state())
	}
}

// TestLarge takes back a file that is too large for a store. P19
func TestLarge(t *testing.T) {
	f := newFake(t)
	path := filepath.Join(f.dir, "large")
	must(t, os.WriteFile(path, []byte("head"), 0o640))
	must(t, os.Truncate(path, 65<<20))
	f.say("go")
	f.write("large", "small")
	var d ikigai.ChangeData
	must(t, f.events[2].DecodeData(&d))
	if d.File == "" || d.Blob != "" || d.NotKept != "" || len(f.events[2].Blobs) > 0 {
		t.Fatalf("%+v", d)
	}
	if left := f.undo(); left != "" {
		t.Fatal(left)
	}
	info, err := os.Stat(path)
	must(t, err)
	if info.Size() != 65<<20 || info.Mode().Perm() != 0o640 {
		t.Errorf("%d bytes, %s", info.Size(), info.Mode())
	}
	if left := f.redo(); left != "" || f.state() != fmt.Sprintf("large 640 %q\n", "small") {
		t.Errorf("left %q: %.100s", left, f.state())
	}

	// What is kept nowhere is left, and that is told.
	must(t, os.Remove(d.File))
	if left := f.undo(); left != "large: what it was before cannot be read: no such file or directory" {
		t.Error(left)
	}
}

// TestHardLinks keeps the names of a file together. P16
func TestHardLinks(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/a", "longer before")
	must(t, os.Link(f.dir+"/a", f.dir+"/b"))
	f.watch(1 << 20)
	was := f.state()
	f.say("go")
	f.shell("echo after > a")
	if left := f.undo(); left != "" || f.state() != was {
		t.Fatalf("left %q:\n%s", left, f.state())
	}
	a, err := os.Stat(f.dir + "/a")
	must(t, err)
	b, err := os.Stat(f.dir + "/b")
	must(t, err)
	if !os.SameFile(a, b) {
		t.Error("they are two files now")
	}
}

// TestLeftIsTriedAgain takes back later what an undo has left, and knows of no
// undo that took nothing back. P19
func TestLeftIsTriedAgain(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/a", "a1")
	f.replace(f.dir+"/b", "b1")
	was := f.state()
	f.say("go")
	f.write("a", "a2")
	f.write("b", "b2")
	is := f.state()
	f.replace(f.dir+"/a", "theirs")
	f.replace(f.dir+"/b", "theirs")
	if left := f.undo(); left != "a: it was changed since; b: it was changed since" {
		t.Errorf("left %q", left)
	}
	if _, ok := f.ledger().Redo(); ok {
		t.Error("an undo that took nothing back can be taken back")
	}
	f.replace(f.dir+"/b", "b2")
	for _, left := range []string{"a: it was changed since", "a: it was changed since"} {
		if got := f.undo(); got != left {
			t.Errorf("left %q, not %q", got, left)
		}
	}
	f.replace(f.dir+"/a", "a2")
	if left := f.undo(); left != "" || f.state() != was {
		t.Errorf("left %q:\n%s", left, f.state())
	}
	if p, ok := f.ledger().Last(); ok {
		t.Errorf("there is still something to take back: %+v", p)
	}
	f.redo()
	if left := f.redo(); left != "" || f.state() != is {
		t.Errorf("left %q:\n%s", left, f.state())
	}
	if _, ok := f.ledger().Redo(); ok {
		t.Error("there is another undo to take back")
	}
}

// TestInItsPlace leaves what stands where a file is to come back, and is none.
func TestInItsPlace(t *testing.T) {
	f := newFake(t)
	f.watch(1 << 20)
	for _, name := range []string{"dir", "empty", "fifo"} {
		f.replace(f.dir+"/"+name, "was here")
	}
	f.say("go")
	f.shell("rm dir empty fifo")
	run(t, f.dir, "mkdir dir empty; echo mine > dir/mine; mkfifo fifo")
	want := "dir: a directory is in its place; empty: a directory is in its place; fifo: what is in its place is no file"
	p, _ := f.ledger().Last()
	steps, err := f.worker().Look(context.Background(), p)
	must(t, err)
	if left := told(steps); left != want {
		t.Errorf("looking, left %q", left)
	}
	steps, err = f.worker().Apply(context.Background(), p, steps)
	must(t, err)
	if left := told(steps); left != want {
		t.Errorf("left %q", left)
	}
}
