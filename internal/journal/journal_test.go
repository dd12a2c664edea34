package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

const session = ikigai.ID("0190a5b0-0000-7000-8000-000000000001")

var grant = ikigai.Grant{Session: session, Fence: 3}

// event returns an event that could follow seq-1.
func event(seq ikigai.Seq, content string) ikigai.Event {
	e := ikigai.NewEvent(ikigai.KindUser, content, nil)
	e.Session, e.Seq, e.Time = session, seq, ikigai.Micros(1000+seq)
	e.ID = ikigai.ID("id of " + content)
	return e
}

// fakeLog is a session in a store in memory, with its forks. It keeps to the
// contract of Store.
type fakeLog struct {
	fence  int64
	events []ikigai.Event
	forks  map[ikigai.ID]*fakeLog // of the main session
	base   ikigai.Seq             // of a fork: the last event that it shares
	busy   map[ikigai.ID]bool
	calls  int
	err    error // returned instead of appending
}

func (l *fakeLog) session(id ikigai.ID) *fakeLog {
	if id == session {
		return l
	}
	if f := l.forks[id]; f != nil {
		return f
	}
	return &fakeLog{}
}

func (l *fakeLog) Append(_ context.Context, g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) error {
	l.calls++
	if l.err != nil {
		return l.err
	}
	l = l.session(g.Session)
	for _, e := range events {
		if e.Session != g.Session {
			return errors.New("an event of another session")
		}
	}
	for len(events) > 0 && int(after) < len(l.events) && l.events[after].ID == events[0].ID {
		after, events = after+1, events[1:]
	}
	switch {
	case len(events) == 0:
		return nil
	case g.Fence < l.fence:
		return ikigai.ErrFenced
	case int(after) != len(l.events):
		return ikigai.ErrConflict
	}
	l.fence = g.Fence
	l.events = append(l.events, events...)
	return nil
}

func (l *fakeLog) Events(_ context.Context, id ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		events := l.session(id).events
		for _, e := range events[min(int(after), len(events)):] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (l *fakeLog) Acquire(_ context.Context, id ikigai.ID) (ikigai.Grant, func() error, error) {
	if l.busy[id] {
		return ikigai.Grant{}, nil, ikigai.ErrBusy
	}
	if l.busy == nil {
		l.busy = map[ikigai.ID]bool{}
	}
	l.busy[id] = true
	s := l.session(id)
	s.fence++
	return ikigai.Grant{Session: id, Fence: s.fence}, func() error { delete(l.busy, id); return nil }, nil
}

func (l *fakeLog) Fork(_ context.Context, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error {
	events := l.session(parent).events
	if at < 1 || int(at) > len(events) {
		return ikigai.ErrNotFound
	}
	if f := l.forks[g.Session]; f != nil {
		if f.base != at {
			return ikigai.ErrConflict
		}
		return nil
	}
	if l.forks == nil {
		l.forks = map[ikigai.ID]*fakeLog{}
	}
	l.forks[g.Session] = &fakeLog{fence: g.Fence, base: at, events: slices.Clone(events[:at])}
	return nil
}

// deliverAll is Deliver without what it returns beside the error.
func deliverAll(ctx context.Context, g ikigai.Grant, store Store, dirs ...string) error {
	_, err := Deliver(ctx, g, store, dirs...)
	return err
}

func mustOpen(t *testing.T, dir string, g ikigai.Grant) *Journal {
	t.Helper()
	j, err := Open(dir, g)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.file.Close() })
	return j
}

func mustAppend(t *testing.T, j *Journal, after ikigai.Seq, events ...ikigai.Event) {
	t.Helper()
	if err := j.Append(after, "", events...); err != nil {
		t.Fatal(err)
	}
}

func mustClose(t *testing.T, j *Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// list returns the journals in dir.
func list(t *testing.T, dir string) []Waiting {
	t.Helper()
	l, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func waiting(t *testing.T, dirs ...string) []ikigai.Event {
	t.Helper()
	var list []ikigai.Event
	for e, err := range Events(session, dirs...) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// Whatever the bytes, and over several openings, what is delivered is what was
// appended, blobs included.
func TestDelivered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "journals")
	odd := event(3, "not clean: \xff\x00\xed\xa0\x80")
	odd.Data = json.RawMessage("{ \"a\": 9007199254740993, \"a\":\"\\ud800\" }")
	odd.Blobs = []ikigai.Blob{{Hash: "h1", Bytes: []byte("\x00\xff")}, {Hash: "h2", Bytes: []byte{}}}
	empty := event(4, "")
	empty.Data = json.RawMessage{}
	want := []ikigai.Event{event(1, "first"), event(2, "second"), odd, empty, event(5, strings.Repeat("long ", 1<<20))}

	j := mustOpen(t, dir, grant)
	mustAppend(t, j, 0, want[0], want[1])
	mustAppend(t, j, 2, want[2])
	mustAppend(t, j, 3) // nothing
	mustClose(t, j)
	j = mustOpen(t, dir, grant)
	mustAppend(t, j, 3, want[3:]...)
	mustClose(t, j)

	info, err := os.Stat(j.path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	w := Waiting{Session: session, Path: j.path, Events: 5, Bytes: info.Size(), Since: want[0].Time}
	if diff := cmp.Diff([]Waiting{w}, list(t, dir)); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, waiting(t, dir)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	log := &fakeLog{}
	if err := deliverAll(t.Context(), grant, log, dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, log.events); diff != "" {
		t.Errorf("delivered (-want +got):\n%s", diff)
	}
	if l := list(t, dir); log.calls != 3 || len(l) != 0 {
		t.Errorf("%d appends; waiting: %v", log.calls, l)
	}
	if err := deliverAll(t.Context(), grant, log, dir, filepath.Join(dir, "none")); err != nil || log.calls != 3 {
		t.Errorf("nothing to deliver: %v, %d appends", err, log.calls)
	}
}

// A later holder of the session delivers what an earlier one left.
func TestDeliveredByALaterStart(t *testing.T) {
	dir := t.TempDir()
	log := &fakeLog{fence: 4, events: []ikigai.Event{event(1, "a")}}
	j := mustOpen(t, dir, grant)
	mustAppend(t, j, 1, event(2, "b"))
	mustClose(t, j)
	later := ikigai.Grant{Session: session, Fence: 4}
	if err := deliverAll(t.Context(), later, log, dir); err != nil || len(log.events) != 2 {
		t.Errorf("%v, %d events", err, len(log.events))
	}
}

// A store that fails leaves the journal as it is; what it had taken before is
// not delivered twice.
func TestDeliveryInterrupted(t *testing.T) { // P9
	dir := t.TempDir()
	j := mustOpen(t, dir, grant)
	mustAppend(t, j, 0, event(1, "a"))
	mustAppend(t, j, 1, event(2, "b"))
	mustClose(t, j)
	log := &fakeLog{err: errors.New("away")}
	if err := deliverAll(t.Context(), grant, log, dir); !errors.Is(err, log.err) {
		t.Errorf("error %v", err)
	}
	log.err, log.events = nil, []ikigai.Event{event(1, "a")}
	if err := deliverAll(t.Context(), grant, log, dir); err != nil || len(log.events) != 2 {
		t.Errorf("%v, %d events", err, len(log.events))
	}
}

// Journals of one session in two places are delivered in the order of the
// events, however they went back and forth.
func TestTwoPlaces(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	a, b := mustOpen(t, first, grant), mustOpen(t, second, grant)
	var want []ikigai.Event
	for seq := ikigai.Seq(1); seq <= 6; seq++ {
		e := event(seq, strings.Repeat("x", int(seq)))
		want = append(want, e)
		j := a
		if seq == 2 || seq == 3 || seq == 6 {
			j = b
		}
		mustAppend(t, j, seq-1, e)
	}
	mustClose(t, a)
	mustClose(t, b)
	if diff := cmp.Diff(want, waiting(t, first, second)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	log := &fakeLog{}
	if err := deliverAll(t.Context(), grant, log, first, second); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, log.events); diff != "" {
		t.Errorf("delivered (-want +got):\n%s", diff)
	}
	if len(list(t, first)) != 0 || len(list(t, second)) != 0 {
		t.Error("delivered journals are left")
	}
}

// What another holder of the session left is not mixed with what this one has
// to say at the same places.
func TestOtherWriterKeptApart(t *testing.T) { // P8
	dir := t.TempDir()
	j := mustOpen(t, dir, grant)
	mustAppend(t, j, 4, event(5, "of the first holder"))
	mustClose(t, j)

	next := ikigai.Grant{Session: session, Fence: grant.Fence + 1}
	j = mustOpen(t, dir, next)
	mustAppend(t, j, 4, event(5, "of the second holder"))
	mustAppend(t, j, 5, event(6, "more"))
	mustClose(t, j)
	l := list(t, dir)
	if len(l) != 2 || l[0].Aside || l[0].Events != 1 || l[1].Aside || l[1].Events != 2 {
		t.Errorf("waiting: %+v", l)
	}

	// One that goes on where the first ended is the same story.
	third := ikigai.Grant{Session: session, Fence: next.Fence + 1}
	j = mustOpen(t, dir, third)
	mustAppend(t, j, 6, event(7, "of the third holder"))
	mustClose(t, j)
	if got := waiting(t, dir); len(got) != 3 || got[2].Seq != 7 {
		t.Errorf("events: %+v", got)
	}
}

func TestOneAtATime(t *testing.T) { // P8
	dir := t.TempDir()
	j := mustOpen(t, dir, grant)
	mustAppend(t, j, 0, event(1, "a"))
	if _, err := Open(dir, grant); !errors.Is(err, ikigai.ErrBusy) {
		t.Errorf("opened twice: %v", err)
	}
	if err := deliverAll(t.Context(), grant, &fakeLog{}, dir); !errors.Is(err, ikigai.ErrBusy) {
		t.Errorf("delivered while open: %v", err)
	}
	if l := list(t, dir); len(l) != 1 || l[0].Events != 1 {
		t.Errorf("waiting while open: %+v", l)
	}
	mustClose(t, j)
}

func TestRemovedWhileOpen(t *testing.T) { // P9
	dir := t.TempDir()
	j := mustOpen(t, dir, grant)
	mustAppend(t, j, 0, event(1, "a"))
	if err := os.Remove(j.path); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(1, "", event(2, "b")); !errors.Is(err, errGone) {
		t.Errorf("append to a removed file: %v", err)
	}
	mustClose(t, j)
	mustClose(t, mustOpen(t, dir, grant))
}

func TestNothingAppended(t *testing.T) {
	dir := t.TempDir()
	mustClose(t, mustOpen(t, dir, grant))
	if l := list(t, dir); len(l) != 0 {
		t.Errorf("waiting: %+v", l)
	}
	if l, err := List(filepath.Join(dir, "none")); err != nil || l != nil {
		t.Errorf("no directory: %v, %v", l, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for e, err := range Events(grant.Session, file, filepath.Join(file, "below")) {
		t.Errorf("where no directory can be: %+v, %v", e, err)
	}
	for _, id := range []ikigai.ID{"", "../x", "a/b"} {
		if _, err := Open(dir, ikigai.Grant{Session: id}); err == nil {
			t.Errorf("session %q has a journal", id)
		}
	}
}

// threeRecords returns a journal of three records and where each ends.
func threeRecords(t *testing.T) (file []byte, ends []int64) {
	t.Helper()
	j := mustOpen(t, t.TempDir(), grant)
	ends = append(ends, j.end)
	for seq := ikigai.Seq(1); seq <= 3; seq++ {
		mustAppend(t, j, seq-1, event(seq, strings.Repeat("content ", int(seq))))
		ends = append(ends, j.end)
	}
	mustClose(t, j)
	file, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	return file, ends
}

// whole returns how many records end at or before n.
func whole(ends []int64, n int) int {
	records := 0
	for _, end := range ends[1:] {
		if int64(n) >= end {
			records++
		}
	}
	return records
}

// A file cut at any byte holds the records before the cut, and takes new ones.
// Zeros behind the last record, as some file systems leave them, are no record.
func TestTorn(t *testing.T) { // P7
	file, ends := threeRecords(t)
	for n := range len(file) + 1 {
		testTorn(t, file[:n], whole(ends, n))
	}
	for _, end := range ends {
		for _, zeros := range []int{1, frameSize, 5000} {
			testTorn(t, append(bytes.Clone(file[:end]), make([]byte, zeros)...), whole(ends, int(end)))
		}
	}
}

func testTorn(t *testing.T, file []byte, records int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, string(session)+suffix), file, 0o600); err != nil {
		t.Fatal(err)
	}
	if l := list(t, dir); len(l) != 1 || l[0].Events != records || l[0].Damaged {
		t.Fatalf("cut at %d: waiting %+v, want %d", len(file), l, records)
	}
	j := mustOpen(t, dir, grant)
	mustAppend(t, j, ikigai.Seq(records), event(ikigai.Seq(records+1), "after the crash"))
	mustClose(t, j)
	log := &fakeLog{}
	if err := deliverAll(t.Context(), grant, log, dir); err != nil {
		t.Fatal(err)
	}
	if len(log.events) != records+1 || log.events[records].Content != "after the crash" {
		t.Fatalf("cut at %d: %d events", len(file), len(log.events))
	}
}

// A changed byte is noticed wherever it is: what stands before it is
// delivered, the file is kept and reported, and nothing is invented.
func TestDamaged(t *testing.T) {
	file, ends := threeRecords(t)
	for n := range file {
		dir := t.TempDir()
		broken := bytes.Clone(file)
		broken[n] ^= 0x10
		if err := os.WriteFile(filepath.Join(dir, string(session)+suffix), broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, grant); err == nil {
			t.Fatalf("byte %d: opened", n)
		}
		log := &fakeLog{}
		err := deliverAll(t.Context(), grant, log, dir)
		if err == nil || len(log.events) != whole(ends, n) {
			t.Fatalf("byte %d: %v, %d events delivered, want %d", n, err, len(log.events), whole(ends, n))
		}
		if l := list(t, dir); len(l) != 1 || !l[0].Damaged || l[0].Events != len(log.events) {
			t.Fatalf("byte %d: waiting %+v", n, l)
		}
		if err := deliverAll(t.Context(), grant, log, dir); err != nil {
			t.Fatalf("byte %d: told twice: %v", n, err)
		}
	}
}
