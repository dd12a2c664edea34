package storetest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// fork begins a session as a fork and appends a fork event, as whoever forks
// does. It returns all events of the fork.
func (b *bench) fork(parent ikigai.ID, at ikigai.Seq, shared []ikigai.Event) (ikigai.Grant, []ikigai.Event) {
	b.Helper()
	g, _ := b.acquire(NewID())
	if err := b.Fork(b.Context(), g, parent, at); err != nil {
		b.Fatalf("fork %s at %d: %v", parent, at, err)
	}
	e := Event(g.Session, at+1, ikigai.KindFork, "", ikigai.ForkData{Session: parent, Seq: at})
	b.append(g, at, e)
	return g, append(append([]ikigai.Event{}, shared[:at]...), e)
}

// say appends n statements to a session whose events are given, and returns
// those with the new ones.
func (b *bench) say(g ikigai.Grant, events []ikigai.Event, n int) []ikigai.Event {
	b.Helper()
	more := statements(g.Session, ikigai.Seq(len(events)), n)
	b.append(g, ikigai.Seq(len(events)), more...)
	return append(append([]ikigai.Event{}, events...), more...)
}

// A fork that is brought from elsewhere is as old as its own events.
func forkOfLongAgo(t *testing.T, b *bench) {
	g, _ := b.begin()
	f, _ := b.acquire(NewID())
	if err := b.Fork(t.Context(), f, g.Session, 1); err != nil {
		t.Fatal(err)
	}
	e := Event(f.Session, 2, ikigai.KindFork, "", ikigai.ForkData{Session: g.Session, Seq: 1})
	e.Time = 1_600_000_000_000_000
	b.append(f, 1, e)
	late := Statement(f.Session, 3, "later")
	late.Time = e.Time + 5
	b.append(f, 2, late)
	for info, err := range b.Sessions(t.Context(), ikigai.SessionQuery{Prefix: string(f.Session)}) {
		if err != nil || info.Created != e.Time || info.Updated != late.Time {
			t.Errorf("created %d, changed %d, %v; want %d and %d", info.Created, info.Updated, err, e.Time, late.Time)
		}
	}
}

// A fork shares its past: it is read as one line of events, each with the
// session it was appended to, and what either side appends later is its own.
func forks(t *testing.T, b *bench) {
	g, first := b.begin()
	parent := b.say(g, first, 5)
	f, fork := b.fork(g.Session, 4, parent)
	fork = b.say(f, fork, 3)
	parent = b.say(g, parent, 2)

	// Forks of the fork: in its own part, at its base, and inside the shared past.
	f2, own := b.fork(f.Session, 6, fork)
	own = b.say(f2, own, 1)
	f3, atBase := b.fork(f.Session, 4, fork)
	f4, within := b.fork(f.Session, 2, fork)
	f5, again := b.fork(f4.Session, 3, within)
	_, early := b.fork(f5.Session, 1, again)

	for name, want := range map[string][]ikigai.Event{
		"parent": parent, "fork": fork, "of its own part": own, "at its base": atBase, "of the shared past": within,
		"of a fork of the shared past": again, "of the first event": early,
	} {
		for _, store := range []ikigai.Store{b.Store, b.another()} {
			got, err := All(b.Context(), store, want[len(want)-1].Session)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(stripped(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			CheckLog(t, got)
		}
	}
	for after := ikigai.Seq(0); after <= ikigai.Seq(len(own)); after++ {
		var got []ikigai.Event
		for e, err := range b.Events(b.Context(), f2.Session, after) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e)
		}
		if diff := cmp.Diff(stripped(own[after:]), got); diff != "" {
			t.Errorf("after %d (-want +got):\n%s", after, diff)
		}
	}

	// Each names the session that owns the last event it shares.
	for session, want := range map[ikigai.ID]struct {
		parent ikigai.ID
		base   ikigai.Seq
	}{
		f.Session: {g.Session, 4}, f2.Session: {f.Session, 6}, f3.Session: {g.Session, 4},
		f4.Session: {g.Session, 2}, f5.Session: {f4.Session, 3}, g.Session: {"", 0},
	} {
		if info := b.only(ikigai.SessionQuery{Prefix: string(session)}); info.Parent != want.parent || info.Base != want.base {
			t.Errorf("parent %s, base %d; want %+v", info.Parent, info.Base, want)
		}
	}
	info := b.only(ikigai.SessionQuery{Prefix: string(f.Session)})
	if info.Dir != "/src" || info.Title == "" || info.Events != 8 || info.Statements != 3 || info.Size != sizeOf(fork[4:]...) ||
		info.Created == 0 || info.Updated < info.Created {
		t.Errorf("the fork in the catalog: %+v", info)
	}
	if n := len(b.sessions(ikigai.SessionQuery{Parent: g.Session})); n != 3+1 {
		t.Errorf("%d forks of the parent, want 4", n)
	}
}

func forkedTwice(t *testing.T, b *bench) {
	g, first := b.begin()
	parent := b.say(g, first, 4)
	f, _ := b.acquire(NewID())
	fork := func(parent ikigai.ID, at ikigai.Seq) error { return b.Fork(b.Context(), f, parent, at) }

	for _, at := range []ikigai.Seq{0, -1, 6, 1 << 40} {
		if err := fork(g.Session, at); !errors.Is(err, ikigai.ErrNotFound) {
			t.Errorf("at %d: %v, want ErrNotFound", at, err)
		}
	}
	if err := fork(NewID(), 1); !errors.Is(err, ikigai.ErrNotFound) {
		t.Errorf("of nothing: %v, want ErrNotFound", err)
	}
	for range 2 {
		if err := fork(g.Session, 3); err != nil {
			t.Fatal(err)
		}
		b.want(b.another(), f.Session, parent[:3])
	}
	events := b.say(f, parent[:3], 2)
	if err := fork(g.Session, 3); err != nil {
		t.Errorf("again, with events of its own: %v", err)
	}
	other, _ := b.begin()
	for name, try := range map[string]struct {
		parent ikigai.ID
		at     ikigai.Seq
	}{
		"at another place": {g.Session, 4}, "of another session": {other.Session, 1},
	} {
		if err := fork(try.parent, try.at); !errors.Is(err, ikigai.ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", name, err)
		}
	}
	if err := b.Fork(b.Context(), other, g.Session, 3); !errors.Is(err, ikigai.ErrConflict) {
		t.Errorf("a session that began by itself: %v, want ErrConflict", err)
	}
	b.want(b.another(), f.Session, events)
	b.want(b.another(), g.Session, parent)
}

// An append to a fork may be repeated when its outcome is unknown, and finds no
// place before the fork's own.
func appendToFork(t *testing.T, b *bench) {
	g, first := b.begin()
	parent := b.say(g, first, 4)
	f, events := b.fork(g.Session, 3, parent)
	batch := statements(f.Session, 4, 3)
	for range 3 {
		b.append(f, 3, append(events[3:4:4], batch...)...)
		b.append(f, 4, batch...)
		b.append(f, 4, batch[0])
	}
	events = append(events, batch...)
	b.want(b.another(), f.Session, events)
	for name, try := range map[string][]ikigai.Event{
		"in the shared past":       statements(f.Session, 1, 1),
		"others behind the past":   statements(f.Session, 3, 2),
		"a gap":                    statements(f.Session, 9, 1),
		"a session event":          {Session(f.Session, "/src")},
		"what the parent has next": {moved(parent[3], f.Session)},
	} {
		if err := b.Append(b.Context(), f, try[0].Seq-1, try...); !errors.Is(err, ikigai.ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", name, err)
		}
	}
	b.want(b.another(), f.Session, events)
	if info := b.only(ikigai.SessionQuery{Prefix: string(f.Session)}); info.Statements != 3 || info.Size != sizeOf(events[3:]...) {
		t.Errorf("after repeated appends: %+v", info)
	}
}

// moved returns e as an event of another session.
func moved(e ikigai.Event, session ikigai.ID) ikigai.Event {
	e.Session = session
	return e
}

func removal(t *testing.T, b *bench) {
	g, first := b.begin()
	events := b.say(g, first, 3)
	keeper, kept := b.begin()
	f, fork := b.fork(g.Session, 3, events)

	if err := b.Remove(b.Context(), g); !errors.Is(err, ikigai.ErrForked) {
		t.Fatalf("with a fork: %v, want ErrForked", err)
	}
	b.want(b.another(), g.Session, events)
	b.want(b.another(), f.Session, fork)

	for _, gone := range []ikigai.Grant{f, g} {
		if err := b.Remove(b.Context(), gone); err != nil {
			t.Fatal(err)
		}
		b.want(b.another(), gone.Session, nil)
		if err := b.Remove(b.Context(), gone); !errors.Is(err, ikigai.ErrNotFound) {
			t.Errorf("again: %v, want ErrNotFound", err)
		}
		if list := b.sessions(ikigai.SessionQuery{Prefix: string(gone.Session)}); len(list) > 0 {
			t.Errorf("still in the catalog: %+v", list)
		}
		if err := b.Append(b.Context(), gone, 4, Statement(gone.Session, 5, "late")); !errors.Is(err, ikigai.ErrConflict) && !errors.Is(err, ikigai.ErrFenced) {
			t.Errorf("append to what was removed: %v, want ErrConflict or ErrFenced", err)
		}
	}
	b.want(b.another(), keeper.Session, kept)
	healthy(b, b.Store)
}

// Who does not hold a session cannot remove it.
func removalOfHeld(t *testing.T, b *bench) { // P8 P11
	first, release := b.acquire(NewID())
	b.append(first, 0, Session(first.Session, "/src"))
	release()
	other := b.another()
	held, giveBack, err := other.Acquire(b.Context(), first.Session)
	if err != nil {
		t.Fatal(err)
	}
	if !busy(b, b.Store, first.Session) {
		t.Error("a session that is held was given to another")
	}
	if err := b.Remove(b.Context(), first); !errors.Is(err, ikigai.ErrFenced) {
		t.Errorf("by the holder before: %v, want ErrFenced", err)
	}
	if err := other.Append(b.Context(), held, 1, Statement(first.Session, 2, "goes on")); err != nil {
		t.Error(err)
	}
	if err := other.Remove(b.Context(), held); err != nil {
		t.Errorf("by the holder: %v", err)
	}
	if err := giveBack(); err != nil {
		t.Error(err)
	}
	b.want(b.Store, first.Session, nil)
}

// healthy checks that the store finds nothing wrong with itself.
func healthy(b *bench, store ikigai.Store) ikigai.Health {
	b.Helper()
	h, err := store.Check(b.Context())
	if err != nil || !h.Checked || len(h.Problems) > 0 {
		b.Errorf("check: %+v, %v", h, err)
	}
	return h
}

// deepForks is a chain that nobody makes by hand, and that must not matter.
func deepForks(t *testing.T, b *bench) {
	g, events := b.begin()
	for i := range 60 {
		events = b.say(g, events, 1)
		g, events = b.fork(g.Session, ikigai.Seq(len(events)), events)
		if want := 2*i + 3; len(events) != want {
			t.Fatalf("%d events, want %d", len(events), want)
		}
	}
	b.want(b.another(), g.Session, events)
	top, line := b.fork(g.Session, 2, events)
	if info := b.only(ikigai.SessionQuery{Prefix: string(top.Session)}); info.Parent != events[0].Session {
		t.Errorf("parent %s of event 2, want %s", info.Parent, events[0].Session)
	}
	b.want(b.another(), top.Session, line)
	if h := healthy(b, b.Store); h.Sessions != 62 {
		t.Errorf("%d sessions", h.Sessions)
	}
}
