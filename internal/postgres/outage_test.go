package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/pgtest"
	"ikigai/internal/storetest"
)

func TestKilledWhileWriting(t *testing.T) { // P7
	url := database(t)
	direct := connect(t, url)
	open := func() (ikigai.Store, error) {
		// The server may still be at what the process sent before it died.
		until(t, "the server is done with the dead process", func() bool {
			var busy bool
			const query = `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend')`
			if err := direct.QueryRow(t.Context(), query).Scan(&busy); err != nil {
				t.Fatal(err)
			}
			return !busy
		})
		return Open(t.Context(), url)
	}
	storetest.KillWriters(t, 25, open,
		func(session ikigai.ID) *exec.Cmd { return other(t, "write", url, session) })
	wantHealthy(t, openAt(t, url))
}

func wantHealthy(t *testing.T, s *Store) {
	t.Helper()
	if h, err := s.Check(t.Context()); err != nil || !h.Checked || len(h.Problems) > 0 {
		t.Errorf("check: %+v, %v", h, err)
	}
}

// story is a session that is written event by event, each again and again until
// it is acknowledged, and what the store must hold of it.
type story struct {
	*testing.T
	store  *Store
	grant  ikigai.Grant
	wait   time.Duration // for an answer, at most
	events []ikigai.Event
}

func tell(t *testing.T, s *Store) *story {
	t.Helper()
	session := storetest.NewID()
	g, release, err := s.Acquire(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = release() })
	b := &story{T: t, store: s, grant: g, wait: time.Minute}
	first := storetest.Session(session, "/src")
	if err := b.try(first); err != nil {
		t.Fatal(err)
	}
	b.events = append(b.events, first)
	return b
}

func (b *story) next() ikigai.Event {
	n := ikigai.Seq(len(b.events) + 1)
	return storetest.Statement(b.grant.Session, n, fmt.Sprintf("statement %d", n))
}

// try appends an event once.
func (b *story) try(e ikigai.Event) error {
	ctx, cancel := context.WithTimeout(b.Context(), b.wait)
	defer cancel()
	return b.store.Append(ctx, b.grant, e.Seq-1, e)
}

// add appends the next event, as often as need be. It returns the errors.
func (b *story) add() (failed []error) {
	b.Helper()
	return b.finish(b.next())
}

// finish appends an event of which it is not known whether it is there.
func (b *story) finish(e ikigai.Event) (failed []error) {
	b.Helper()
	until(b, "append", func() bool {
		err := b.try(e)
		if errors.Is(err, ikigai.ErrConflict) || errors.Is(err, ikigai.ErrFenced) {
			b.Fatal(err)
		}
		if err != nil {
			failed = append(failed, err)
		}
		return err == nil
	})
	b.events = append(b.events, e)
	return failed
}

// check checks that the store, opened anew, holds every event once.
func (b *story) check(url string) {
	b.Helper()
	s := openAt(b, url)
	got, err := storetest.All(b.Context(), s, b.grant.Session)
	if err != nil {
		b.Error(err)
	}
	if diff := cmp.Diff(b.events, got); diff != "" {
		b.Errorf("events (-want +got):\n%s", diff)
	}
	for info, err := range s.Sessions(b.Context(), ikigai.SessionQuery{Prefix: string(b.grant.Session)}) {
		if err != nil || int(info.Events) != len(b.events) || info.Statements != len(b.events)-1 {
			b.Errorf("catalog: %+v, %v; want %d events", info, err, len(b.events))
		}
	}
	wantHealthy(b.T, s)
}

// wantTold checks that errors say what to do, and that one of them says what.
func (b *story) wantTold(failed []error, what string) {
	b.Helper()
	found := false
	for _, err := range failed {
		if !errors.Is(err, context.DeadlineExceeded) && ikigai.KindOf(err) != ikigai.ErrorStore {
			b.Errorf("an error that tells nothing: %v", err)
		}
		found = found || strings.Contains(err.Error(), what)
	}
	if !found {
		b.Errorf("no error says %q: %v", what, failed)
	}
}

// The server is stopped, or crashes, in mid-session, and is started again. The
// store goes on with what it has.
func TestServerStops(t *testing.T) { // P9
	t.Parallel()
	c := pgtest.New(t, pgtest.Options{Durable: true})
	url := c.URL(c.Database(t, Migrate))
	s := openAt(t, url)
	b := tell(t, s)
	for _, end := range []func(testing.TB){c.Stop, c.Kill} {
		b.add()
		end(t)
		e := b.next()
		b.wantTold([]error{b.try(e)}, "No server answers at")
		if _, _, err := s.Acquire(t.Context(), storetest.NewID()); ikigai.KindOf(err) != ikigai.ErrorStore {
			t.Errorf("acquire: %v", err)
		}
		if _, err := Open(t.Context(), url); ikigai.KindOf(err) != ikigai.ErrorStore || !strings.Contains(err.Error(), "No server answers at") {
			t.Errorf("open: %v", err)
		}
		c.Start(t)
		if err := b.try(e); err != nil {
			t.Errorf("the first append after it is back: %v", err)
		}
		b.events = append(b.events, e)
		c.Stop(t)
		c.Start(t)
		if failed := b.add(); len(failed) > 0 { // nobody noticed
			t.Errorf("stopped and started between two appends: %v", failed)
		}
	}
	b.check(url)
}

// Connections are cut, at any moment of an append, however long one takes here.
func TestConnectionCut(t *testing.T) { // P9
	s, p, url := through(t, time.Hour)
	b := tell(t, s)
	failed, cuts, took := 0, 0, time.Millisecond
	for range 100 {
		cut := time.AfterFunc(rand.N(took), p.Cut)
		began := time.Now()
		failed += len(b.add())
		took = time.Since(began)
		if !cut.Stop() {
			cuts++
		}
	}
	t.Logf("%d cuts, %d appends failed", cuts, failed)
	if cuts < 10 {
		t.Error("too few of them are met")
	}
	b.check(url)
}

// The server has committed, and its answer is lost. On a connection that was
// idle the store repeats the append by itself; on a new one its caller does. It
// is stored once.
func TestAnswerLost(t *testing.T) { // P9
	s, p, url := through(t, time.Hour)
	b := tell(t, s)
	s.notifier.close() // or a connection that it has is idle after all of them were dropped
	for i := range 10 {
		fresh := i%2 == 0
		if fresh {
			s.pool.dropIdle()
		}
		lost := p.LoseAnswer("INSERT")
		if failed := b.add(); len(failed) > 1 || (len(failed) == 1) != fresh {
			t.Errorf("on a new connection %t: %v", fresh, failed)
		}
		<-lost
	}
	b.check(url)

	// Several events, with a blob.
	after := ikigai.Seq(len(b.events))
	for range 3 {
		b.events = append(b.events, b.next())
	}
	batch := append([]ikigai.Event{}, b.events[after:]...)
	blob := storetest.Blob([]byte("of a lost answer"))
	batch[1].Blobs = []ikigai.Blob{blob}
	s.pool.dropIdle()
	lost := p.LoseAnswer("INSERT")
	if err := s.Append(t.Context(), b.grant, after, batch...); ikigai.KindOf(err) != ikigai.ErrorStore {
		t.Errorf("an append whose answer was lost: %v", err)
	}
	<-lost
	if err := s.Append(t.Context(), b.grant, after, batch...); err != nil {
		t.Error(err)
	}
	if got, err := s.Blob(t.Context(), blob.Hash); err != nil || string(got) != string(blob.Bytes) {
		t.Errorf("blob %q, %v", got, err)
	}
	b.check(url)
}

// Answers come late, or not at all: every wait ends with its context.
func TestSlowServer(t *testing.T) { // P9
	t.Parallel()
	s, p, url := through(t, time.Hour)
	b := tell(t, s)
	p.Delay(time.Hour)
	e := b.next()
	b.wait = 200 * time.Millisecond
	for range 2 {
		b.wantTold([]error{b.try(e)}, context.DeadlineExceeded.Error())
	}
	b.wait = time.Minute
	p.Delay(100 * time.Millisecond)
	b.finish(e)
	p.Delay(0)
	b.add()

	e = b.next()
	p.BlackHole(true)
	short := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	for name, call := range map[string]func() error{
		"append":  func() error { return s.Append(short(), b.grant, e.Seq-1, e) },
		"events":  func() error { _, err := storetest.All(short(), s, b.grant.Session); return err },
		"acquire": func() error { _, _, err := s.Acquire(short(), storetest.NewID()); return err },
		"blob":    func() error { _, err := s.Blob(short(), storetest.Blob(nil).Hash); return err },
		"await":   func() error { return s.Await(short(), b.grant.Session, 1<<40) },
		"catchup": func() error { _, err := s.Catchup(short(), 10); return err },
		"vacuum":  func() error { _, err := s.Vacuum(short()); return err },
		"query": func() (err error) {
			for _, err = range s.Query(short(), "SELECT 1") {
			}
			return err
		},
		"search": func() (err error) {
			for _, err = range s.Search(short(), ikigai.SearchQuery{Words: "a"}) {
			}
			return err
		},
	} {
		if err := call(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, want context.DeadlineExceeded", name, err)
		}
	}
	// More of them than there are connections.
	var all sync.WaitGroup
	for range 3 * maxConnections {
		all.Go(func() {
			if _, err := storetest.All(short(), s, b.grant.Session); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, want context.DeadlineExceeded", err)
			}
		})
	}
	all.Wait()
	p.BlackHole(false)
	b.finish(e)
	b.check(url)
}

// The server dies for good, and the standby that follows it takes its place.
// What was acknowledged is there, once.
func TestFailover(t *testing.T) { // P9
	t.Parallel()
	c := pgtest.New(t, pgtest.Options{})
	name := c.Database(t, Migrate)
	standby := c.Standby(t)
	url := pgtest.URL(name, c.Addr(), standby.Addr())
	s := openAt(t, url)
	b := tell(t, s)
	for range 10 {
		b.add()
	}
	var failed []error
	began, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := range 40 {
			failed = append(failed, b.add()...)
			if i == 10 {
				close(began)
			}
		}
	}()
	select {
	case <-began:
	case <-ended: // an append failed for good
		return
	}
	c.Kill(t)
	standby.Promote(t)
	<-ended
	t.Logf("%d appends failed meanwhile", len(failed))
	b.add()
	b.check(url)
	b.check(standby.URL(name))
	if g, _, err := openAt(t, url).Acquire(t.Context(), b.grant.Session); !errors.Is(err, ikigai.ErrBusy) {
		t.Errorf("the lease is not where the events are: %+v, %v", g, err)
	}
}

// A server that has become a standby takes no writes: its connection is not used
// again, and another one finds the server that does.
func TestReadOnlyConnection(t *testing.T) { // P9
	url := database(t)
	s := openAt(t, url)
	b := tell(t, s)
	if err := s.pool.do(t.Context(), func(conn *pgx.Conn) error {
		_, err := conn.Exec(t.Context(), "SET default_transaction_read_only = on")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if failed := b.add(); len(failed) > 0 {
		t.Errorf("on a connection that had become read-only: %v", failed)
	}
	b.check(url)
}

// A database that only reads tells so.
func TestReadOnlyDatabase(t *testing.T) { // P9
	url := database(t) + "&default_transaction_read_only=on"
	s := openAt(t, url)
	if _, _, err := s.Acquire(t.Context(), storetest.NewID()); err == nil || !strings.Contains(err.Error(), "takes no writes") {
		t.Errorf("%v", err)
	}
	for _, err := range s.Sessions(t.Context(), ikigai.SessionQuery{}) {
		t.Error(err)
	}
}
