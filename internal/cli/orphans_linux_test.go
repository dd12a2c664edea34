package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ikigai/internal/config"
	"ikigai/internal/process"
)

// newOrphanage is a run of the program with a database of its own.
func newOrphanage(t *testing.T) *app {
	t.Helper()
	database, err := config.ParseDatabase("database", filepath.Join(t.TempDir(), "ikigai.db"), "/", "")
	must(t, err)
	return &app{settings: &config.Settings{Database: database}}
}

// A run that lives, or ended in good order, has left nothing behind.
func TestRecordOfRun(t *testing.T) {
	a := newOrphanage(t)
	end := a.recordRun()
	records, err := filepath.Glob(filepath.Join(a.places().running(), "*"))
	if err != nil || len(records) != 1 || a.mark != "IKIGAI_RUN="+filepath.Base(records[0]) {
		t.Fatalf("%v, %v, %q", records, err, a.mark)
	}
	if env := a.childEnv("s"); strings.Join(env, " ") != a.mark+" IKIGAI_SESSION=s" {
		t.Errorf("%q", env)
	}
	if found := a.orphans(); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	if _, err := os.Stat(records[0]); err != nil {
		t.Errorf("the record of a run that lives is gone: %v", err)
	}
	end()
	if _, err := os.Stat(records[0]); err == nil {
		t.Error("the record is still there")
	}
}

// P21: what a run that crashed has left running is told of until it has ended.
func TestOrphans(t *testing.T) {
	a := newOrphanage(t)
	record := filepath.Join(a.places().running(), "0190b4c2")
	must(t, os.MkdirAll(filepath.Dir(record), 0o700))
	must(t, os.WriteFile(record, nil, 0o600))
	cmd := exec.Command("/bin/bash", "-c", "sleep 1111 & echo $!; kill -9 $$")
	cmd.Env = []string{"PATH=/usr/bin:/bin", "IKIGAI_RUN=0190b4c2"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	var pid int
	_, err = fmt.Fscan(out, &pid)
	must(t, err)
	_ = cmd.Wait() // killed
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })

	// Until it has become what it is to be, its environment may be seen as empty.
	became := func() bool {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return string(command) == "sleep\x001111\x00"
	}
	for deadline := time.Now().Add(patience); !became() && time.Now().Before(deadline); {
	}
	told := ""
	for deadline := time.Now().Add(patience); !strings.Contains(told, " sleep 1111 (") && time.Now().Before(deadline); {
		a.tellOrphans(func(s string) { told = s })
	}
	since := time.Now().Format(time.DateTime)[:11]
	if !strings.HasPrefix(told, "1 process of a run that crashed is still running: "+strconv.Itoa(pid)+" sleep 1111 (since "+since) ||
		!strings.HasSuffix(told, "). End what is not needed with `kill "+strconv.Itoa(pid)+"`.") {
		t.Errorf("%s", told)
	}
	must(t, syscall.Kill(pid, syscall.SIGKILL))
	for deadline := time.Now().Add(patience); len(a.orphans()) > 0 || exists(record); {
		if time.Now().After(deadline) {
			t.Fatal("what has ended is still told of, or its record is still there")
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestDescribeOrphans(t *testing.T) {
	found := make([]process.Info, 7)
	for i := range found {
		found[i] = process.Info{PID: i + 1, Command: "a\nb " + strings.Repeat("x", 100*i), Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)}
	}
	got := describeOrphans(found)
	if !strings.HasPrefix(got, "7 processes of a run that crashed are still running: 1 a b (since 2026-01-02 03:04:05), 2 a b xxx") ||
		!strings.HasSuffix(got, "xxx… (since 2026-01-02 03:04:05), and 2 more. End what is not needed with `kill 1 2 3 4 5 6 7`.") {
		t.Errorf("%s", got)
	}
}
