package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ikigai"
	"ikigai/internal/storetest"
)

func soon() time.Time { return time.Now().Add(10 * time.Millisecond) }
func late() time.Time { return time.Now().Add(time.Minute) }

func TestTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir", "writing")
	one, two := &turn{path: path}, &turn{path: path}
	defer one.close()
	if err := one.take(t.Context(), late()); err != nil {
		t.Fatal(err)
	}
	if err := two.take(t.Context(), soon()); !errors.Is(err, errTurn) {
		t.Errorf("the turn of another: %v, want errTurn", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := two.take(ctx, late()); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}

	// A wait that was called off takes the turn from nobody.
	one.give()
	three := &turn{path: path}
	if err := three.take(t.Context(), late()); err != nil {
		t.Fatal(err)
	}
	taken := make(chan error)
	go func() { taken <- two.take(t.Context(), late()) }()
	three.give()
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	two.give()
	two.close()
	three.close()

	// Closed while it waits, it keeps nothing.
	if err := one.take(t.Context(), late()); err != nil {
		t.Fatal(err)
	}
	four := &turn{path: path}
	if err := four.take(t.Context(), soon()); !errors.Is(err, errTurn) {
		t.Error(err)
	}
	four.close()
	one.give()
	if err := one.take(t.Context(), late()); err != nil {
		t.Fatal(err)
	}
	one.give()
}

// Who waits gets its turn while another writes all the time.
func TestTurnsAreFair(t *testing.T) {
	path := filepath.Join(t.TempDir(), "writing")
	ctx, stop := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	busy.Go(func() {
		greedy := &turn{path: path}
		defer greedy.close()
		for ctx.Err() == nil {
			if err := greedy.take(t.Context(), late()); err != nil {
				t.Error(err)
				return
			}
			greedy.give()
		}
	})
	for range 50 {
		modest := &turn{path: path}
		if err := modest.take(t.Context(), late()); err != nil {
			t.Error(err)
		}
		modest.give()
		modest.close()
	}
	stop()
	busy.Wait()
}

// Where there can be no file for the turn, writing goes on without it.
func TestNoFileForTheTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ikigai.db")
	if err := os.WriteFile(path+leasesSuffix, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path)
	session := storetest.NewID()
	if err := s.Append(t.Context(), ikigai.Grant{Session: session, Fence: 1}, 0, storetest.Session(session, "/src")); err != nil {
		t.Error(err)
	}
}

// A process that hangs with the turn is told of as any other that holds the
// database.
func TestTurnOfAHangingProcess(t *testing.T) { // P9
	path := filepath.Join(t.TempDir(), "ikigai.db")
	s := openAt(t, path)
	f, err := os.OpenFile(filepath.Join(path+leasesSuffix, "writing"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := flock(f, unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := s.writer.do(t.Context(), func(c *connection) error { c.wait = time.Millisecond; return nil }); err != nil {
		t.Fatal(err)
	}
	wantStoreError(t, beginSession(s, storetest.NewID()), path, "is locked by another program")
	h, err := s.Check(t.Context())
	if err != nil || len(h.Problems) != 1 {
		t.Errorf("check: %+v, %v", h, err)
	}
	f.Close()
	if err := s.writer.do(t.Context(), func(c *connection) error { c.wait = time.Minute; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := beginSession(s, storetest.NewID()); err != nil {
		t.Error(err)
	}
}

// Appends that are committed together fail one by one.
func TestGroupFailsApart(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	const n = 20
	grants := make([]ikigai.Grant, n)
	for i := range grants {
		grants[i] = ikigai.Grant{Session: storetest.NewID(), Fence: 1}
		if err := s.Append(t.Context(), grants[i], 0, storetest.Session(grants[i].Session, "/src")); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	errs := make([]error, n)
	// Nobody commits until all of them wait.
	err := s.writer.do(t.Context(), func(*connection) error {
		for i, g := range grants {
			after := ikigai.Seq(1 + i%3) // one in three has its place
			all.Go(func() {
				errs[i] = s.Append(context.Background(), g, after, storetest.Statement(g.Session, after+1, "x"))
			})
		}
		for s.writer.jobs.len() < n {
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all.Wait()
	for i, err := range errs {
		events, readErr := storetest.All(t.Context(), s, grants[i].Session)
		if want := i%3 == 0; want != (err == nil) || err != nil && !errors.Is(err, ikigai.ErrConflict) || readErr != nil || want != (len(events) == 2) {
			t.Errorf("append %d: %v; %d events, %v", i, err, len(events), readErr)
		}
	}
}

// A job that is called off before its turn is not run; one that is under way
// tells how it ended.
func TestJobCalledOff(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	ctx, cancel := context.WithCancel(t.Context())
	waits := make(chan error)
	err := s.writer.do(t.Context(), func(*connection) error {
		go func() {
			waits <- s.writer.commit(ctx, func(context.Context, *connection) error { return fmt.Errorf("it ran") })
		}()
		for s.writer.jobs.len() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
		return <-waits
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	if err := s.writer.commit(ctx, func(context.Context, *connection) error { cancel(); return nil }); err != nil {
		t.Errorf("under way: %v", err)
	}
}
