package postgres

import (
	"bufio"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ikigai"
	"ikigai/internal/pgtest"
	"ikigai/internal/storetest"
)

// until calls f until it reports true.
func until(t testing.TB, what string, f func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !f() {
		select {
		case <-deadline:
			t.Fatalf("in vain: %s", what)
		case <-ticker.C:
		}
	}
}

// through opens a store through a proxy, with leases that last d.
func through(t *testing.T, d time.Duration) (s *Store, p *pgtest.Proxy, url string) {
	t.Helper()
	c := pgtest.Shared(t)
	name := c.Database(t, Migrate)
	p = pgtest.NewProxy(t, c.Addr())
	s = openAt(t, pgtest.URL(name, p.Addr()))
	s.leases.time = d
	return s, p, c.URL(name)
}

// A holder whose lease has ended loses it to whoever wants it, and cannot append
// any more, whatever it believes.
func TestTakeover(t *testing.T) { // P8
	url := database(t)
	s := openAt(t, url)
	g, release := beginSession(t, s)
	second := openAt(t, url)
	_, _, err := second.Acquire(t.Context(), g.Session)
	if !errors.Is(err, ikigai.ErrBusy) || !strings.Contains(err.Error(), "(process ") || !strings.Contains(err.Error(), ", until ") ||
		strings.Contains(err.Error(), "[") {
		t.Fatalf("a session that is held: %v", err)
	}
	if err := runScript(t, url, "UPDATE leases SET until = 0"); err != nil {
		t.Fatal(err)
	}
	taken, _, err := second.Acquire(t.Context(), g.Session)
	if err != nil || taken.Fence != g.Fence+1 {
		t.Fatalf("%+v, %v; the fence was %d", taken, err, g.Fence)
	}
	late := storetest.Statement(g.Session, 2, "late")
	if err := s.Append(t.Context(), g, 1, late); !errors.Is(err, ikigai.ErrFenced) {
		t.Errorf("append by the holder before: %v, want ErrFenced", err)
	}
	if err := s.Remove(t.Context(), g); !errors.Is(err, ikigai.ErrFenced) {
		t.Errorf("remove by the holder before: %v, want ErrFenced", err)
	}
	if err := second.Append(t.Context(), taken, 1, storetest.Statement(g.Session, 2, "now")); err != nil {
		t.Error(err)
	}
	if err := release(); err != nil { // takes nothing from the new holder
		t.Error(err)
	}
	if _, _, err := openAt(t, url).Acquire(t.Context(), g.Session); !errors.Is(err, ikigai.ErrBusy) {
		t.Errorf("after the release of the holder before: %v, want ErrBusy", err)
	}
}

// The first append of a session that another holder has taken over meanwhile is
// refused, too.
func TestTakeoverBeforeTheFirstEvent(t *testing.T) { // P8
	url := database(t)
	s := openAt(t, url)
	session := storetest.NewID()
	g, _, err := s.Acquire(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	if err := runScript(t, url, "UPDATE leases SET until = 0"); err != nil {
		t.Fatal(err)
	}
	taken, release, err := openAt(t, url).Acquire(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), g, 0, storetest.Session(session, "/src")); !errors.Is(err, ikigai.ErrFenced) {
		t.Errorf("%v, want ErrFenced; fences %d, %d", err, g.Fence, taken.Fence)
	}
}

// A lease that ran out while the server was away is good again if nobody took
// it.
func TestLeaseOutlivesAnOutage(t *testing.T) { // P8 P9
	t.Parallel()
	s, p, url := through(t, 3*time.Second) // which a busy machine renews in time
	g, _ := beginSession(t, s)
	direct := connect(t, url)
	leaseHolds := func() (holds bool) {
		const query = "SELECT until > " + sqlNow + " FROM leases"
		if err := direct.QueryRow(t.Context(), query).Scan(&holds); err != nil {
			t.Fatal(err)
		}
		return holds
	}
	for range 2 {
		p.Refuse(true)
		until(t, "the lease runs out", func() bool { return !leaseHolds() })
		p.Refuse(false)
		until(t, "the lease is renewed", leaseHolds)
	}
	if _, _, err := openAt(t, url).Acquire(t.Context(), g.Session); !errors.Is(err, ikigai.ErrBusy) {
		t.Errorf("a lease that is good again: %v, want ErrBusy", err)
	}
	if err := s.Append(t.Context(), g, 1, storetest.Statement(g.Session, 2, "goes on")); err != nil {
		t.Error(err)
	}
}

// An answer that is lost leaves no lease that nobody has.
func TestAcquireWithLostAnswer(t *testing.T) { // P9
	s, p, _ := through(t, time.Hour)
	p.LoseAnswer("INSERT")
	session := storetest.NewID()
	g, _, err := s.Acquire(t.Context(), session)
	if err != nil { // on a connection that was not idle
		g, _, err = s.Acquire(t.Context(), session)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), g, 0, storetest.Session(session, "/src")); err != nil {
		t.Error(err)
	}
}

// The lease of a process of this machine ends with it.
func TestLeaseEndsWithItsProcess(t *testing.T) { // P8
	url := database(t)
	s := openAt(t, url)
	session := storetest.NewID()
	c := other(t, "hold", url, session)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Acquire(t.Context(), session); !errors.Is(err, ikigai.ErrBusy) {
		t.Errorf("acquire what another process holds: %v, want ErrBusy", err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	if runningSystem() == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("the system does not tell which processes are its own")
		}
		t.Skip("this system does not tell which processes are its own")
	}
	if _, _, err := s.Acquire(t.Context(), session); err != nil {
		t.Errorf("acquire what a dead process held: %v", err)
	}
}

func TestIsDead(t *testing.T) {
	mine := "process 1 on here [0a0b0c0d 00000001]"
	for holder, want := range map[string]bool{
		"process 1 on here [0a0b0c0d 00000002]":              false, // alive
		"process 2147483647 on here [0a0b0c0d 00000002]":     true,
		"process 2147483647 [0a0b0c0d 00000002]":             true,
		"process 2147483647 on a [b] [0a0b0c0d 00000002]":    false,
		"process 2147483647 on elsewhere [ffffffff 0000002]": false,
		"process 2147483647 on here [ 00000002]":             false,
		"process 2147483647 on here":                         false,
		"process 0 on here [0a0b0c0d 00000002]":              false,
		"process -1 on here [0a0b0c0d 00000002]":             false,
		"process x":                                          false,
		"":                                                   false,
	} {
		if isDead(holder, mine) != want {
			t.Errorf("%q: %v", holder, !want)
		}
	}
	if isDead("process 2147483647 on here [ 00000002]", "process 1 on here [ 00000001]") {
		t.Error("without a number of the system, nothing is known")
	}
	if name := people(newHolder()); !strings.HasPrefix(name, "process ") || strings.Contains(name, "[") {
		t.Errorf("for people: %q", name)
	}
}

// Close gives back what is held.
func TestCloseReleases(t *testing.T) {
	url := database(t)
	s := openAt(t, url)
	g, release := beginSession(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openAt(t, url).Acquire(t.Context(), g.Session); err != nil {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Errorf("release after Close: %v", err)
	}
}

// Releasing does not wait for a server that is away.
func TestReleaseWithoutServer(t *testing.T) { // P9
	t.Parallel()
	s, p, _ := through(t, time.Hour)
	_, release := beginSession(t, s)
	p.BlackHole(true)
	if err := release(); err == nil {
		t.Error("nobody took it back")
	}
	p.BlackHole(false)
}
