package session_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/journal"
	"ikigai/internal/session"
	"ikigai/internal/sqlite"
	"ikigai/internal/storetest"
)

// machine is one of two that share a store.
type machine struct {
	t        *testing.T
	store    *sqlite.Store
	journals string
	notices  []string
	line     *history.Line
	*session.Session
	giveBack func() error
}

func (m *machine) config(id ikigai.ID) session.Config {
	m.t.Helper()
	grant, giveBack, err := m.store.Acquire(m.t.Context(), id)
	if err != nil {
		m.t.Fatal(err)
	}
	m.line, m.giveBack, m.notices = history.New(ikigai.Main), giveBack, nil
	return session.Config{
		Store: m.store, Grant: grant, Journals: []string{m.journals}, Projections: []session.Projection{m.line},
		Notice: func(text string) { m.notices = append(m.notices, text) },
	}
}

func (m *machine) restore(id ikigai.ID) {
	m.t.Helper()
	var err error
	if m.Session, err = session.Restore(m.t.Context(), m.config(id)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) say(contents ...string) {
	m.t.Helper()
	for _, c := range contents {
		if _, err := m.Record(m.t.Context(), ikigai.NewEvent(ikigai.KindUser, c, nil)); err != nil {
			m.t.Fatal(err)
		}
	}
}

// ask records a request for the conversation and returns its body.
func (m *machine) ask() []byte {
	body := []byte("[" + m.conversation() + "]")
	m.Queue(m.line.Sent("acme/one", ikigai.ToolChoice{}, ikigai.Sent{
		Head: [][]byte{body[:1]}, Conversation: [][]byte{body[1:]}, Closing: 1, Size: int64(len(body)), SHA256: sha256.Sum256(body),
	}))
	return body
}

func (m *machine) conversation() string {
	var all []string
	for _, message := range m.line.Request().Messages {
		all = append(all, message.Content)
	}
	return strings.Join(all, " ")
}

// close ends the session; the right to it was given back before if it was lost.
func (m *machine) close() {
	m.t.Helper()
	m.Close()
	if err := m.giveBack(); err != nil {
		m.t.Error(err)
	}
}

// Law 8, P8: a machine goes on with a session although another one has taken it
// over. Both sides' events are in the store, once, and each can be gone on with.
func TestTwoMachines(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "ikigai.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	a := &machine{t: t, store: store, journals: filepath.Join(dir, "a")}
	b := &machine{t: t, store: store, journals: filepath.Join(dir, "b")}

	id := session.NewID()
	a.Session = session.Begin(a.config(id))
	if _, err := a.Record(t.Context(), ikigai.NewEvent(ikigai.KindSession, "/src", ikigai.SessionData{Dir: "/src"})); err != nil {
		t.Fatal(err)
	}
	a.say("one", "two")
	common := a.ask()
	a.say("three")
	if err := a.giveBack(); err != nil { // a lease that has run out
		t.Fatal(err)
	}

	b.restore(id)
	b.say("b4")
	ofB := b.ask()
	b.say("b5")
	a.say("a4")
	ofA := a.ask()
	a.say("a5", "a6")
	if len(a.notices) != 1 || !strings.Contains(a.notices[0], "becomes a session of its own") {
		t.Errorf("told while it runs: %q", a.notices)
	}
	a.Close()
	b.say("b6")
	b.close()

	forkID := ikigai.ID("")
	for _, word := range strings.Fields(strings.Join(a.notices[1:], " ")) {
		if len(word) == len(id) {
			forkID = ikigai.ID(word)
		}
	}
	if len(a.notices) != 2 || forkID == "" {
		t.Fatalf("told at the end: %q", a.notices)
	}
	if waiting, err := journal.List(a.journals); err != nil || len(waiting) > 0 {
		t.Errorf("waiting: %+v, %v", waiting, err)
	}
	for _, test := range []struct {
		id   ikigai.ID
		want string
		sent [][]byte
	}{{id, "one two three b4 b5 b6", [][]byte{common, ofB}}, {forkID, "one two three a4 a5 a6", [][]byte{common, ofA}}} {
		b.restore(test.id)
		if got := b.conversation(); got != test.want {
			t.Errorf("conversation %q, want %q", got, test.want)
		}
		b.say("more")
		sent := append(test.sent, b.ask())
		b.close()
		if len(b.notices) > 0 {
			t.Errorf("told %q", b.notices)
		}
		events, err := storetest.All(t.Context(), store, test.id)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[ikigai.ID]bool{}
		for i, e := range events {
			if e.Seq != ikigai.Seq(i+1) || seen[e.ID] || e.Session != test.id && (e.Session != id || e.Seq > 5) {
				t.Errorf("event %d: %+v", i+1, e)
			}
			seen[e.ID] = true
			if e.Kind != ikigai.KindRequest {
				continue
			}
			body, err := history.Rebuild(t.Context(), store.Events(t.Context(), test.id, 0), store, e.Seq)
			if err != nil || !bytes.Equal(body, sent[0]) {
				t.Errorf("request %d: %q, %v; want %q", e.Seq, body, err, sent[0])
			}
			sent = sent[1:]
		}
		if len(sent) > 0 {
			t.Errorf("%d requests are not recorded", len(sent))
		}
	}
}

// The process that was taken over from is stopped and holds its journal open, on
// the same machine. The other one goes on, with a store that fails for a while.
func TestTakenOverOnOneMachine(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "ikigai.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	a := &machine{t: t, store: store, journals: filepath.Join(dir, "journals")}
	b := &machine{t: t, store: store, journals: a.journals}
	id := session.NewID()
	config := a.config(id)
	away := &away{Store: store}
	config.Store = away
	a.Session = session.Begin(config)
	if _, err := a.Record(t.Context(), ikigai.NewEvent(ikigai.KindSession, "/src", ikigai.SessionData{Dir: "/src"})); err != nil {
		t.Fatal(err)
	}
	away.fail(errors.New("cut off"))
	a.say("a2")
	if err := a.giveBack(); err != nil {
		t.Fatal(err)
	}

	config = b.config(id)
	config.Journals = append(config.Journals, filepath.Join(dir, "second"))
	back := &awayOnce{Store: store}
	config.Store = back
	if b.Session, err = session.Restore(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	b.say("b2")
	b.close() // delivers its journal although the other one is held
	if waiting, err := journal.List(config.Journals[1]); err != nil || len(waiting) > 0 || !back.was {
		t.Errorf("waiting: %+v, %v", waiting, err)
	}
	away.fail(nil)
	a.Close()
	if told := a.notices[len(a.notices)-1]; !strings.Contains(told, "kept in a journal, 1 event, is in the session") {
		t.Errorf("told %q", a.notices)
	}
	b.restore(id)
	defer b.close()
	if got := b.conversation(); got != "b2" {
		t.Errorf("conversation %q", got)
	}
}

// away is a store that takes nothing while err is set.
type away struct {
	journal.Store
	mu  sync.Mutex // the session tries again on its own
	err error
}

func (a *away) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

func (a *away) Append(ctx context.Context, g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) error {
	a.mu.Lock()
	err := a.err
	a.mu.Unlock()
	if err != nil {
		return err
	}
	return a.Store.Append(ctx, g, after, events...)
}

// awayOnce is a store whose first append fails.
type awayOnce struct {
	journal.Store
	was bool
}

func (a *awayOnce) Append(ctx context.Context, g ikigai.Grant, after ikigai.Seq, events ...ikigai.Event) error {
	if !a.was {
		a.was = true
		return errors.New("away")
	}
	return a.Store.Append(ctx, g, after, events...)
}

// The other machine lets go without having said anything: the journal goes
// where it belongs.
func TestTakenOverForNothing(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "ikigai.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	a := &machine{t: t, store: store, journals: filepath.Join(dir, "a")}
	id := session.NewID()
	a.Session = session.Begin(a.config(id))
	if _, err := a.Record(t.Context(), ikigai.NewEvent(ikigai.KindSession, "/src", ikigai.SessionData{Dir: "/src"})); err != nil {
		t.Fatal(err)
	}
	if err := a.giveBack(); err != nil {
		t.Fatal(err)
	}
	_, giveBack, err := store.Acquire(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	a.say("one")
	a.Close()
	if err := giveBack(); err != nil {
		t.Fatal(err)
	}
	if waiting, err := journal.List(a.journals); err != nil || len(waiting) != 1 {
		t.Fatalf("waiting: %+v, %v", waiting, err)
	}
	a.restore(id)
	defer a.close()
	if got := a.conversation(); got != "one" {
		t.Errorf("conversation %q", got)
	}
}
