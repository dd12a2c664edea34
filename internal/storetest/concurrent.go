package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"ikigai"
)

const writers = 8

// writeSessions has a session written through each of the stores at once.
func writeSessions(t *testing.T, b *bench, stores []ikigai.Store) {
	const appends = 25
	var all sync.WaitGroup
	sessions := make([][]ikigai.Event, len(stores))
	for i, store := range stores {
		all.Go(func() {
			session := NewID()
			g, release, err := store.Acquire(b.Context(), session)
			if err != nil {
				t.Errorf("acquire: %v", err)
				return
			}
			defer func() { _ = release() }()
			events := append([]ikigai.Event{Session(session, "/src")}, statements(session, 1, 2*appends)...)
			sessions[i] = events
			after := ikigai.Seq(0)
			for _, n := range append([]int{1}, repeat(2, appends)...) {
				if err := store.Append(b.Context(), g, after, events[after:int(after)+n]...); err != nil {
					t.Errorf("append: %v", err)
					return
				}
				after += ikigai.Seq(n)
			}
		})
	}
	all.Wait()
	for _, events := range sessions {
		b.want(b.Store, events[0].Session, events)
	}
	if n := len(b.sessions(ikigai.SessionQuery{})); n != len(stores) {
		t.Errorf("%d sessions, want %d", n, len(stores))
	}
}

func repeat(v, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = v
	}
	return list
}

func writersOfOneStore(t *testing.T, b *bench) {
	stores := make([]ikigai.Store, writers)
	for i := range stores {
		stores[i] = b.Store
	}
	writeSessions(t, b, stores)
}

func writersOfManyStores(t *testing.T, b *bench) {
	stores := make([]ikigai.Store, writers)
	for i := range stores {
		stores[i] = b.another()
	}
	writeSessions(t, b, stores)
}

// A reader sees whole appends, in order, and everything that was acknowledged
// before it began.
func readingWhileWriting(t *testing.T, b *bench) {
	g, _ := b.begin()
	reader := b.another()
	const appends = 100
	acknowledged := make(chan ikigai.Seq, appends+1)
	acknowledged <- 1
	var all sync.WaitGroup
	all.Go(func() {
		defer close(acknowledged)
		for i := range ikigai.Seq(appends) {
			after := 1 + 2*i
			if err := b.Append(b.Context(), g, after, statements(g.Session, after, 2)...); err != nil {
				t.Errorf("append: %v", err)
				return
			}
			acknowledged <- after + 2
		}
	})
	for seq := range acknowledged {
		if err := readUpTo(b.Context(), reader, g.Session, seq); err != nil {
			t.Error(err)
			break
		}
	}
	all.Wait()
}

func readUpTo(ctx context.Context, reader ikigai.Log, session ikigai.ID, least ikigai.Seq) error {
	last := ikigai.Seq(0)
	for e, err := range reader.Events(ctx, session, 0) {
		if err != nil {
			return err
		}
		if e.Seq != last+1 {
			return fmt.Errorf("event %d after event %d", e.Seq, last)
		}
		last = e.Seq
	}
	if last < least || last%2 == 0 {
		return fmt.Errorf("read up to event %d, of appends of two behind the first; %d was acknowledged", last, least)
	}
	return nil
}

func cancelled(t *testing.T, b *bench) {
	g, events := b.begin()
	more := statements(g.Session, 1, 2000)
	b.append(g, 1, more...)
	events = append(events, more...)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()

	var failed error
	for e, err := range b.Events(ctx, g.Session, 0) {
		if failed != nil {
			t.Fatal("events behind an error")
		}
		if e.Seq == 3 {
			cancel()
		}
		failed = err
	}
	if !errors.Is(failed, context.Canceled) {
		t.Errorf("events: %v, want context.Canceled", failed)
	}
	if err := b.Append(ctx, g, 2001, Statement(g.Session, 2002, "late")); !errors.Is(err, context.Canceled) {
		t.Errorf("append: %v, want context.Canceled", err)
	}
	if _, _, err := b.Acquire(ctx, NewID()); !errors.Is(err, context.Canceled) {
		t.Errorf("acquire: %v, want context.Canceled", err)
	}
	if _, err := b.Blob(ctx, Blob(nil).Hash); !errors.Is(err, context.Canceled) {
		t.Errorf("blob: %v, want context.Canceled", err)
	}
	for _, err := range b.Sessions(ctx, ikigai.SessionQuery{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("sessions: %v, want context.Canceled", err)
		}
	}
	b.want(b.Store, g.Session, events)
	b.append(g, 2001, Statement(g.Session, 2002, "goes on"))
}

// A closed store answers with errors.
func closed(t *testing.T, b *bench) {
	g, events := b.begin()
	if err := b.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	_ = b.Close() // harmless
	if err := b.Append(b.Context(), g, 1, Statement(g.Session, 2, "late")); err == nil {
		t.Error("append to a closed store succeeded")
	}
	if _, err := All(b.Context(), b.Store, g.Session); err == nil {
		t.Error("a closed store was read")
	}
	if _, _, err := b.Acquire(b.Context(), NewID()); err == nil {
		t.Error("a closed store gave out a session")
	}
	b.want(b.another(), g.Session, events)
}
