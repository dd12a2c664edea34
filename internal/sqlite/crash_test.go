package sqlite

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/dbschema"
	"ikigai/internal/storetest"
)

func TestKilledWhileWriting(t *testing.T) { // P7
	path := filepath.Join(t.TempDir(), "ikigai.db")
	storetest.KillWriters(t, 25,
		func() (ikigai.Store, error) { return Open(t.Context(), path) },
		func(session ikigai.ID) *exec.Cmd { return other(t, "write", path, session) })
	wantHealthy(t, path)
}

func wantHealthy(t *testing.T, path string) {
	t.Helper()
	s := openAt(t, path)
	h, err := s.Check(t.Context())
	if err != nil || !h.Checked || len(h.Problems) > 0 || !strings.HasSuffix(h.Engine, ", wal") || h.Schema != dbschema.Version {
		t.Errorf("check: %+v, %v", h, err)
	}
}

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// start starts another process and waits for its first line. stop ends it
// in an orderly way, and kill kills it.
func start(t *testing.T, role, path string, session ikigai.ID) (stop, kill func()) {
	t.Helper()
	c := other(t, role, path, session)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%s: %v", role, err)
	}
	stop = func() {
		in.Close()
		_ = c.Wait()
	}
	kill = func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	t.Cleanup(kill)
	return stop, kill
}

// A session belongs to the process that has it open, and to nobody once that
// process is dead.
func TestLeaseEndsWithItsProcess(t *testing.T) { // P8
	path := filepath.Join(t.TempDir(), "ikigai.db")
	s := openAt(t, path)
	session := storetest.NewID()
	_, kill := start(t, "hold", path, session)
	if _, _, err := s.Acquire(t.Context(), session); !errors.Is(err, ikigai.ErrBusy) {
		t.Fatalf("acquire what another process holds: %v, want ErrBusy", err)
	}
	kill()
	g, release, err := s.Acquire(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), g, 0, storetest.Session(session, "/src")); err != nil {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(path + ".leases"); err != nil || len(left) != 1 || left[0].Name() != "writing" {
		t.Errorf("left in the directory of leases: %v, %v", left, err)
	}
}

// Several processes may find no database at once and create it.
func TestCreatedByManyProcesses(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "dir", "ikigai.db")
		const processes = 4
		var started []*exec.Cmd
		for range processes {
			c := other(t, "once", path, storetest.NewID())
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			in.Close()
			started = append(started, c)
		}
		for _, c := range started {
			if err := c.Wait(); err != nil {
				t.Errorf("a process that created the database with others: %v", err)
			}
		}
		n := 0
		for _, err := range openAt(t, path).Sessions(t.Context(), ikigai.SessionQuery{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != processes {
			t.Errorf("%d sessions, want %d", n, processes)
		}
		wantHealthy(t, path)
	}
}

// A tool that searches files may open and close the database's. That must not
// give up the store's locks: another process would then take itself for the
// only one and, at its end, remove the write-ahead log in use.
func TestLocksSurviveReadingTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ikigai.db")
	s := openAt(t, path)
	session := storetest.NewID()
	g, release, err := s.Acquire(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := s.Append(t.Context(), g, 0, storetest.Session(session, "/src")); err != nil {
		t.Fatal(err)
	}
	for seq := ikigai.Seq(2); seq < 6; seq++ {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if _, err := os.ReadFile(path + suffix); err != nil {
				t.Fatal(err)
			}
		}
		if err := other(t, "visit", path, "").Run(); err != nil {
			t.Fatal(err)
		}
		if err := s.Append(t.Context(), g, seq-1, storetest.Statement(session, seq, "still there")); err != nil {
			t.Fatal(err)
		}
		events, err := storetest.All(t.Context(), openAt(t, path), session)
		if err != nil || len(events) != int(seq) {
			t.Fatalf("%d events, %v; want %d", len(events), err, seq)
		}
	}
}
