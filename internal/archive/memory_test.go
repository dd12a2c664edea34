package archive

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"ikigai"
	"ikigai/internal/blob"
)

// memory is a store as far as this package uses one.
type memory struct {
	sessions map[ikigai.ID]*kept
	blobs    map[string][]byte
	busy     map[ikigai.ID]bool
	appends  int
	fail     func() error // asked before each append
}

type kept struct {
	info   ikigai.SessionInfo
	events []ikigai.Event // its own
}

func newMemory() *memory {
	return &memory{sessions: map[ikigai.ID]*kept{}, blobs: map[string][]byte{}, busy: map[ikigai.ID]bool{}}
}

func (m *memory) Acquire(_ context.Context, id ikigai.ID) (ikigai.Grant, func() error, error) {
	if m.busy[id] {
		return ikigai.Grant{}, nil, fmt.Errorf("open session %s: %w", id, ikigai.ErrBusy)
	}
	m.busy[id] = true
	return ikigai.Grant{Session: id, Fence: 1}, func() error { delete(m.busy, id); return nil }, nil
}

func (m *memory) Append(_ context.Context, g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) error {
	if m.fail != nil {
		if err := m.fail(); err != nil {
			return err
		}
	}
	s := m.sessions[g.Session]
	if s == nil {
		if after != 0 || events[0].Kind != ikigai.KindSession {
			return fmt.Errorf("session %s does not begin with a session event", g.Session)
		}
		s = &kept{info: ikigai.SessionInfo{ID: g.Session, Dir: events[0].Content, Created: events[0].Time}}
	}
	if s.info.Events != after || !m.busy[g.Session] {
		return ikigai.ErrConflict
	}
	for _, e := range events {
		if s.info.Events++; e.Seq != s.info.Events || e.Session != g.Session {
			return fmt.Errorf("event %d of session %s stands at place %d of %s", e.Seq, e.Session, s.info.Events, g.Session)
		}
		for _, b := range e.Blobs {
			if blob.Hash(b.Bytes) != b.Hash {
				return fmt.Errorf("a blob has the wrong hash")
			}
			m.blobs[b.Hash] = b.Bytes
		}
		e.Blobs = nil
		s.events = append(s.events, e)
	}
	m.sessions[g.Session] = s
	m.appends++
	return nil
}

func (m *memory) Fork(_ context.Context, g ikigai.Grant, parent ikigai.ID, at ikigai.Seq) error {
	p := m.sessions[parent]
	if p == nil || at < 1 || at > p.info.Events {
		return ikigai.ErrNotFound
	}
	for at <= p.info.Base {
		p = m.sessions[p.info.Parent]
	}
	m.sessions[g.Session] = &kept{info: ikigai.SessionInfo{
		ID: g.Session, Dir: p.info.Dir, Created: p.info.Created, Events: at, Parent: p.info.ID, Base: at,
	}}
	return nil
}

func (m *memory) Events(_ context.Context, id ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	var list []ikigai.Event
	upTo := ikigai.Seq(1 << 60)
	for s := m.sessions[id]; s != nil; s = m.sessions[s.info.Parent] {
		var own []ikigai.Event
		for _, e := range s.events {
			if e.Seq > after && e.Seq <= upTo {
				own = append(own, e)
			}
		}
		list = append(own, list...)
		upTo = s.info.Base
	}
	return func(yield func(ikigai.Event, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (m *memory) Blob(_ context.Context, hash string) ([]byte, error) {
	b, ok := m.blobs[hash]
	if !ok {
		return nil, ikigai.ErrNotFound
	}
	return b, nil
}

func (m *memory) Sessions(_ context.Context, q ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error] {
	var list []ikigai.SessionInfo
	for _, s := range m.sessions {
		if strings.HasPrefix(string(s.info.ID), q.Prefix) {
			list = append(list, s.info)
		}
	}
	slices.SortFunc(list, func(a, b ikigai.SessionInfo) int { return cmp.Compare(b.ID, a.ID) }) // forks first: nothing may lean on the order
	return func(yield func(ikigai.SessionInfo, error) bool) {
		for _, info := range list {
			if !yield(info, nil) {
				return
			}
		}
	}
}

func newID() ikigai.ID { return ikigai.ID(uuid.Must(uuid.NewV7()).String()) }

// appender is what a session is filled with.
type appender interface {
	Target
	ikigai.Blobs
}

// fill appends events to a session, which it begins if need be. Of the events
// only kind, content, data and blobs are given.
func fill(t testing.TB, to appender, id ikigai.ID, events ...ikigai.Event) {
	t.Helper()
	g, release, err := to.Acquire(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	after := ikigai.Seq(0)
	if info, err := find(t.Context(), to, id); err == nil {
		after = info.Events
	} else {
		events = append([]ikigai.Event{ikigai.NewEvent(ikigai.KindSession, "/src", ikigai.SessionData{Dir: "/src", Model: "a/b", Version: "1"})}, events...)
	}
	for i := range events {
		e := &events[i]
		e.Session, e.Seq, e.ID, e.Time = id, after+1+ikigai.Seq(i), newID(), 1_700_000_000_000_000+ikigai.Micros(i)
		if e.Interaction == "" {
			e.Interaction = ikigai.Main
		}
	}
	if err := to.Append(t.Context(), g, after, events...); err != nil {
		t.Fatal(err)
	}
}

func fork(t testing.TB, to appender, id, parent ikigai.ID, at ikigai.Seq) {
	t.Helper()
	g, release, err := to.Acquire(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := to.Fork(t.Context(), g, parent, at); err != nil {
		t.Fatal(err)
	}
}

func user(text string) ikigai.Event { return ikigai.NewEvent(ikigai.KindUser, text, nil) }

func raw(data string) ikigai.Event {
	return ikigai.Event{Kind: "other", Content: "raw", Data: []byte(data)}
}

// withBlob is an event that names bytes by their hash.
func withBlob(path string, content []byte) ikigai.Event {
	hash := blob.Hash(content)
	e := ikigai.NewEvent(ikigai.KindChange, path, ikigai.ChangeData{Path: path, Existed: true, Blob: hash})
	e.Blobs = []ikigai.Blob{{Hash: hash, Bytes: bytes.Clone(content)}}
	return e
}

func eventsOf(t testing.TB, from Source, id ikigai.ID) []ikigai.Event {
	t.Helper()
	var list []ikigai.Event
	for e, err := range from.Events(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}
