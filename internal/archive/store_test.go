package archive_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/archive"
	"ikigai/internal/blob"
	"ikigai/internal/pgtest"
	"ikigai/internal/postgres"
	"ikigai/internal/race"
	"ikigai/internal/sqlite"
	"ikigai/internal/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// stores are the real stores, each empty.
var stores = []struct {
	name string
	open func(t *testing.T) ikigai.Store
}{
	{"SQLite", func(t *testing.T) ikigai.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ikigai.db"))
		return kept(t, s, err)
	}},
	{"PostgreSQL", func(t *testing.T) ikigai.Store {
		c := pgtest.Shared(t)
		s, err := postgres.Open(t.Context(), c.URL(c.Database(t, postgres.Migrate)))
		return kept(t, s, err)
	}},
}

func kept(t *testing.T, s ikigai.Store, err error) ikigai.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// content is text and data that have broken programs of this kind.
var content = []struct{ text, data string }{
	{`'; DROP TABLE events; -- " \' $1 ? :x @y`, `{"a":1,"a":2}`},
	{"a\r\nb\rc\n\u2028d\u2029e\u0085\x01\x1b[31m\x7f", "{ \"z\" : 1 ,\n\t\"a\":\t[ ] }"},
	{"\ufffe\uffff\U0010ffff\ufdd0\ufffd\ufeff", `{"a":9007199254740993,"b":1e400,"c":-0,"d":1.0}`},
	{"\u202eabc\u202c 👩‍👩‍👧‍👦", `{"a":"\u00e9\/\u003c","b":"<b>&amp;</b>"}`},
	{" \t\n ", `{}`},
	{"", ""},
	{strings.Repeat("0123456789abcdé\n", 10<<20/17/race.Third), `{"output":"` + strings.Repeat("x", 1<<20) + `"}`},
}

// filled fills a store with a session of hostile content and blobs, a fork of it, a
// fork of that, and more events than are appended at once.
func filled(t *testing.T, s ikigai.Store) (ids []ikigai.ID) {
	parent, fork, second := storetest.NewID(), storetest.NewID(), storetest.NewID()
	events := []ikigai.Event{storetest.Session(parent, "/src")}
	for _, c := range content {
		e := storetest.Event(parent, ikigai.Seq(len(events)+1), ikigai.KindToolResult, c.text, nil)
		if c.data != "" {
			e.Data = json.RawMessage(c.data)
		}
		events = append(events, e)
	}
	for _, b := range [][]byte{[]byte("text\n"), {0, 1, 0xff, 0}, {}, bytes.Repeat([]byte("compressible "), 50_000), []byte("text\n")} {
		e := storetest.Event(parent, ikigai.Seq(len(events)+1), ikigai.KindChange, "/src/f", ikigai.ChangeData{Path: "/src/f", Blob: blob.Hash(b)})
		e.Blobs = []ikigai.Blob{storetest.Blob(b)}
		events = append(events, e)
	}
	for len(events) < 700 {
		events = append(events, storetest.Statement(parent, ikigai.Seq(len(events)+1), "statement"))
	}
	put(t, s, parent, "", 0, events)
	put(t, s, fork, parent, 5, []ikigai.Event{storetest.Statement(fork, 6, "in the fork")})
	put(t, s, second, fork, 6, []ikigai.Event{storetest.Statement(second, 7, "in the second")})
	return []ikigai.ID{parent, fork, second}
}

// put appends events to a session, which it begins as a fork if parent is set.
func put(t *testing.T, s ikigai.Store, id, parent ikigai.ID, after ikigai.Seq, events []ikigai.Event) {
	t.Helper()
	g, release, err := s.Acquire(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if parent != "" {
		err = s.Fork(t.Context(), g, parent, after)
	}
	if err == nil {
		err = s.Append(t.Context(), g, after, events...)
	}
	if err := errors.Join(err, release()); err != nil {
		t.Fatal(err)
	}
}

// equal checks that both stores say the same of the sessions.
func equal(t *testing.T, a, b ikigai.Store, ids []ikigai.ID) {
	t.Helper()
	if diff := cmp.Diff(listed(t, a), listed(t, b)); diff != "" {
		t.Errorf("sessions:\n%s", diff)
	}
	for _, id := range ids {
		want, err := storetest.All(t.Context(), a, id)
		if err != nil || len(want) == 0 {
			t.Fatal(len(want), err)
		}
		got, err := storetest.All(t.Context(), b, id)
		if err != nil || !reflect.DeepEqual(want, got) { // which is fast on long texts
			t.Errorf("session %s: %v\n%s", id, err, cmp.Diff(want, got))
		}
		for _, e := range want {
			var d ikigai.ChangeData
			if e.Kind != ikigai.KindChange || e.DecodeData(&d) != nil {
				continue
			}
			content, err := b.Blob(t.Context(), d.Blob)
			if err != nil || blob.Hash(content) != d.Blob {
				t.Errorf("blob %s: %v", d.Blob, err)
			}
		}
	}
}

func listed(t *testing.T, s ikigai.Store) (list []ikigai.SessionInfo) {
	t.Helper()
	for info, err := range s.Sessions(t.Context(), ikigai.SessionQuery{Order: ikigai.ByCreated}) {
		if err != nil {
			t.Fatal(err)
		}
		if info.Parent != "" {
			info.Created, info.Updated = 0, 0 // a fork is made when it is copied
		}
		list = append(list, info)
	}
	slices.SortFunc(list, func(a, b ikigai.SessionInfo) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return list
}

// each runs a test from every store to every store.
func each(t *testing.T, run func(t *testing.T, from, to ikigai.Store)) {
	for _, from := range stores {
		for _, to := range stores {
			t.Run(from.name+" to "+to.name, func(t *testing.T) { run(t, from.open(t), to.open(t)) })
		}
	}
}

func TestCopyBetweenStores(t *testing.T) {
	each(t, func(t *testing.T, from, to ikigai.Store) {
		ids := filled(t, from)
		report, err := archive.Copy(t.Context(), from, to, archive.CopyOptions{})
		if err != nil || report.Added != 702 || len(report.Skipped()) > 0 {
			t.Fatalf("%+v, %v", report, err)
		}
		equal(t, from, to, ids)
		put(t, from, ids[0], "", 700, []ikigai.Event{storetest.Statement(ids[0], 701, "later")})
		if report, err = archive.Copy(t.Context(), from, to, archive.CopyOptions{}); err != nil || report.Added != 1 {
			t.Fatalf("repeated: %+v, %v", report, err)
		}
		equal(t, from, to, ids)
	})
}

// stopping is a store that appends fail in after some.
type stopping struct {
	ikigai.Store
	left int
}

var errStopped = errors.New("stopped")

func (s *stopping) Append(ctx context.Context, g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) error {
	if s.left--; s.left < 0 {
		return errStopped
	}
	return s.Store.Append(ctx, g, after, events...)
}

func TestCopyBetweenStoresResumes(t *testing.T) {
	each(t, func(t *testing.T, from, to ikigai.Store) {
		ids := filled(t, from)
		for left := 0; ; left++ {
			_, err := archive.Copy(t.Context(), from, &stopping{to, left}, archive.CopyOptions{})
			if err == nil {
				break
			}
			if !errors.Is(err, errStopped) || left > 100 {
				t.Fatal(err)
			}
		}
		equal(t, from, to, ids)
	})
}

func TestArchiveBetweenStores(t *testing.T) {
	each(t, func(t *testing.T, from, to ikigai.Store) {
		ids := filled(t, from)
		var file bytes.Buffer
		if _, err := archive.Write(t.Context(), &file, from, archive.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, added := range []int64{702, 0} {
			report, err := archive.Read(t.Context(), bytes.NewReader(file.Bytes()), to, archive.ReadOptions{Rename: true})
			if err != nil || report.Added != added || len(report.Skipped()) > 0 {
				t.Fatalf("%+v, %v", report, err)
			}
		}
		equal(t, from, to, ids)
	})
}

// Copying to a file, many events at once.
func BenchmarkCopySQLite(b *testing.B) {
	from, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "from.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer from.Close()
	id := storetest.NewID()
	outcome, err := archive.NewAdder(from, archive.ReadOptions{}).Add(b.Context(), archive.Session{ID: id}, statements(id, b.N))
	if err != nil || outcome.Added != int64(b.N) {
		b.Fatal(outcome, err)
	}
	to, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "to.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer to.Close()
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := archive.Copy(b.Context(), from, to, archive.CopyOptions{}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func statements(id ikigai.ID, n int) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		e := storetest.Session(id, "/src")
		for seq := 1; seq <= n && yield(e, nil); seq++ {
			e = storetest.Event(id, ikigai.Seq(seq+1), ikigai.KindUser, "a statement of some words that say what is to be done", map[string]int{"n": seq})
		}
	}
}
