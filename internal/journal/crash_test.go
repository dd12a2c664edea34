package journal_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ikigai"
	"ikigai/internal/journal"
	"ikigai/internal/race"
	"ikigai/internal/sqlite"
	"ikigai/internal/storetest"
)

// The test binary is also the process that is killed: with a role in its
// environment it plays that instead of running tests.
const (
	roleVariable    = "IKIGAI_TEST_ROLE"
	dirVariable     = "IKIGAI_TEST_DIR"
	sessionVariable = "IKIGAI_TEST_SESSION"
	stepVariable    = "IKIGAI_TEST_STEP"
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	dir, session := os.Getenv(dirVariable), ikigai.ID(os.Getenv(sessionVariable))
	step, _ := strconv.Atoi(os.Getenv(stepVariable))
	play := map[string]func(string, ikigai.ID, int) error{"append": appendUntilKilled, "deliver": deliver}[role]
	if err := play(dir, session, step); err != nil {
		fmt.Fprintln(os.Stderr, role+":", err)
		os.Exit(1)
	}
}

func child(t *testing.T, role, dir string, session ikigai.ID, step int) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir, sessionVariable+"="+string(session),
		stepVariable+"="+strconv.Itoa(step))
	c.Stderr = os.Stderr
	return c
}

// appendUntilKilled appends events behind those that wait and prints the ID of
// each once it is acknowledged.
func appendUntilKilled(dir string, session ikigai.ID, after int) error {
	j, err := journal.Open(dir, ikigai.Grant{Session: session, Fence: 1})
	if err != nil {
		return err
	}
	afterID := ikigai.ID("")
	for e, err := range journal.Events(session, dir) {
		if err != nil {
			return err
		}
		after, afterID = int(e.Seq), e.ID
	}
	for {
		e := storetest.Statement(session, ikigai.Seq(after+1), strings.Repeat("said ", rand.IntN(2000)))
		e.Blobs = []ikigai.Blob{storetest.Blob([]byte(e.ID))}
		if err := j.Append(ikigai.Seq(after), afterID, e); err != nil {
			return err
		}
		fmt.Println(e.ID)
		after, afterID = after+1, e.ID
	}
}

// killingLog kills its process at a step: even ones before a change, odd ones
// after it.
type killingLog struct {
	journal.Store
	step int
}

func (l *killingLog) Append(ctx context.Context, g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) error {
	l.maybeDie()
	err := l.Store.Append(ctx, g, after, events...)
	l.maybeDie()
	return err
}

func (l *killingLog) Fork(ctx context.Context, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error {
	l.maybeDie()
	err := l.Store.Fork(ctx, g, parent, at)
	l.maybeDie()
	return err
}

func (l *killingLog) maybeDie() {
	if l.step == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	l.step--
}

func deliver(dir string, session ikigai.ID, step int) error {
	store, err := sqlite.Open(context.Background(), filepath.Join(dir, "ikigai.db"))
	if err != nil {
		return err
	}
	g, _, err := store.Acquire(context.Background(), session)
	if err != nil {
		return err
	}
	fmt.Println("delivering")
	_, err = journal.Deliver(context.Background(), g, &killingLog{store, step}, filepath.Join(dir, "journals"))
	return err
}

// run starts the command, kills it after n lines unless n is 0, and returns
// the lines that it printed whole.
func run(t *testing.T, c *exec.Cmd, n int) (lines []string, err error) {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
		if len(lines) == n {
			_ = c.Process.Kill()
		}
	}
	return lines, c.Wait()
}

// Every event that a journal acknowledged is in it, however its process ended.
func TestKilledWhileAppending(t *testing.T) { // P7
	dir, session := t.TempDir(), storetest.NewID()
	var acknowledged []string
	for round := range 15 / race.Third {
		lines, err := run(t, child(t, "append", dir, session, 0), 1+rand.IntN(20))
		if err == nil {
			t.Fatal("the process was not killed")
		}
		stored := make(map[string]bool)
		var events []ikigai.Event
		for e, err := range journal.Events(session, dir) {
			if err != nil {
				t.Fatal(err)
			}
			stored[string(e.ID)] = true
			events = append(events, e)
		}
		storetest.CheckLog(t, events)
		for _, id := range lines {
			if len(id) == 36 {
				acknowledged = append(acknowledged, id)
			}
		}
		for _, id := range acknowledged {
			if !stored[id] {
				t.Fatalf("kill %d: event %s was acknowledged and is not there", round+1, id)
			}
		}
	}
	t.Logf("%d acknowledged events", len(acknowledged))
}

// fill writes a journal of a session that the store does not know yet.
func fill(t *testing.T, dir string, session ikigai.ID, records int) []ikigai.Event {
	t.Helper()
	j, err := journal.Open(filepath.Join(dir, "journals"), ikigai.Grant{Session: session, Fence: 1})
	if err != nil {
		t.Fatal(err)
	}
	events := []ikigai.Event{storetest.Session(session, "/src")}
	if err := j.Append(0, "", events...); err != nil {
		t.Fatal(err)
	}
	for len(events) < 2*records-1 {
		n := ikigai.Seq(len(events))
		two := []ikigai.Event{storetest.Statement(session, n+1, "said"), storetest.Statement(session, n+2, "more")}
		two[1].Blobs = []ikigai.Blob{storetest.Blob([]byte(two[1].ID))}
		if err := j.Append(n, events[n-1].ID, two...); err != nil {
			t.Fatal(err)
		}
		events = append(events, two...)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return events
}

// wantDelivered checks that the store has the events, once, and that nothing
// waits.
func wantDelivered(t *testing.T, dir string, session ikigai.ID, events []ikigai.Event) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "ikigai.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	got, err := storetest.All(t.Context(), store, session)
	if err != nil || len(got) != len(events) {
		t.Fatalf("%d events, %v; want %d", len(got), err, len(events))
	}
	storetest.CheckLog(t, got)
	for i, e := range events {
		if got[i].ID != e.ID || got[i].Content != e.Content {
			t.Errorf("event %d is another one", i+1)
		}
		for _, blob := range e.Blobs {
			if _, err := store.Blob(t.Context(), blob.Hash); err != nil {
				t.Error(err)
			}
		}
	}
	if waiting, err := journal.List(filepath.Join(dir, "journals")); err != nil || len(waiting) > 0 {
		t.Errorf("waiting: %+v, %v", waiting, err)
	}
}

// A delivery that is killed, at any step and again and again, is finished by a
// later start: nothing is lost and nothing is there twice.
func TestKilledWhileDelivering(t *testing.T) { // P7
	const records = 4
	for step := 0; step < 2*records; step += race.Third {
		dir, session := t.TempDir(), storetest.NewID()
		events := fill(t, dir, session, records)
		for again := step; ; again /= 2 {
			if _, err := run(t, child(t, "deliver", dir, session, again), 0); err == nil {
				t.Fatalf("step %d: the process was not killed", again)
			}
			if again == 0 {
				break
			}
		}
		if _, err := run(t, child(t, "deliver", dir, session, -1), 0); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		wantDelivered(t, dir, session, events)
	}
}

// P8, law 8: the same where another holder of the session has gone on: both
// sides' events are there, once, the one in the session, the other in a fork.
func TestKilledWhileForking(t *testing.T) {
	for step := 0; ; step += race.Third {
		dir, session := t.TempDir(), storetest.NewID()
		events := fill(t, dir, session, 3)
		// The session as the other holder has it: the first two events agree.
		store, err := sqlite.Open(t.Context(), filepath.Join(dir, "ikigai.db"))
		if err != nil {
			t.Fatal(err)
		}
		theirs := append(slices.Clone(events[:2]), storetest.Statement(session, 3, "theirs"), storetest.Statement(session, 4, "theirs, too"))
		g, giveBack, err := store.Acquire(t.Context(), session)
		if err == nil {
			err = errors.Join(store.Append(t.Context(), g, 0, theirs...), giveBack(), store.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = run(t, child(t, "deliver", dir, session, step), 0)
		finished := err == nil
		for again := step - 1; again >= 0; again /= 3 {
			_, _ = run(t, child(t, "deliver", dir, session, again), 0) // is killed, or finishes what was left
			if again == 0 {
				break
			}
		}
		if _, err := run(t, child(t, "deliver", dir, session, -1), 0); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		wantStored(t, dir, session, theirs)
		fork := slices.Clone(events)
		for i := range fork[2:] {
			fork[i+2].Session = events[2].ID
		}
		wantStored(t, dir, events[2].ID, append(fork, ikigai.Event{Session: events[2].ID, Kind: ikigai.KindFork}))
		if waiting, err := journal.List(filepath.Join(dir, "journals")); err != nil || len(waiting) > 0 {
			t.Errorf("waiting: %+v, %v", waiting, err)
		}
		if finished {
			t.Logf("killed at %d steps", step)
			return
		}
	}
}

// wantStored checks that a session has the events, once.
func wantStored(t *testing.T, dir string, session ikigai.ID, events []ikigai.Event) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "ikigai.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	got, err := storetest.All(t.Context(), store, session)
	if err != nil || len(got) != len(events) {
		t.Fatalf("session %s has %d events, %v; want %d", session, len(got), err, len(events))
	}
	for i, e := range events {
		if got[i].Session != e.Session || got[i].Kind != e.Kind || e.ID != "" && (got[i].ID != e.ID || got[i].Content != e.Content) {
			t.Errorf("event %d is %+v, want %+v", i+1, got[i], e)
		}
		for _, blob := range e.Blobs {
			if _, err := store.Blob(t.Context(), blob.Hash); err != nil {
				t.Error(err)
			}
		}
	}
}

// The same at moments that nobody chose.
func TestKilledAnytimeWhileDelivering(t *testing.T) { // P7
	for range 8 / race.Third {
		dir, session := t.TempDir(), storetest.NewID()
		events := fill(t, dir, session, 10)
		_, _ = run(t, child(t, "deliver", dir, session, -1), 1) // may have finished
		if _, err := run(t, child(t, "deliver", dir, session, -1), 0); err != nil {
			t.Fatal(err)
		}
		wantDelivered(t, dir, session, events)
	}
}

// A journal on a full disk says so, keeps what it acknowledged, and goes on
// once there is room.
func TestDiskFull(t *testing.T) { // P9
	dir, lift := storetest.SmallDisk(t, 256<<10, 256<<10)
	session := storetest.NewID()
	g := ikigai.Grant{Session: session, Fence: 1}
	j, err := journal.Open(dir, g)
	if err != nil {
		t.Fatal(err)
	}
	events := []ikigai.Event{storetest.Session(session, "/src")}
	if err := j.Append(0, "", events...); err != nil {
		t.Fatal(err)
	}
	more := func() error {
		n := ikigai.Seq(len(events))
		e := storetest.Statement(session, n+1, strings.Repeat("fills the disk ", 1000))
		err := j.Append(n, events[n-1].ID, e)
		if err == nil {
			events = append(events, e)
		}
		return err
	}
	full := more()
	for full == nil && len(events) < 1000 {
		full = more()
	}
	if !errors.Is(full, syscall.ENOSPC) && !errors.Is(full, syscall.EFBIG) {
		t.Fatalf("error %v", full)
	}
	if err := more(); err == nil {
		t.Error("a record went into a full disk")
	}
	lift()
	for range 5 {
		if err := more(); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	var got []ikigai.Event
	for e, err := range journal.Events(session, dir) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	storetest.CheckLog(t, got)
	if len(got) != len(events) {
		t.Errorf("%d events, want %d", len(got), len(events))
	}
}
