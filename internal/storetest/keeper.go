package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/race"
)

// rows returns the rows of a query.
func (b *bench) rows(statement string) []ikigai.Row {
	b.Helper()
	var list []ikigai.Row
	for row, err := range b.Query(b.Context(), statement) {
		if err != nil {
			b.Fatalf("%s: %v", statement, err)
		}
		list = append(list, row)
	}
	return list
}

func queries(t *testing.T, b *bench) {
	g, first := b.begin()
	b.say(g, first, 3)
	for statement, want := range map[string][]ikigai.Row{
		"select 1 as one, 'two' as two, cast(1.5 as double precision) as x, null as n where 1 = 1": {
			{Columns: []string{"one", "two", "x", "n"}, Values: []any{int64(1), "two", 1.5, nil}}},
		" -- a comment ; here\n/* and; here */ SELECT max(seq) AS \"a;b\" FROM events ; -- the end ;": {
			{Columns: []string{"a;b"}, Values: []any{int64(4)}}},
		"with x as (select seq from events) select count(*) as n from x;": {{Columns: []string{"n"}, Values: []any{int64(4)}}},
		"values (9007199254740993)":                                       {{Columns: []string{"column1"}, Values: []any{int64(9007199254740993)}}},
		"select ';--/*' as s":                                             {{Columns: []string{"s"}, Values: []any{";--/*"}}},
		"select 1 as n where 1 = 2":                                       nil,
	} {
		if diff := cmp.Diff(want, b.rows(statement)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", statement, diff)
		}
	}
	if plan := b.rows("explain select * from events"); len(plan) == 0 {
		t.Error("no plan")
	}
	n := 0
	for _, err := range b.Query(b.Context(), "select * from events") {
		if err != nil {
			t.Fatal(err)
		}
		n++
		b.append(g, ikigai.Seq(3+n), Statement(g.Session, ikigai.Seq(4+n), "from within"))
		if n == 2 {
			break
		}
	}
}

// Whatever a statement tries, it changes nothing, and the answer says what to
// do instead.
func queriesRefused(t *testing.T, b *bench) {
	g, events := b.begin()
	blob := Blob([]byte("kept"))
	e := Event(g.Session, 2, ikigai.KindChange, "/f", ikigai.ChangeData{Path: "/f", Blob: blob.Hash})
	e.Blobs = []ikigai.Blob{blob}
	b.append(g, 1, e)
	events = append(events, e)
	for _, statement := range []string{
		"", " \n", "-- nothing", "/* nothing */ ;", ";", "nonsense", "select * from no_such_table", "select 1; select 2",
		"select 1;;delete from events", "select 1; -- x\n delete from sessions",
		"delete from sessions", "update sessions set title = 'x'", "insert into leases values ('a', 1, 'b', 2, null)",
		"with x as (select 1) delete from blobs", "with x as (select 1) insert into sessions select * from sessions",
		"with x as (delete from leases returning 1) select * from x",
		"drop table events", "drop view v_turns", "create table t (x int)", "create temp table t (x int)", "alter table events add x int",
		"begin", "begin; delete from events; commit", "commit", "rollback", "savepoint a", "vacuum", "vacuum into '/tmp/stolen.db'",
		"attach '/tmp/other.db' as o", "attach database '/tmp/other.db' as o", "detach main", "reindex", "analyze",
		"pragma user_version = 9", "pragma journal_mode = delete", "pragma writable_schema = 1", "pragma query_only = 0", "pragma user_version",
		"select load_extension('x')", "select writefile('/tmp/x', 'y')", "insert into search (search) values ('delete-all')",
		"copy events to '/tmp/x'", "copy events to program 'cat'", "set transaction read write", "set session authorization default",
		"do $$ begin delete from events; end $$", "call x()", "truncate events", "lock table events", "notify x", "listen x",
		"select * into t from events", "select pg_terminate_backend(1)", "select lo_import('/etc/passwd')", "select set_config('transaction_read_only', 'off', false)",
		"select setval('events_n_seq', 1)", "select pg_advisory_lock(1)", "select pg_read_file('/etc/passwd')", "select nextval('events_n_seq')",
		"select 1 \x00; delete from events", "explain analyze delete from events", "select \xff", "select 'open", "select \"open", "select /* open",
		"grant all on events to public", "prepare x as delete from events", "execute x", "discard all", "checkpoint", "refresh materialized view x",
	} {
		var failed error
		for _, err := range b.Query(b.Context(), statement) {
			failed = err
		}
		var told *ikigai.Error
		if !errors.As(failed, &told) || told.Kind != ikigai.ErrorUsage || told.What == "" || told.Do == "" {
			t.Errorf("%q: %v, want an error of kind usage that says what to do", statement, failed)
		}
	}
	b.want(b.another(), g.Session, events)
	if _, err := b.Blob(b.Context(), blob.Hash); err != nil {
		t.Error(err)
	}
	b.append(g, 2, Statement(g.Session, 3, "goes on"))
	healthy(b, b.Store)
}

func queryCancelled(t *testing.T, b *bench) {
	ctx, cancel := context.WithTimeout(b.Context(), 50*time.Millisecond)
	defer cancel()
	n, began := 0, time.Now()
	for _, err := range b.Query(ctx, "with recursive x(n) as (select 1 union all select n + 1 from x) select count(*) from x where n < 0") {
		if n++; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want context.DeadlineExceeded", err)
		}
	}
	if n != 1 {
		t.Errorf("%d answers after %v", n, time.Since(began))
	}
}

// An await ends with the first event behind its place, whoever appends it.
func await(t *testing.T, b *bench) {
	other := b.another()
	session := NewID()
	waiting := make(chan error, 1)
	wait := func(after ikigai.Seq) { waiting <- other.Await(b.Context(), session, after) }
	go wait(0) // for a session that is to come
	g, _ := b.acquire(session)
	b.append(g, 0, Session(session, "/src"))
	for seq := ikigai.Seq(2); seq < 5; seq++ {
		if err := <-waiting; err != nil {
			t.Fatal(err)
		}
		if events, err := All(b.Context(), other, session); err != nil || len(events) < int(seq-1) {
			t.Errorf("%d events, %v; want %d", len(events), err, seq-1)
		}
		go wait(seq - 1)
		b.append(g, seq-1, Statement(session, seq, "next"))
	}
	if err := <-waiting; err != nil {
		t.Fatal(err)
	}
	if err := b.Await(b.Context(), session, 2); err != nil {
		t.Errorf("for what is there: %v", err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), 20*time.Millisecond)
	defer cancel()
	if err := b.Await(ctx, session, 4); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want context.DeadlineExceeded", err)
	}

	// A fork has events from its place on.
	f, _ := b.acquire(NewID())
	if err := b.Fork(b.Context(), f, session, 3); err != nil {
		t.Fatal(err)
	}
	go func() { waiting <- other.Await(b.Context(), f.Session, 3) }()
	b.append(f, 3, Event(f.Session, 4, ikigai.KindFork, "", ikigai.ForkData{Session: session, Seq: 3}))
	if err := <-waiting; err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, b *bench) {
	h := healthy(b, b.Store)
	if h.Place == "" || h.Engine == "" || h.Schema == 0 || h.Bytes == 0 || h.Sessions != 0 || h.Events != 0 || h.Unindexed != 0 {
		t.Errorf("empty: %+v", h)
	}
	g, first := b.begin()
	events := b.say(g, first, 4)
	b.fork(g.Session, 3, events)
	if h = healthy(b, b.another()); h.Sessions != 2 || h.Events != 6 || h.Unindexed != 6 {
		t.Errorf("two sessions: %+v", h)
	}
	ended, cancel := context.WithCancel(b.Context())
	cancel()
	if h, err := b.Check(ended); err != nil || h.Checked || h.Sessions != 2 {
		t.Errorf("without time: %+v, %v", h, err)
	}
}

// change returns an event that names blobs.
func change(session ikigai.ID, seq ikigai.Seq, blob ikigai.Blob) ikigai.Event {
	e := Event(session, seq, ikigai.KindChange, "/f", ikigai.ChangeData{Path: "/f", Existed: true, Blob: blob.Hash, Size: int64(len(blob.Bytes))})
	e.Blobs = []ikigai.Blob{blob}
	return e
}

// Small edits of a file cost little, each of its versions is there, and stays
// when versions between go.
func deltas(t *testing.T, b *bench) { // P10
	random := rand.New(rand.NewPCG(1, 2))
	const size = 100 << 10 / race.Third
	text := make([]byte, 0, size)
	for len(text) < size {
		text = fmt.Appendf(text, "line %d of a file: %x\n", len(text), random.Uint64())
	}
	g, _ := b.begin()
	gone, _ := b.begin() // a session whose versions will be removed
	var versions []ikigai.Blob
	after := map[ikigai.ID]ikigai.Seq{g.Session: 1, gone.Session: 1}
	for i := range 100 {
		at := random.IntN(len(text) - 100)
		text = append(append(append([]byte{}, text[:at]...), fmt.Sprintf("edit %d", i)...), text[at+random.IntN(20):]...)
		blob := Blob(text)
		if i > 0 {
			blob.Like = versions[i-1].Hash
		}
		versions = append(versions, blob)
		to := g
		if i%3 == 1 {
			to = gone
		}
		b.append(to, after[to.Session], change(to.Session, after[to.Session]+1, blob))
		after[to.Session]++
	}
	wantBlobs(b, b.another(), versions)
	kept := b.rows("select sum(length(bytes)) as n from blobs")[0].Values[0].(int64)
	t.Logf("100 versions of %d bytes are kept in %d", len(text), kept)
	if kept > 20*size {
		t.Errorf("100 small edits are kept in %d bytes", kept)
	}

	if err := b.Remove(b.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Vacuum(b.Context()); err != nil {
		t.Fatal(err)
	}
	var left []ikigai.Blob
	for i, v := range versions {
		if i%3 != 1 {
			left = append(left, v)
		}
	}
	wantBlobs(b, b.another(), left)

	// Likeness is a guess: of nothing, of itself, of something else.
	odd := []ikigai.Blob{Blob([]byte("a")), Blob([]byte("b")), Blob(bytes.Repeat([]byte("c"), 1000)), Blob(nil)}
	odd[0].Like, odd[1].Like, odd[2].Like, odd[3].Like = Blob([]byte("never stored")).Hash, odd[1].Hash, versions[0].Hash, versions[0].Hash
	for _, o := range odd {
		b.append(g, after[g.Session], change(g.Session, after[g.Session]+1, o))
		after[g.Session]++
	}
	wantBlobs(b, b.another(), odd)
	healthy(b, b.Store)
}

func wantBlobs(b *bench, store ikigai.Store, list []ikigai.Blob) {
	b.Helper()
	for i, blob := range list {
		got, err := store.Blob(b.Context(), blob.Hash)
		if err != nil || !bytes.Equal(got, blob.Bytes) {
			b.Errorf("blob %d: %d bytes, %v; want %d bytes", i, len(got), err, len(blob.Bytes))
		}
	}
}

// Vacuum removes what no event names, and nothing else.
func vacuum(t *testing.T, b *bench) {
	noise := func(seed byte) []byte {
		raw := make([]byte, 200<<10)
		_, _ = rand.NewChaCha8([32]byte{seed}).Read(raw)
		return raw
	}
	g, _ := b.begin()
	gone, _ := b.begin()
	shared, own, lost := Blob(noise(1)), Blob(noise(2)), Blob(noise(3))
	unnamed := Statement(g.Session, 3, "its blob is named by no data")
	unnamed.Blobs = []ikigai.Blob{Blob(noise(4))}
	b.append(g, 1, change(g.Session, 2, shared), unnamed, change(g.Session, 4, own))
	b.append(gone, 1, change(gone.Session, 2, shared), change(gone.Session, 3, lost))

	if _, err := b.Vacuum(b.Context()); err != nil {
		t.Fatal(err)
	}
	wantBlobs(b, b.Store, []ikigai.Blob{shared, own, lost})
	if err := b.Remove(b.Context(), gone); err != nil {
		t.Fatal(err)
	}
	for _, store := range []ikigai.Store{b.another(), b.Store} { // twice: nothing is left to do
		if _, err := store.Vacuum(b.Context()); err != nil {
			t.Fatal(err)
		}
		wantBlobs(b, b.Store, []ikigai.Blob{shared, own})
		for _, blob := range []ikigai.Blob{lost, unnamed.Blobs[0]} {
			if _, err := b.Blob(b.Context(), blob.Hash); !errors.Is(err, ikigai.ErrNotFound) {
				t.Errorf("a blob that no event names: %v, want ErrNotFound", err)
			}
		}
	}
	healthy(b, b.Store)
}

// vacuumBesideAppends has blobs come and go while they are swept: those of one
// content again and again, and differences from them.
func vacuumBesideAppends(t *testing.T, b *bench) {
	pool := make([]ikigai.Blob, 6)
	for i := range pool {
		pool[i] = Blob([]byte(strings.Repeat(fmt.Sprintf("a line of blob %d\n", i), 500)))
		pool[i].Like = pool[(i+5)%6].Hash
	}
	ctx, stop := context.WithCancel(b.Context())
	var sweeping, all sync.WaitGroup
	sweeping.Go(func() {
		store := b.another()
		for ctx.Err() == nil {
			if _, err := store.Vacuum(b.Context()); err != nil {
				t.Errorf("vacuum: %v", err)
				return
			}
		}
	})
	for range 3 {
		all.Go(func() {
			for range 10 {
				if err := comeAndGo(b, pool); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	stop()
	sweeping.Wait()
	healthy(b, b.Store)
}

// comeAndGo has a session name blobs, reads them and removes the session.
func comeAndGo(b *bench, pool []ikigai.Blob) error {
	g, release, err := b.Acquire(b.Context(), NewID())
	if err != nil {
		return err
	}
	defer func() { _ = release() }()
	if err := b.Append(b.Context(), g, 0, Session(g.Session, "/src")); err != nil {
		return err
	}
	for i, at := range rand.Perm(len(pool)) {
		if err := b.Append(b.Context(), g, ikigai.Seq(i+1), change(g.Session, ikigai.Seq(i+2), pool[at])); err != nil {
			return err
		}
		if got, err := b.Blob(b.Context(), pool[at].Hash); err != nil || !bytes.Equal(got, pool[at].Bytes) {
			return fmt.Errorf("a blob that an event names: %d bytes, %w", len(got), err)
		}
	}
	return b.Remove(b.Context(), g)
}
