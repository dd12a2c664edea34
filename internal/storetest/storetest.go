// Package storetest is what every store must pass, run on the real thing.
package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"ikigai"
)

// Open opens the store under test: each time the same one, as another process
// would.
type Open func() (ikigai.Store, error)

// Run runs the suite. It calls place for each of its tests: place prepares an
// empty store and returns how to open it. The suite closes what it opens.
func Run(t *testing.T, place func(t *testing.T) Open) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *bench)
	}{
		{"round trip", roundTrip},
		{"order is that of seq", orderBySeq},
		{"call and result apart", callAndResultApart},
		{"all or nothing", allOrNothing},
		{"refused events", refusedEvents},
		{"repeated append", repeatedAppend},
		{"repeated prefix", repeatedPrefix},
		{"conflicts", conflicts},
		{"old fence", oldFence},
		{"events after", eventsAfter},
		{"use within iteration", useWithinIteration},
		{"blobs", blobs},
		{"hostile text", hostileText},
		{"ten megabytes", tenMegabytes},
		{"leases", leases},
		{"lease of a new session", leaseOfNewSession},
		{"catalog", catalog},
		{"titles", titles},
		{"title events", titleEvents},
		{"documented", documented},
		{"catalog filters and orders", catalogOrders},
		{"forks", forks},
		{"fork of long ago", forkOfLongAgo},
		{"forked twice", forkedTwice},
		{"append to a fork", appendToFork},
		{"deep forks", deepForks},
		{"removal", removal},
		{"removal of what is held", removalOfHeld},
		{"search", search},
		{"hostile search", hostileSearch},
		{"catch up", catchup},
		{"search after removal", searchAfterRemoval},
		{"search many", searchMany},
		{"queries", queries},
		{"queries refused", queriesRefused},
		{"query cancelled", queryCancelled},
		{"views", views},
		{"views of hostile text", viewsOfHostileText},
		{"await", await},
		{"check", check},
		{"deltas", deltas},
		{"vacuum", vacuum},
		{"vacuum beside appends", vacuumBesideAppends},
		{"writers of one store", writersOfOneStore},
		{"writers of many stores", writersOfManyStores},
		{"reading while writing", readingWhileWriting},
		{"cancelled", cancelled},
		{"closed", closed},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &bench{T: t, open: place(t)}
			b.Store = b.another()
			test.run(t, b)
		})
	}
}

// bench is one test's store, with what tests do all the time.
type bench struct {
	*testing.T
	ikigai.Store
	open Open
}

// another opens the store once more.
func (b *bench) another() ikigai.Store {
	b.Helper()
	s, err := b.open()
	if err != nil {
		b.Fatalf("open the store: %v", err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

// acquire takes the right to append to a session until the test ends or the
// function is called.
func (b *bench) acquire(session ikigai.ID) (ikigai.Grant, func()) {
	b.Helper()
	g, release, err := b.Acquire(b.Context(), session)
	if err != nil {
		b.Fatalf("acquire %s: %v", session, err)
	}
	give := func() {
		if err := release(); err != nil {
			b.Errorf("release %s: %v", session, err)
		}
	}
	b.Cleanup(func() { _ = release() })
	return g, give
}

// begin begins a new session and returns the right to append to it and its
// first event.
func (b *bench) begin() (ikigai.Grant, []ikigai.Event) {
	b.Helper()
	g, _ := b.acquire(NewID())
	first := Session(g.Session, "/src")
	b.append(g, 0, first)
	return g, []ikigai.Event{first}
}

func (b *bench) append(g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) {
	b.Helper()
	if err := b.Append(b.Context(), g, after, events...); err != nil {
		b.Fatalf("append after %d: %v", after, err)
	}
}

// want checks that store holds exactly these events in a session.
func (b *bench) want(store ikigai.Log, session ikigai.ID, events []ikigai.Event) {
	b.Helper()
	got, err := All(b.Context(), store, session)
	if err != nil {
		b.Fatalf("read session: %v", err)
	}
	if diff := cmp.Diff(stripped(events), got); diff != "" {
		b.Errorf("events (-want +got):\n%s", diff)
	}
}

// stripped returns events as a store returns them.
func stripped(events []ikigai.Event) []ikigai.Event {
	var list []ikigai.Event
	for _, e := range events {
		e.Blobs = nil
		list = append(list, e)
	}
	return list
}

// All returns the events of a session.
func All(ctx context.Context, log ikigai.Log, session ikigai.ID) ([]ikigai.Event, error) {
	var list []ikigai.Event
	for e, err := range log.Events(ctx, session, 0) {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

// NewID returns an ID that no other event or session has.
func NewID() ikigai.ID { return ikigai.ID(uuid.Must(uuid.NewV7()).String()) }

// Event returns an event of a session, at a place.
func Event(session ikigai.ID, seq ikigai.Seq, kind ikigai.Kind, content string, data any) ikigai.Event {
	e := ikigai.NewEvent(kind, content, data)
	e.Session, e.Seq, e.ID = session, seq, NewID()
	e.Time = ikigai.MicrosOf(time.Now())
	return e
}

// Session returns the first event of a session in a directory.
func Session(session ikigai.ID, dir string) ikigai.Event {
	return Event(session, 1, ikigai.KindSession, dir, ikigai.SessionData{Dir: dir, Model: "vendor/model", Version: "1"})
}

// Statement returns an input of the person.
func Statement(session ikigai.ID, seq ikigai.Seq, text string) ikigai.Event {
	return Event(session, seq, ikigai.KindUser, text, nil)
}

// statements returns n inputs of the person that follow after.
func statements(session ikigai.ID, after ikigai.Seq, n int) []ikigai.Event {
	var list []ikigai.Event
	for range n {
		after++
		list = append(list, Statement(session, after, fmt.Sprintf("statement %d", after)))
	}
	return list
}

// Blob returns bytes under their hash.
func Blob(b []byte) ikigai.Blob {
	sum := sha256.Sum256(b)
	return ikigai.Blob{Hash: hex.EncodeToString(sum[:]), Bytes: b}
}
