package undo

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ikigai"
)

// changes returns which changes were noticed since event n, in the order of the log.
func (f *fake) changes(n int) (all []ikigai.ChangeData) {
	f.t.Helper()
	for _, e := range f.events[n:] {
		var d ikigai.ChangeData
		if e.Kind == ikigai.KindChange {
			must(f.t, e.DecodeData(&d))
			if d.Noticed && d.Unrecorded == "" {
				all = append(all, d)
			}
		}
	}
	return all
}

// TestNotItsOwn counts no change for a command that it has not made: what file
// tools and others change before it, in the same moment and of the same size.
func TestNotItsOwn(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/a", "1")
	f.replace(f.dir+"/theirs", "1")
	f.watch(1 << 20)
	f.say("go")
	f.shell("true")
	f.write("a", "2")
	must(t, os.WriteFile(f.dir+"/theirs", []byte("2"), 0o644))
	f.shell("cat a; touch a theirs; chmod 644 a")
	if got := f.changes(0); len(got) > 0 {
		t.Errorf("noticed %+v", got)
	}
	f.shell("printf 3 > theirs")
	got := f.changes(0)
	if len(got) != 1 || string(f.blobs[got[0].Blob]) != "2" || got[0].CallID != "call_4" {
		t.Errorf("noticed %+v", got)
	}
}

// TestKeptWithinLimits keeps what git does not ignore and is small first, and
// says what of the rest is not kept.
func TestKeptWithinLimits(t *testing.T) {
	f := newFake(t)
	run(t, f.dir, "git init -q .")
	f.replace(f.dir+"/.gitignore", "*.o\n")
	f.replace(f.dir+"/a.o", "made")
	f.replace(f.dir+"/large", strings.Repeat("l", 90))
	f.replace(f.dir+"/small", "small")
	f.watch(100)
	f.say("go")
	f.shell("rm *")
	kept := map[string]string{}
	for _, d := range f.changes(0) {
		kept[filepath.Base(d.Path)] = d.NotKept
	}
	const no = "the directory holds more than is kept in memory (undo_limit)"
	if fmt.Sprint(kept) != fmt.Sprint(map[string]string{"a.o": no, "large": "", "small": ""}) {
		t.Errorf("not kept: %v", kept)
	}
	if left := f.undo(); left != "a.o: what it was before was not kept: "+no {
		t.Errorf("left %q", left)
	}
}

// TestIgnoredHasItsShare keeps of what git ignores a sixteenth of the limit at
// most, what lies high up first.
func TestIgnoredHasItsShare(t *testing.T) {
	f := newFake(t)
	run(t, f.dir, "git init -q .")
	f.replace(f.dir+"/.gitignore", ".env\nmodules\n")
	f.replace(f.dir+"/.env", strings.Repeat("e", 60))
	f.replace(f.dir+"/modules/deep/a", strings.Repeat("a", 50))
	f.watch(1600)
	f.say("go")
	f.shell("rm -r .env modules")
	if left := f.undo(); left != "a: what it was before was not kept: git ignores it, and there is more of that than is kept in memory (undo_limit)" {
		t.Errorf("left %q", left)
	}
	if !strings.Contains(f.state(), ".env 644") {
		t.Error(f.state())
	}
}

// TestGitIsNotTrusted runs nothing that the settings of a repository name, and
// believes no object that is not the one asked for. Law 9
func TestGitIsNotTrusted(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/a", "one\n")
	f.replace(f.dir+"/b", "two\n")
	bait := f.dir + "-bait"
	must(t, os.WriteFile(bait, []byte("#!/bin/sh\ntouch "+bait+".ran\n"), 0o755))
	out := run(t, f.dir, `git init -q . && git add a b && git commit -qm one && sleep 0.1 && git update-index --refresh -q --force-write-index
		git replace $(git rev-parse :a) $(git rev-parse :b); git rev-parse :b > .git/b`)
	settings, err := os.OpenFile(f.dir+"/.git/config", os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = fmt.Fprintf(settings, `[core]
	fsmonitor = %[1]s
	pager = %[1]s
	alternateRefsCommand = %[1]s
	hooksPath = %[2]s
	repositoryformatversion = 1
[protocol "ext"]
	allow = always
[remote "origin"]
	url = ext::%[1]s
	promisor = true
[extensions]
	partialClone = origin
`, bait, filepath.Dir(bait))
	must(t, err)
	must(t, settings.Close())
	f.watch(1 << 20)
	f.say("go")
	f.shell("object=$(cat .git/b); rm a b; rm -f .git/objects/${object:0:2}/${object:2}")
	got := f.changes(0)
	if len(got) != 2 || string(f.blobs[got[0].Blob]) != "one\n" {
		t.Fatalf("noticed %+v (%s)", got, out)
	}
	if got[1].NotKept == "" || got[1].Blob != "" {
		t.Errorf("what is not there was found: %+v", got[1])
	}
	if _, err := os.Stat(bait + ".ran"); err == nil {
		t.Error("a program of the repository was run")
	}
}

// TestIndex reads git's index, of each version, as git does.
func TestIndex(t *testing.T) {
	for version := 2; version <= 4; version++ {
		f := newFake(t)
		for i := range 50 {
			f.replace(fmt.Sprintf("%s/dir%d/some name %d", f.dir, i%7, i), strings.Repeat("x", i))
		}
		run(t, f.dir, fmt.Sprintf("git init -q . && git config index.version %d && git add -A && git rm -q --cached 'dir0/some name 0' && "+
			"git add -N 'dir0/some name 0'; git update-index --assume-unchanged 'dir1/some name 1'; git update-index --skip-worktree 'dir2/some name 2'", version))
		content, err := os.ReadFile(f.dir + "/.git/index")
		must(t, err)
		if got := binary.BigEndian.Uint32(content[4:]); version != 2 && int(got) != version {
			t.Fatalf("the index has version %d, not %d", got, version)
		}
		index, err := parseIndex(content)
		must(t, err)
		want := map[string]string{}
		for line := range strings.Lines(run(t, f.dir, "git ls-files -s")) {
			head, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			want[path] = strings.Fields(head)[1]
		}
		delete(want, "dir1/some name 1")
		delete(want, "dir2/some name 2")
		for path, e := range index {
			if want[path] != e.object {
				t.Errorf("version %d: %s is %s, not %s", version, path, e.object, want[path])
			}
			info, err := lstat(filepath.Join(f.dir, path))
			if path != "dir0/some name 0" && (err != nil || info.mtime != e.mtime || info.ctime != e.ctime || uint32(info.size) != e.size || uint32(info.ino) != e.ino) {
				t.Errorf("version %d: %s: %+v, %+v", version, path, e, info)
			}
		}
		if len(index) != len(want) {
			t.Errorf("version %d: %d entries, not %d", version, len(index), len(want))
		}
	}
}

// FuzzIndex reads anything as an index, and whatever is cut off of one.
func FuzzIndex(f *testing.F) {
	dir := f.TempDir()
	for version := 2; version <= 4; version++ {
		run(f, dir, fmt.Sprintf("rm -rf .git; git init -q . && git config index.version %d && mkdir -p a && echo x > a/b && echo y > a/c && git add -A", version))
		if content, err := os.ReadFile(dir + "/.git/index"); err == nil {
			f.Add(content)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		index, err := parseIndex(b)
		if (index == nil) != (err != nil) {
			t.Fatalf("%d entries, %v", len(index), err)
		}
		for path, e := range index {
			if len(e.object) != 40 || strings.Contains(path, "\x00") {
				t.Fatalf("%q: %+v", path, e)
			}
		}
	})
}

// TestTooMany tells once that a directory is not watched.
func TestTooMany(t *testing.T) {
	f := newFake(t)
	run(t, f.dir, "mkdir d; cd d; seq -f f%.0f 51 | xargs touch")
	f.watchWith(Config{Limit: 1 << 20, files: 50})
	f.say("go")
	for range 2 {
		f.shell("rm d/f1")
	}
	const why = "there are more than 50 files in the directory"
	if len(f.changes(0)) > 0 || len(f.notices) != 1 || !strings.HasPrefix(f.notices[0], "What commands change in "+f.dir+" cannot be undone: "+why+". ") {
		t.Errorf("noticed %d changes, told %q", len(f.changes(0)), f.notices)
	}
	if got := f.missed(); got != "bash in 1 may have changed files that are not recorded: "+why+"; bash in 1 may have changed files that are not recorded: "+why {
		t.Errorf("missed %q", got)
	}
}

// TestManyChanges records so many of them, those first that cannot be made again,
// and tells the person of the rest.
func TestManyChanges(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/.gitignore", "build\n")
	run(t, f.dir, "git init -q .")
	f.replace(f.dir+"/zz", "before")
	f.watchWith(Config{Limit: 1 << 20, changes: 50})
	f.say("go")
	f.shell("mkdir build; cd build; seq -f f%.0f 60 | xargs touch; echo after > ../zz; echo new > ../zzz")
	got := f.changes(0)
	if len(got) != 50 || len(f.notices) != 1 || !strings.Contains(f.notices[0], "62 files, 12 of which are not") {
		t.Fatalf("noticed %d, told %q", len(got), f.notices)
	}
	if left := f.undo(); left != "" {
		t.Error(left)
	}
	if _, err := os.Stat(f.dir + "/zzz"); err == nil || !strings.Contains(f.state(), `zz 644 "before"`) {
		t.Error("what git does not ignore was not taken back")
	}
}

// TestCloseEndsAll leaves nothing behind, even in the middle of a look.
func TestCloseEndsAll(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/a", "1")
	for range 50 {
		w := Watch(context.Background(), Config{Dir: f.dir, Limit: 1, Env: os.Environ()})
		w.Begin()
		w.Close()
		if w.Before(context.Background(), "", nil) != nil {
			t.Fatal("a watch that has ended goes on")
		}
	}
}

// BenchmarkBefore is what a command waits for in a directory of 10,000 files.
func BenchmarkBefore(b *testing.B) {
	f := newFake(b)
	run(b, f.dir, "for d in $(seq 100); do mkdir d$d; (cd d$d; for i in $(seq 100); do echo $i > f$i; done); done; git init -q .; git add -A; git commit -qm one")
	f.watch(1 << 28)
	for b.Loop() {
		f.before("call")
		f.watcher.running = nil // nothing of it is to be found
	}
}

// TestNoPermission gives a file back that nobody may read any more, and takes
// the permission away again.
func TestNoPermission(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/a", "one")
	f.replace(f.dir+"/b", "one")
	must(t, os.Chmod(f.dir+"/b", 0))
	f.watch(1 << 20)
	was := f.state()
	f.say("go")
	f.shell("chmod 0 a; chmod 600 b")
	is := f.state()
	if left := f.undo(); left != "" || f.state() != was {
		t.Errorf("left %q:\n%s", left, f.state())
	}
	if left := f.redo(); left != "" || f.state() != is {
		t.Errorf("left %q:\n%s", left, f.state())
	}
}

// TestClosedDirectory takes no file for a new one, or for one that was removed,
// because its directory could not be read for a while.
func TestClosedDirectory(t *testing.T) {
	f := newFake(t)
	f.replace(f.dir+"/closed/theirs", "theirs")
	f.replace(f.dir+"/open/theirs", "theirs")
	for up := f.dir; up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		must(t, os.Chmod(up, 0o777))
	}
	must(t, os.Chmod(f.dir+"/closed", 0))
	defer asNobody(t)()
	f.watch(1 << 20)
	f.say("go")
	id := f.call("bash")
	after := f.before(id)
	if after == nil {
		t.Fatal("it is not watched")
	}
	back := asRoot(t)
	must(t, os.Chmod(f.dir+"/closed", 0o777))
	must(t, os.Chmod(f.dir+"/open", 0))
	back()
	must(t, os.WriteFile(f.dir+"/made", nil, 0o600))
	f.result(id)
	after(context.Background())
	asRoot(t)
	must(t, os.Chmod(f.dir+"/open", 0o777))
	if all := f.changes(0); len(all) != 1 || filepath.Base(all[0].Path) != "made" {
		t.Errorf("noticed %+v", all)
	}
}

// asNobody takes root's rights from the test until what it returns is called.
func asNobody(t *testing.T) func() {
	if os.Geteuid() != 0 {
		return func() {}
	}
	must(t, syscall.Setreuid(-1, 65534))
	return func() {
		if err := syscall.Setreuid(-1, 0); err != nil {
			panic(err) // the tests after this one need them
		}
	}
}

// asRoot gives them back until what it returns is called.
func asRoot(t *testing.T) func() {
	if os.Getuid() != 0 {
		return func() {}
	}
	must(t, syscall.Setreuid(-1, 0))
	return func() { must(t, syscall.Setreuid(-1, 65534)) }
}
