package process

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a command leaves running when it dies with this process is found by its
// mark. A daemon is not, nor is what has another mark, nor what has ended.
func TestMarked(t *testing.T) {
	began := time.Now().Add(-time.Second) // the system counts in hundredths
	c := bash(t, `sleep 1111 & setsid bash -c 'echo $$ >daemon; exec sleep 1000' & until test -s daemon; do :; done; kill -9 $$`)
	c.Env = append(c.Env, "X=1", "MARK=0190b4c2", "Y=")
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	for alive(p.pid) {
	}
	found := Marked("MARK=0190b4c2")
	for len(found) == 1 && found[0].Command != "sleep 1111" { // it is about to be that
		found = Marked("MARK=0190b4c2")
	}
	if len(found) != 1 || found[0].Since.Before(began) || found[0].Since.After(time.Now().Add(time.Second)) {
		t.Errorf("%+v", found)
	}
	for _, mark := range []string{"MARK=0190b4c", "MARK=0190b4c22", "ARK=0190b4c2", "MARK"} {
		if found := Marked(mark); len(found) > 0 {
			t.Errorf("%s: %+v", mark, found)
		}
	}
	p.Wait(context.Background())
	if found := Marked("MARK=0190b4c2"); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	raw, err := os.ReadFile(filepath.Join(c.Dir, "daemon"))
	if err != nil {
		t.Fatal(err)
	}
	daemon, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
	if !alive(daemon) {
		t.Error("the daemon has ended")
	}
	_ = syscall.Kill(daemon, syscall.SIGKILL)
}
