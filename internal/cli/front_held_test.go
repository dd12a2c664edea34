package cli

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ikigai"
	"ikigai/internal/session"
)

// awayStore is a store that takes no events while it is away, and has those of
// another session.
type awayStore struct {
	noStore
	away   atomic.Bool
	events []ikigai.Event
	asked  func() // is called in the middle of a question for sessions
}

func (s *awayStore) Append(context.Context, ikigai.Grant, ikigai.Seq, ...ikigai.Event) error {
	if s.away.Load() {
		return errors.New("away")
	}
	return nil
}

func (s *awayStore) Events(context.Context, ikigai.ID, ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) { yieldAll(s.events, nil, yield) }
}

func (s *awayStore) Search(context.Context, ikigai.SearchQuery) iter.Seq2[ikigai.Hit, error] {
	return func(yield func(ikigai.Hit, error) bool) {
		for _, e := range s.events {
			if !yield(ikigai.Hit{Event: e}, nil) {
				return
			}
		}
	}
}

func (s *awayStore) Sessions(context.Context, ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error] {
	return func(func(ikigai.SessionInfo, error) bool) { s.asked() }
}

// holds has the events of a session be held.
type holds struct {
	*held
	begun bool
}

func (h *holds) Add(e ikigai.Event) {
	if h.begun {
		h.add(e)
	} else {
		h.addOld(e)
	}
}

// A session whose events the store takes while it is asked for its sessions is among
// them.
//
// P9
func TestReadingAsStoreComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, h := &awayStore{}, &holds{held: &held{room: serverRoom}, begun: true}
		store.away.Store(true)
		s := session.Begin(session.Config{Store: store, Grant: ikigai.Grant{Session: "own"}, Projections: []session.Projection{h}})
		defer s.Close()
		said := ikigai.NewEvent(ikigai.KindUser, "pears", ikigai.MessageData{})
		if d, err := s.Record(t.Context(), said); d != ikigai.Volatile || err != nil {
			t.Fatal(d, err)
		}
		store.asked = func() {
			store.away.Store(false)
			time.Sleep(time.Minute) // until it is tried again
			if d, err := s.Record(t.Context(), said); d != ikigai.Stored || err != nil {
				t.Error(d, err)
			}
		}
		r := &reading{Store: store, session: s, held: h.held}
		all, err := collect(r.Sessions(t.Context(), ikigai.SessionQuery{}))
		if err != nil || len(all) != 1 || all[0].ID != "own" || all[0].Statements != 2 {
			t.Errorf("the sessions are %+v, %v", all, err)
		}
	})
}

// What a fork shares with another session, which the store has, is found once.
func TestReadingFindsOnce(t *testing.T) {
	said := func(id ikigai.ID, seq ikigai.Seq) ikigai.Event {
		e := ikigai.NewEvent(ikigai.KindUser, "pears", ikigai.MessageData{})
		e.Session, e.ID, e.Seq = id, ikigai.ID("event of "+id), seq
		return e
	}
	store, h := &awayStore{events: []ikigai.Event{said("parent", 1)}}, &holds{held: &held{room: serverRoom}}
	s, err := session.Restore(t.Context(), session.Config{Store: store, Grant: ikigai.Grant{Session: "own"}, Projections: []session.Projection{h}})
	must(t, err)
	defer s.Close()
	h.begun = true
	store.away.Store(true)
	if d, err := s.Record(t.Context(), said("own", 2)); d != ikigai.Volatile || err != nil {
		t.Fatal(d, err)
	}
	r := &reading{Store: store, session: s, held: h.held}
	hits, err := collect(r.Search(t.Context(), ikigai.SearchQuery{Words: "pears"}))
	var found []ikigai.ID
	for _, hit := range hits {
		found = append(found, hit.Event.Session)
	}
	if want := []ikigai.ID{"own", "parent"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("found in %v, not in %v: %v", found, want, err)
	}
}
