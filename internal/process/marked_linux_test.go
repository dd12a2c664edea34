package process

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a command leaves running when it dies with this process is found by its
// mark, also what leads a session of its own and what that has started. What has
// another mark is not, nor what has ended.
func TestMarked(t *testing.T) {
	began := time.Now().Add(-time.Second) // the system counts in hundredths
	c := bash(t, `sleep 1111 & setsid bash -c 'sleep 1112 & exec sleep 1113' & wait`)
	c.Env = append(c.Env, "X=1", "MARK=0190b4c2", "Y=")
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	command, sleeps := c.Path+" "+strings.Join(c.Args, " "), []string{"sleep 1111", "sleep 1112", "sleep 1113"}
	var found []Info
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		var gone bool
		if found, gone = Marked("MARK=0190b4c2"); gone {
			t.Error("nothing is to be found any more")
		}
		if slices.Equal(commands(found), append([]string{command}, sleeps...)) {
			break
		}
	}
	t.Cleanup(func() {
		for _, f := range found {
			_ = syscall.Kill(f.PID, syscall.SIGKILL)
		}
	})
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; { // what leads a session may be about to be killed, too
		left, _ := Marked("MARK=0190b4c2")
		if slices.Equal(commands(left), sleeps) {
			break
		}
		if slices.Contains(commands(left), command) || time.Now().After(deadline) {
			t.Fatalf("%+v", left)
		}
	}
	for _, f := range found {
		if f.Since.Before(began) || f.Since.After(time.Now().Add(time.Second)) {
			t.Errorf("%+v", f)
		}
	}
	for _, mark := range []string{"MARK=0190b4c", "MARK=0190b4c22", "ARK=0190b4c2", "MARK"} {
		waitGone(t, mark)
	}
	p.Wait(context.Background())
	if found, _ := Marked("MARK=0190b4c2"); !slices.Equal(commands(found), sleeps[1:]) { // they left the group
		t.Errorf("%+v", found)
	}
	for _, f := range found {
		_ = syscall.Kill(f.PID, syscall.SIGKILL)
	}
	waitGone(t, "MARK=0190b4c2")
}

// commands returns the commands of processes, sorted.
func commands(found []Info) (all []string) {
	for _, f := range found {
		all = append(all, f.Command)
	}
	slices.Sort(all)
	return all
}

// waitGone waits until nothing has the mark, and nothing that begins just now, of
// whomever, may turn out to have it.
func waitGone(t *testing.T, mark string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		found, gone := Marked(mark)
		if gone && len(found) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %+v", mark, found)
		}
	}
}

// A command that was sent SIGKILL, as the system does when this process dies, is
// on its way out: it is not found, however long the system takes for it, and not
// said to be gone.
func TestMarkedEnding(t *testing.T) {
	runtime.LockOSThread() // it alone may trace
	defer runtime.UnlockOSThread()
	cmd := exec.Command("/bin/sleep", "1114")
	cmd.Env = []string{"MARK=ending"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	await := func(what string) {
		t.Helper()
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || !status.Stopped() {
			t.Fatalf("%s: %v, %x", what, err, status)
		}
	}
	const exitStop = 0x40 // PTRACE_O_TRACEEXIT: it stops before it gives anything back
	await("its start")
	if err := syscall.PtraceSetOptions(pid, exitStop); err != nil {
		t.Fatal(err)
	}
	if found, _ := Marked("MARK=ending"); len(found) != 1 || found[0].PID != pid {
		t.Errorf("before: %+v", found)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	await("its end")
	if found, gone := Marked("MARK=ending"); len(found) > 0 || gone {
		t.Errorf("%+v, gone %v", found, gone)
	}
	if err := syscall.PtraceCont(pid, 0); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	waitGone(t, "MARK=ending")
}

// While a process ends that started a command, the command is not found: it is
// about to be killed. Here the first thread alone has ended.
func TestMarkedBeforeKill(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROCESS_TEST=half")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
		waitGone(t, "MARK=half")
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); alive(cmd.Process.Pid); {
		if time.Now().After(deadline) {
			t.Fatal("the first thread has not ended")
		}
	}
	if found, gone := Marked("MARK=half"); len(found) > 0 || gone || !alive(pid) {
		t.Errorf("%+v, gone %v", found, gone)
	}
}

func init() {
	if os.Getenv("PROCESS_TEST") == "half" {
		runtime.LockOSThread() // main runs on the first thread then
	}
}

// half runs a command that does not end, prints its process and has the first
// thread end alone.
func half() {
	p, err := Start(Command{Path: "/bin/sleep", Args: []string{"1115"}, Env: []string{"MARK=half"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(p.pid)
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}

// Who looks, and who it was started by, is in use.
func TestMarkedOurselves(t *testing.T) {
	c := bash(t, `"$0"; echo; sleep 1116 & SLEEPS=1 "$0"; true`)
	c.Args = append(c.Args, os.Args[0])
	c.Env = append(c.Env, "PROCESS_TEST=look", "MARK=ourselves")
	if got := strings.Fields(text(mustRun(t, c).Output, Stdout)); !slices.Equal(got, []string{"0", "false", "1", "false"}) {
		t.Errorf("%q", got)
	}
}

// look prints how many processes have the mark, and whether all are gone.
func look() {
	found, gone := Marked("MARK=ourselves")
	for deadline := time.Now().Add(10 * time.Second); os.Getenv("SLEEPS") != "" && time.Now().Before(deadline); {
		if found, gone = Marked("MARK=ourselves"); slices.Contains(commands(found), "sleep 1116") { // what is to be that has begun
			break
		}
	}
	fmt.Println(len(found), gone)
}

// A process that begins one program after the other never seems to have no mark.
func TestMarkedBetweenPrograms(t *testing.T) {
	c := bash(t, `exec "$BASH" -c "$0" "$0"`)
	c.Args = append(c.Args, c.Args[1])
	c.Env = append(c.Env, "MARK=between")
	ctx, cancel := context.WithCancel(context.Background())
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	for range 20_000 {
		if env, known := environment(p.pid); known && !hasMark(env, "MARK=between") {
			t.Errorf("it is said to have only %q", env)
			break
		}
	}
	cancel()
	p.Wait(ctx)
	waitGone(t, "MARK=between")
}

// What was given no environment, and what belongs to the system, has no mark.
func TestEnvironment(t *testing.T) {
	cmd := exec.Command("/bin/cat")
	cmd.Env = []string{}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintln(in, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 2)); err != nil { // now it is the program that it is to be
		t.Fatal(err)
	}
	for _, pid := range []int{cmd.Process.Pid, 2, 1 << 30} { // 2 is the system's own, where it is seen
		if env, known := environment(pid); !known || pid != 2 && len(env) > 0 {
			t.Errorf("%d: %q, known %v", pid, env, known)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	for env, want := range map[string]bool{"A=b\x00MARK=1\x00": true, "A=b\x00MARK\x001\x00C=d\x00": true, "MARK=11\x00XMARK=1\x00MARK\x00": false, "MARK\x0011": false} {
		if hasMark([]byte(env), "MARK=1") != want {
			t.Errorf("%q", env)
		}
	}
}
