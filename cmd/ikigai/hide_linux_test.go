package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user without privileges.
const nobody = 65534

// built builds the program and returns a command of it that runs as a user
// without privileges, in a directory that the user may write to.
func built(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	dir, err := os.MkdirTemp("", "ikigai-hide-") // others may enter it, unlike the directory of a test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	bin := filepath.Join(dir, "ikigai")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8", "OPENAI_API_KEY=sk-0123456789-secret"}
	if os.Getuid() == 0 { // who is root reads everything
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return cmd
}

// A command that a model has run does not find keys in the environment of the
// program, though it runs as the same user. P41
func TestKeysAreHidden(t *testing.T) {
	cmd := built(t, "run", "--script", "a.script", "look")
	const steps = `user: look
call: bash {"command": "tr '\\0' ' ' </proc/$PPID/cmdline; cat /proc/$PPID/environ 2>&1 | tr '\\0' '\\n'; cat /proc/self/environ >/dev/null && echo own is read"}
reply:
say: {{output}}
`
	if err := os.WriteFile(filepath.Join(cmd.Dir, "a.script"), []byte(steps), 0o644); err != nil {
		t.Fatal(err)
	}
	raw, err := cmd.CombinedOutput()
	out := string(raw)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(out, "OPENAI_API_KEY") || strings.Contains(out, "secret") {
		t.Errorf("the key is read:\n%s", out)
	}
	for _, want := range []string{cmd.Path + " run --script", "Permission denied", "own is read"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q:\n%s", want, out)
		}
	}
}

// Who traces the program sees it as before: what kills it at a system call, or a
// debugger.
func TestTracedIsNotHidden(t *testing.T) {
	runtime.LockOSThread() // who traces is a thread
	defer runtime.UnlockOSThread()
	cmd := built(t, "version")
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	defer func() { _ = cmd.Process.Release() }() // its end is taken here
	for began, owner := false, -1; ; began = true {
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
			t.Fatal(err)
		}
		signal := 0
		switch {
		case !status.Stopped():
			if !status.Exited() || owner <= 0 { // what is hidden is root's
				t.Errorf("ended as %x, its environment was of the user %d", status, owner)
			}
			return
		case !began:
			if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACEEXIT); err != nil {
				t.Fatal(err)
			}
		case status.TrapCause() == syscall.PTRACE_EVENT_EXIT:
			info, err := os.Stat("/proc/" + strconv.Itoa(pid) + "/environ")
			if err != nil {
				t.Fatal(err)
			}
			owner = int(info.Sys().(*syscall.Stat_t).Uid)
		default:
			signal = int(status.StopSignal())
		}
		if err := syscall.PtraceCont(pid, signal); err != nil {
			t.Fatal(err)
		}
	}
}
