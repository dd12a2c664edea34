package cli

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ikigai"
	"ikigai/internal/config"
)

// listedStore is a store of sessions that are all open elsewhere.
type listedStore struct {
	noStore
	sessions []ikigai.SessionInfo
	events   map[ikigai.ID][]ikigai.Event // one without any cannot be read
}

func (s listedStore) Sessions(_ context.Context, q ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error] {
	return func(yield func(ikigai.SessionInfo, error) bool) {
		yieldAll(s.sessions[:min(q.Limit, len(s.sessions))], nil, yield)
	}
}

func (s listedStore) Events(_ context.Context, id ikigai.ID, _ ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		if s.events[id] == nil {
			yield(ikigai.Event{}, errors.New("no disk"))
			return
		}
		yieldAll(s.events[id], nil, yield)
	}
}

func (s listedStore) Acquire(context.Context, ikigai.ID) (ikigai.Grant, func() error, error) {
	return ikigai.Grant{}, nil, ikigai.ErrBusy
}

func (s listedStore) Close() error { return nil }

// The last session of a directory is not one that holds nothing but a conversation
// about a commit, as long as there is another.
func TestLastSession(t *testing.T) {
	interaction := func(p ikigai.Purpose) ikigai.Event {
		e := ikigai.NewEvent(ikigai.KindInteraction, "beside", ikigai.InteractionData{Purpose: p})
		e.Interaction = "beside"
		return e
	}
	asked := ikigai.NewEvent(ikigai.KindUser, "diff", nil)
	asked.Interaction = "beside"
	system := ikigai.NewEvent(ikigai.KindSystem, "You are", nil)
	for name, test := range map[string]struct {
		info   ikigai.SessionInfo // of the one that changed last
		events []ikigai.Event
		last   bool
	}{
		"a commit":               {events: []ikigai.Event{system, interaction(ikigai.PurposeCommit), asked}},
		"two commits":            {events: []ikigai.Event{system, interaction(ikigai.PurposeCommit), asked, interaction(ikigai.PurposeCommit), asked}},
		"a commit and a command": {events: []ikigai.Event{system, interaction(ikigai.PurposeCommit), interaction(ikigai.PurposeShell)}, last: true},
		"calls of mcp serve":     {events: []ikigai.Event{system, ikigai.NewEvent(ikigai.KindToolCall, "", nil)}, last: true},
		"nothing":                {events: []ikigai.Event{system}, last: true},
		"a statement":            {info: ikigai.SessionInfo{Statements: 1}, events: []ikigai.Event{interaction(ikigai.PurposeCommit)}, last: true},
		"a fork":                 {info: ikigai.SessionInfo{Parent: "p"}, events: []ikigai.Event{interaction(ikigai.PurposeCommit)}, last: true},
		"what cannot be read":    {last: true},
	} {
		test.info.ID = "new"
		store := listedStore{
			sessions: []ikigai.SessionInfo{test.info, {ID: "middle"}, {ID: "old", Statements: 3}},
			events:   map[ikigai.ID][]ikigai.Event{"new": test.events, "middle": {interaction(ikigai.PurposeCommit)}},
		}
		want := ikigai.ID("old")
		if test.last {
			want = "new"
		}
		if got, err := new(app).find(t.Context(), store, which{last: true}); err != nil || got.ID != want {
			t.Errorf("%s: found %q, want %q: %v", name, got.ID, want, err)
		}
		store.sessions = store.sessions[:2]
		if got, err := new(app).find(t.Context(), store, which{last: true}); err != nil || got.ID != "new" {
			t.Errorf("%s, and nothing else: found %q: %v", name, got.ID, err)
		}
	}
}

// A side conversation alone does not wait for a session that is open elsewhere: it does
// without. Who wants to go on with the session waits for a delivery to end.
func TestOpenBusy(t *testing.T) {
	for _, test := range []struct {
		w    which
		most time.Duration
	}{
		{which{last: true, aside: true}, 200 * time.Millisecond},
		{which{last: true}, acquireTime + time.Second},
	} {
		dir := t.TempDir()
		db, err := config.ParseDatabase("--db", "ikigai.db", dir, dir)
		must(t, err)
		synctest.Test(t, func(t *testing.T) {
			told := newOutput()
			a := &app{Process: Process{Out: io.Discard, Err: told}, settings: &config.Settings{DataDir: dir, Database: db}, dir: dir}
			store := listedStore{sessions: []ikigai.SessionInfo{{ID: "held", Dir: dir, Statements: 1}}}
			began := time.Now()
			_, err := a.open(t.Context(), test.w, config.Endpoint{}, storeResult{store: store}, a.newView(false))
			if !errors.Is(err, ikigai.ErrBusy) {
				t.Fatalf("opened: %v", err)
			}
			if took := time.Since(began); took > test.most || !test.w.aside && took < 2*deliverTime {
				t.Errorf("aside is %v: it was waited for %v", test.w.aside, took)
			}
			if waits := strings.Contains(told.String(), "Another process has this session open. It is waited for, 4 s at most."); waits == test.w.aside {
				t.Errorf("aside is %v: told was %q", test.w.aside, told)
			}
		})
	}
}
