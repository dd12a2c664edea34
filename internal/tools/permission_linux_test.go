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
