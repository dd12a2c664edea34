package tools

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// S2.70: what another user may not do. The test runs as one where it can.
func TestPermission(t *testing.T) {
	b := newBench(t, Config{})
	b.write("private", "x", "closed/f", "x", "shared/f", "old")
	for path, mode := range map[string]os.FileMode{"private": 0o600, "closed": 0o700, "shared": 0o755, "shared/f": 0o666, ".": 0o755} {
		if err := os.Chmod(filepath.Join(b.dir, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() != 0 {
		t.Log("not root: what is tested below is root's alone")
		return
	}
	for dir := b.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(65534); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setfsuid(0); err != nil {
			panic(err) // the thread is of no use any more
		}
	}()
	for name, args := range map[string]string{
		"file_read": `{"path":"private"}`, "grep": `{"pattern":"x","path":"private"}`, "file_write": `{"path":"closed/g","content":"x"}`, "glob": `{"pattern":"*","path":"closed"}`,
	} {
		if r := b.call(name, args); !r.Failed || field(t, r, "error_code") != "PERMISSION_DENIED" {
			t.Errorf("%s: %s", name, text(r))
		}
	}
	// The directory takes no new file, but the file can be written.
	r := b.call("file_write", `{"path":"shared/f","content":"new"}`)
	if r.Failed || b.read("shared/f") != "new" || r.Note == "" {
		t.Errorf("%s, note %q", text(r), r.Note)
	}
	r = b.call("file_edit", `{"path":"shared/f","edits":[{"old":"new","new":"newer"}]}`)
	if r.Failed || b.read("shared/f") != "newer" || !strings.Contains(r.Note, "in place") {
		t.Errorf("%s, note %q", text(r), r.Note)
	}
}

// Setgid and sticky stay, unless the group cannot: nobody is to act as another. That
// setuid falls is told.
func TestSpecialBits(t *testing.T) {
	const setuid = "The file was setuid, which the change took away; chmod u+s sets that again."
	for _, tc := range []struct {
		before, after os.FileMode
		names         int
		note          string
	}{
		{os.ModeSetgid | 0o755, os.ModeSetgid | 0o755, 1, ""},
		{os.ModeSetgid | os.ModeSticky | 0o711, os.ModeSetgid | os.ModeSticky | 0o711, 1, ""},
		{os.ModeSetuid | os.ModeSetgid | 0o755, os.ModeSetgid | 0o755, 1, setuid},
		{os.ModeSetgid | 0o755, os.ModeSetgid | 0o755, 2, "so that all of them show the change."},
		{os.ModeSetuid | 0o755, 0o755, 2, "so that all of them show the change. " + setuid},
	} {
		for name, args := range map[string]string{"file_edit": oneEdit("old", "new"), "file_write": `{"path":"f","content":"new"}`} {
			b := newBench(t, Config{})
			b.write("f", "old")
			target := filepath.Join(b.dir, "f")
			if tc.names == 2 {
				if err := os.Link(target, filepath.Join(b.dir, "other")); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(target, tc.before); err != nil {
				t.Fatal(err)
			}
			r := b.call(name, args)
			info, err := os.Lstat(target)
			if err != nil || r.Failed || b.read("f") != "new" || info.Mode() != tc.after || !strings.HasSuffix(r.Note, tc.note) || tc.note == "" && r.Note != "" {
				t.Errorf("%s of %s: %s, %s, note %q", name, tc.before, text(r), info.Mode(), r.Note)
			}
		}
	}
	dir := t.TempDir()
	for _, path := range []string{dir + "/old", dir + "/new"} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if os.Chown(dir+"/old", 12, 34) != nil {
		return // who may not give a file to a group has none to give it to
	}
	if err := os.Chmod(dir+"/old", os.ModeSetgid|0o755); err != nil {
		t.Fatal(err)
	}
	old, err := os.Lstat(dir + "/old")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(dir+"/new", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = keepMode(f, old)
	if info, statErr := f.Stat(); err != nil || statErr != nil || info.Mode() != 0o755 {
		t.Errorf("of another group: %v, %v, %v", info.Mode(), err, statErr)
	}
	if note := fallen(dir+"/new", old); note != "The file was setgid, which the change took away; chmod g+s sets that again." {
		t.Errorf("note %q", note)
	}
}
