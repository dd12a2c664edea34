package storetest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"ikigai"
)

// busy reports whether store refuses the right to append to a session.
func busy(b *bench, store ikigai.Leases, session ikigai.ID) bool {
	b.Helper()
	_, release, err := store.Acquire(b.Context(), session)
	if err == nil {
		_ = release()
		return false
	}
	if !errors.Is(err, ikigai.ErrBusy) {
		b.Fatalf("acquire: %v", err)
	}
	return true
}

func leases(t *testing.T, b *bench) { // P8
	g, release := b.acquire(NewID())
	b.append(g, 0, Session(g.Session, "/src"))
	other := b.another()
	if !busy(b, b.Store, g.Session) || !busy(b, other, g.Session) {
		t.Error("a session that is held was given to another")
	}
	if busy(b, other, NewID()) {
		t.Error("a session that nobody holds is busy")
	}
	noted := b.rows("select fence, holder from leases where session = '" + string(g.Session) + "'")
	if len(noted) != 1 || noted[0].Values[0] != g.Fence || !strings.Contains(fmt.Sprint(noted[0].Values[1]), fmt.Sprint(os.Getpid())) {
		t.Errorf("the lease is noted as %v", noted)
	}
	if _, _, err := other.Acquire(b.Context(), g.Session); err == nil || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("%v does not name the process that holds the session", err)
	}
	release()
	release() // harmless
	for range 3 {
		if busy(b, other, g.Session) {
			t.Fatal("a session that was given back is busy")
		}
	}
	last, _ := b.acquire(g.Session)
	if last.Fence < g.Fence+4 {
		t.Errorf("fence %d after four holders more than %d", last.Fence, g.Fence)
	}
	b.append(last, 1, Statement(g.Session, 2, "goes on"))

	release() // of the first holder: takes nothing from the last one
	if !busy(b, other, g.Session) {
		t.Error("an old release gave away the right of another holder")
	}
}

func leaseOfNewSession(t *testing.T, b *bench) {
	session := NewID()
	g, release := b.acquire(session)
	if !busy(b, b.another(), session) {
		t.Error("a new session that is held was given to another")
	}
	release() // without an event
	b.want(b.Store, session, nil)
	g, _ = b.acquire(session)
	if g.Fence < 1 || g.Session != session {
		t.Errorf("grant %+v", g)
	}
	b.append(g, 0, Session(session, "/src"))

	for _, id := range []ikigai.ID{"", "../a", "a/b", "a b", "\x00"} {
		if _, release, err := b.Acquire(b.Context(), id); err == nil {
			_ = release()
			t.Errorf("a session with the ID %q was given out", id)
		}
	}
}
