package journal

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// of returns events with the given contents, from seq on.
func of(seq ikigai.Seq, contents ...string) (events []ikigai.Event) {
	for i, c := range contents {
		events = append(events, event(seq+ikigai.Seq(i), c))
	}
	return events
}

// leave writes a journal of one record for each event, which follow the event
// with the given content.
func leave(t *testing.T, dir string, fence int64, after string, events ...ikigai.Event) {
	t.Helper()
	j := mustOpen(t, dir, ikigai.Grant{Session: session, Fence: fence})
	id := ikigai.ID("")
	if after != "" {
		id = ikigai.ID("id of " + after)
	}
	for _, e := range events {
		if err := j.Append(e.Seq-1, id, e); err != nil {
			t.Fatal(err)
		}
		id = e.ID
	}
	mustClose(t, j)
}

func contents(events []ikigai.Event) string {
	var all []string
	for _, e := range events {
		c := e.Content
		if e.Kind == ikigai.KindFork {
			c = "FORK"
		}
		all = append(all, c)
	}
	return strings.Join(all, " ")
}

// P8, law 8: where another holder of the session has gone on, what waited is a
// fork of the last event that both have.
func TestFork(t *testing.T) {
	first := strings.Fields("a b")
	tests := []struct {
		name   string
		store  []string         // contents of its events, from 1 on
		leave  func(dir string) // under fence 3
		want   Delivery
		fork   string // what is in it
		main   string // what is in the session then, if it has changed
		refuse string // what is said when the journal is refused
	}{
		{"the other went on", []string{"a", "b", "theirs", "more"},
			func(dir string) { leave(t, dir, 3, "b", of(3, "c", "d")...) },
			Delivery{Events: 2, Fork: "id of c", At: 2}, "a b c d FORK", "", ""},
		{"the other did nothing", first,
			func(dir string) { leave(t, dir, 3, "b", of(3, "c", "d")...) },
			Delivery{Events: 2}, "", "a b c d", ""},
		{"some of it had come through", []string{"a", "b", "c", "theirs"},
			func(dir string) { leave(t, dir, 3, "b", of(3, "c", "d", "e")...) },
			Delivery{Events: 2, Fork: "id of d", At: 3}, "a b c d e FORK", "", ""},
		{"some of one append had come through", []string{"a", "b", "c", "theirs"},
			func(dir string) {
				j := mustOpen(t, dir, grant)
				mustAppend(t, j, 2, of(3, "c", "d", "e")...)
				mustClose(t, j)
			},
			Delivery{Events: 3, Fork: "id of d", At: 3}, "a b c d e FORK", "", ""},
		{"a journal of the oldest version", []string{"a", "b", "theirs"},
			func(dir string) {
				j := mustOpen(t, dir, grant)
				mustAppend(t, j, 2, event(3, "c"))
				mustAppend(t, j, 3, event(4, "d"))
				mustClose(t, j)
			},
			Delivery{Events: 2, Fork: "id of c", At: 2}, "a b c d FORK", "", ""},
		{"the place is lost", first,
			func(dir string) { leave(t, dir, 3, "lost", of(5, "e")...) },
			Delivery{}, "", "", "is not in the database"},
		{"another event is at the place", []string{"a", "b", "theirs"},
			func(dir string) { leave(t, dir, 3, "c", of(4, "d")...) },
			Delivery{}, "", "", "is not in the database"},
		{"the session is another from the start", []string{"theirs"},
			func(dir string) { leave(t, dir, 3, "", of(1, "a")...) },
			Delivery{}, "", "", "is not in the database"},
		{"the session is gone", nil,
			func(dir string) { leave(t, dir, 3, "b", of(3, "c")...) },
			Delivery{}, "", "", "is not in the database"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			store := &fakeLog{fence: 3, events: of(1, test.store...)}
			test.leave(dir)
			done, err := Deliver(t.Context(), ikigai.Grant{Session: session, Fence: 4}, store, dir)
			if test.refuse != "" {
				l := list(t, dir)
				if !errors.Is(err, ikigai.ErrConflict) || !strings.Contains(err.Error(), test.refuse) || len(done) > 0 || len(l) != 1 || !l[0].Refused {
					t.Errorf("%v, %+v; waiting: %+v", err, done, l)
				}
				if err := deliverAll(t.Context(), ikigai.Grant{Session: session, Fence: 5}, store, dir); err != nil {
					t.Errorf("told twice: %v", err)
				}
				return
			}
			if err != nil || len(done) != 1 {
				t.Fatalf("%v, %+v", err, done)
			}
			test.want.Session = session
			if test.want.Fork != "" {
				test.want.Parent = session
			}
			if diff := cmp.Diff(test.want, done[0]); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if test.main == "" {
				test.main = strings.Join(test.store, " ")
			}
			if got := contents(store.events); got != test.main {
				t.Errorf("session %q, want %q", got, test.main)
			}
			if got := contents(store.session(test.want.Fork).events); got != test.fork {
				t.Errorf("fork %q, want %q", got, test.fork)
			}
			if l := list(t, dir); len(l) > 0 || len(store.busy) > 0 {
				t.Errorf("waiting: %+v, held: %v", l, store.busy)
			}
		})
	}
}

// The event at the end of a fork says where it comes from; the others keep
// their ID and place.
func TestForkEvent(t *testing.T) {
	dir := t.TempDir()
	store := &fakeLog{fence: 3, events: of(1, "a", "theirs")}
	c := event(2, "c")
	c.Blobs = []ikigai.Blob{{Hash: "h", Bytes: []byte("bytes"), Like: "g"}}
	leave(t, dir, 3, "a", c)
	if err := deliverAll(t.Context(), grant, store, dir); err != nil {
		t.Fatal(err)
	}
	got := store.forks["id of c"].events
	want := c
	want.Session = "id of c"
	if diff := cmp.Diff(want, got[1]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	last := got[2]
	var d ikigai.ForkData
	if err := last.DecodeData(&d); err != nil || last.Seq != 3 || last.Session != "id of c" || len(last.ID) != 36 || last.Time == 0 {
		t.Errorf("event %+v, %v", last, err)
	}
	host, _ := os.Hostname()
	if d.Session != session || d.Seq != 1 || !strings.Contains(d.Reason, "1970-01-01 00:00:00 UTC") || !strings.Contains(d.Reason, host) || last.Content != d.Reason {
		t.Errorf("data %+v", d)
	}
}

// A holder that is out of date delivers to a fork, too, and waits if nobody has
// gone on.
func TestForkWithAnOldGrant(t *testing.T) {
	dir := t.TempDir()
	store := &fakeLog{fence: 9, events: of(1, "a")}
	leave(t, dir, 3, "a", of(2, "b")...)
	if err := deliverAll(t.Context(), grant, store, dir); !errors.Is(err, ikigai.ErrFenced) || len(list(t, dir)) != 1 || len(store.forks) > 0 {
		t.Fatalf("%v; forks %v", err, store.forks)
	}
	store.events = of(1, "a", "theirs")
	for _, err := range []error{
		Replay(t.Context(), grant, store, dir),
		Replay(t.Context(), ikigai.Grant{Session: session, Fence: 3}, store, dir),
	} {
		if !errors.Is(err, ikigai.ErrFenced) || len(list(t, dir)) != 1 || len(store.forks) > 0 {
			t.Fatalf("replay: %v; forks %v", err, store.forks)
		}
	}
	if err := deliverAll(t.Context(), grant, store, dir); err != nil || contents(store.forks["id of b"].events) != "a b FORK" {
		t.Errorf("%v; forks %v", err, store.forks)
	}
}

// A person has gone on with a fork before all of it was delivered: what is left
// is a fork of the fork.
func TestForkOfAFork(t *testing.T) {
	dir := t.TempDir()
	store := &fakeLog{fence: 3, events: of(1, "a", "theirs"), forks: map[ikigai.ID]*fakeLog{
		"id of b": {fence: 1, base: 1, events: of(1, "a", "b", "person's")},
	}}
	leave(t, dir, 3, "a", of(2, "b", "c", "d")...)
	done, err := Deliver(t.Context(), grant, store, dir)
	want := []Delivery{{Session: session, Events: 2, Fork: "id of c", Parent: "id of b", At: 2}}
	if diff := cmp.Diff(want, done); err != nil || diff != "" {
		t.Fatalf("%v (-want +got)\n%s", err, diff)
	}
	if got := contents(store.forks["id of b"].events); got != "a b person's" {
		t.Errorf("first fork %q", got)
	}
	if got := contents(store.forks["id of c"].events); got != "a b c d FORK" {
		t.Errorf("second fork %q", got)
	}
}

// A fork that somebody has open is delivered to later.
func TestForkIsBusy(t *testing.T) {
	dir := t.TempDir()
	store := &fakeLog{fence: 3, events: of(1, "a", "theirs"), busy: map[ikigai.ID]bool{"id of b": true}}
	leave(t, dir, 3, "a", of(2, "b")...)
	if err := deliverAll(t.Context(), grant, store, dir); !errors.Is(err, ikigai.ErrBusy) || len(list(t, dir)) != 1 {
		t.Fatal(err)
	}
	delete(store.busy, "id of b")
	if err := deliverAll(t.Context(), grant, store, dir); err != nil || len(list(t, dir)) != 0 {
		t.Error(err)
	}
}

// Two writers have left journals for the same places: the one whose right was
// newer goes on, the other one is a fork.
func TestTwoWritersWait(t *testing.T) {
	for _, places := range []int{1, 2} {
		dirs := []string{t.TempDir(), t.TempDir()}[:places]
		store := &fakeLog{fence: 3, events: of(1, "a")}
		leave(t, dirs[0], 3, "a", of(2, "b", "c")...)
		leave(t, dirs[places-1], 4, "a", of(2, "d", "e", "f")...)
		done, err := Deliver(t.Context(), ikigai.Grant{Session: session, Fence: 5}, store, dirs...)
		want := []Delivery{{Session: session, Events: 3}, {Session: session, Events: 2, Fork: "id of b", Parent: session, At: 1}}
		if diff := cmp.Diff(want, done); err != nil || diff != "" {
			t.Fatalf("%d places: %v (-want +got)\n%s", places, err, diff)
		}
		if main, fork := contents(store.events), contents(store.forks["id of b"].events); main != "a d e f" || fork != "a b c FORK" {
			t.Errorf("session %q, fork %q", main, fork)
		}
	}
}

// failing is a store that fails at a step: before a change, or after it without
// telling that it was made.
type failing struct {
	*fakeLog
	step int
}

var errStep = errors.New("the store is away")

func (f *failing) fails() bool {
	f.step--
	return f.step == -1
}

func (f *failing) around(change func() error) error {
	if f.fails() {
		return errStep
	}
	if err := change(); err != nil {
		return err
	}
	if f.fails() {
		return errStep
	}
	return nil
}

func (f *failing) Append(ctx context.Context, g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) error {
	return f.around(func() error { return f.fakeLog.Append(ctx, g, after, events...) })
}

func (f *failing) Fork(ctx context.Context, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error {
	return f.around(func() error { return f.fakeLog.Fork(ctx, g, parent, at) })
}

func (f *failing) Acquire(ctx context.Context, id ikigai.ID) (ikigai.Grant, func() error, error) {
	if f.fails() {
		return ikigai.Grant{}, nil, errStep
	}
	return f.fakeLog.Acquire(ctx, id)
}

func (f *failing) Events(ctx context.Context, id ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	if f.fails() {
		return func(yield func(ikigai.Event, error) bool) { yield(ikigai.Event{}, errStep) }
	}
	return f.fakeLog.Events(ctx, id, after)
}

// A delivery to a fork that fails at any step, and then at any other, is
// finished by a later one: both sides' events are there, once.
func TestForkInterrupted(t *testing.T) {
	finished := false
	for one := 0; !finished; one++ {
		for two := range one + 3 {
			first, second := filepath.Join(t.TempDir(), "1"), filepath.Join(t.TempDir(), "2")
			leave(t, first, 3, "a", of(2, "b", "c")...)
			leave(t, second, 3, "c", of(4, "d", "e")...)
			store := &fakeLog{fence: 3, events: of(1, "a", "theirs")}
			left := 0
			for i, step := range []int{one, two, -1} {
				err := deliverAll(t.Context(), ikigai.Grant{Session: session, Fence: int64(4 + i)}, &failing{store, step}, first, second)
				if err != nil && !errors.Is(err, errStep) {
					t.Fatal(err)
				}
				if err != nil {
					left++
				}
			}
			finished = left == 0 && two == 0
			if got := contents(store.events); got != "a theirs" {
				t.Fatalf("failures at %d and %d: session %q", one, two, got)
			}
			if got := contents(store.forks["id of b"].events); got != "a b c d e FORK" || len(store.forks) != 1 {
				t.Fatalf("failures at %d and %d: %d forks, %q", one, two, len(store.forks), got)
			}
			if len(list(t, first))+len(list(t, second)) != 0 {
				t.Fatalf("failures at %d and %d: not removed", one, two)
			}
			if finished {
				break
			}
		}
	}
	t.Log("all steps tried")
}

// The file by which a fork is found goes last.
func TestRemovedHalfway(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	leave(t, first, 3, "a", of(2, "b", "c")...)
	leave(t, second, 3, "c", of(4, "d")...)
	kept, err := os.ReadFile(filepath.Join(first, string(session)+suffix))
	if err != nil {
		t.Fatal(err)
	}
	store := &fakeLog{fence: 3, events: of(1, "a", "theirs")}
	if err := os.Chmod(first, 0o500); err != nil { // it cannot be removed
		t.Fatal(err)
	}
	err = deliverAll(t.Context(), grant, store, first, second)
	if err := os.Chmod(first, 0o700); err != nil {
		t.Fatal(err)
	}
	if err == nil { // root removes what it likes
		if err := os.WriteFile(filepath.Join(first, string(session)+suffix), kept, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(list(t, second)) != 0 || len(list(t, first)) != 1 {
		t.Fatal("the files were not removed in order")
	}
	if err := deliverAll(t.Context(), grant, store, first, second); err != nil {
		t.Fatal(err)
	}
	if got := contents(store.forks["id of b"].events); got != "a b c d FORK" || len(list(t, first)) != 0 {
		t.Errorf("fork %q", got)
	}
}
