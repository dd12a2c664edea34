package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A panic ends a run, too, though nobody takes what is told of it, and though the
// telling breaks. P21
func TestPanicEndsARun(t *testing.T) {
	for name, test := range map[string]struct {
		program string
		stderr  *os.File
		told    int
	}{
		"it is told":                  {program: "ikigai-broken", told: 1},
		"nobody takes what is told":   {program: "ikigai-broken", stderr: fullPipe(t)},
		"what tells of it breaks too": {program: "ikigai-fragile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "user: work\nfault: hang\n"+goOn)
			p.unreplayed = true // a reply was stopped
			broken, err := exec.LookPath(test.program)
			must(t, err)
			must(t, syscall.Mkfifo(p.file("break"), 0o600))
			p.program = broken
			await := p.nextRequest()
			cmd := p.command("run", "work")
			if test.stderr != nil {
				cmd.Stderr = test.stderr
			}
			c := startChild(t, cmd)
			await()
			must(t, os.WriteFile(p.file("break"), []byte("now"), 0))
			c.ends(exitInternal)
			c.tells(test.told, "ikigai itself broke: a fault. What was recorded is safe")
			c.tells(0, "goroutine")
			if kept, err := filepath.Glob(filepath.Join(p.root, "tmp", "ikigai-crash-*.txt")); err != nil || len(kept) != 1 {
				t.Errorf("the details are in %q, %v", kept, err)
			}
			p.program = ""
			p.run(exitAnswered, "run", "--continue", "go on")
		})
	}
}

// fullPipe returns the end of a pipe to which nothing can be written any more.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	fd := int(w.Fd())
	must(t, syscall.SetNonblock(fd, true))
	for page := make([]byte, 4096); err == nil; {
		_, err = syscall.Write(fd, page)
	}
	if err != syscall.EAGAIN {
		t.Fatal(err)
	}
	must(t, syscall.SetNonblock(fd, false))
	return w
}

// What others have put where the details of a panic might go is left alone.
func TestCrashIsKeptBesideOthers(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	theirs, link := filepath.Join(dir, "theirs"), filepath.Join(dir, fmt.Sprintf("ikigai-crash-%d.txt", os.Getpid()))
	must(t, os.WriteFile(theirs, nil, 0o600))
	must(t, os.Symlink(theirs, link))
	told := keepCrash("a fault")
	if b, err := os.ReadFile(theirs); err != nil || len(b) > 0 {
		t.Errorf("the details went to another's file: %q, %v", b, err)
	}
	_, path, _ := strings.Cut(strings.TrimSuffix(told, "."), "the details are in ")
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("%s: %s, %d bytes", path, info.Mode(), info.Size())
	}
}
