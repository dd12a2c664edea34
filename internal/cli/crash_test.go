package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fragile is a stream that breaks where a text is written to it.
type fragile struct {
	io.Writer
	at string
}

func (f fragile) Write(b []byte) (int, error) {
	if strings.Contains(string(b), f.at) {
		panic("a fault")
	}
	return f.Writer.Write(b)
}

// A panic ends a run, on its first goroutine as on any other, also where the telling
// breaks. What was started ends with it, and the session goes on. P21
func TestPanicEndsARun(t *testing.T) {
	const script = `
user: work
call: bash {"command": "exec 9>gate; (trap '' TERM INT HUP; sleep 1000) & echo there >&9; sleep 1000", "background": true}

reply:
say: First.
`
	for name, test := range map[string]struct {
		program, fault string
		told           int
	}{
		"beside the run":     {"ikigai-broken", "fault: hang\n", 1},
		"in the run":         {"ikigai-mute", "", 1},
		"and in the telling": {"ikigai-fragile", "fault: hang\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, script+test.fault+goOn)
			g := p.gate("gate")
			c, breaks := p.breaking(test.program, nil)
			g.awaits("there")
			if test.fault != "" { // else it breaks by itself
				breaks()
			}
			c.ends(exitInternal)
			g.awaitGone()
			c.tells(test.told, "ikigai itself broke: a fault. What was recorded is safe")
			c.tells(0, "goroutine ")
			p.goesOnBroken()
		})
	}
}

// A panic ends a run where nobody takes what is told of it. P21
func TestPanicThatNobodyHears(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "user: work\nfault: hang\n"+goOn)
	await := p.nextRequest()
	c, breaks := p.breaking("ikigai-broken", fullPipe(t))
	await()
	breaks()
	c.ends(exitInternal)
	p.goesOnBroken()
}

// breaking starts a run of a program that breaks, and returns what has it do so.
func (p *place) breaking(program string, stderr io.Writer) (c *child, breaks func()) {
	p.t.Helper()
	p.unreplayed = true // a reply is stopped
	must(p.t, syscall.Mkfifo(p.file("break"), 0o600))
	path, err := exec.LookPath(program)
	must(p.t, err)
	p.program = path
	cmd := p.command("run", "work")
	p.program = ""
	cmd.Stderr = stderr
	return startChild(p.t, cmd), func() {
		p.t.Helper()
		must(p.t, os.WriteFile(p.file("break"), []byte("now"), 0))
	}
}

// goesOnBroken checks that a program that broke has left the details, and that the
// session goes on.
func (p *place) goesOnBroken() {
	p.t.Helper()
	if kept, err := filepath.Glob(filepath.Join(p.root, "tmp", "ikigai-crash-*.txt")); err != nil || len(kept) != 1 {
		p.t.Errorf("the details are in %q, %v", kept, err)
	}
	p.run(exitAnswered, "run", "--continue", "go on")
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
