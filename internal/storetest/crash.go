package storetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"testing"

	"ikigai"
	"ikigai/internal/race"
)

// WriteUntilKilled goes on with a session, or begins it, and never ends: it
// appends one to three events at a time, some with a blob, and prints
// "SEQ ID" for each once the append is acknowledged. It is what a child of
// KillWriters does.
func WriteUntilKilled(store ikigai.Store, session ikigai.ID, out io.Writer) error {
	ctx := context.Background()
	g, _, err := store.Acquire(ctx, session)
	if err != nil {
		return err
	}
	events, err := All(ctx, store, session)
	if err != nil {
		return err
	}
	after := ikigai.Seq(len(events))
	for {
		batch := nextBatch(session, after)
		if err := store.Append(ctx, g, after, batch...); err != nil {
			return err
		}
		for _, e := range batch {
			if _, err := fmt.Fprintln(out, e.Seq, e.ID); err != nil {
				return err
			}
		}
		after += ikigai.Seq(len(batch))
	}
}

func nextBatch(session ikigai.ID, after ikigai.Seq) []ikigai.Event {
	if after == 0 {
		return []ikigai.Event{Session(session, "/src")}
	}
	batch := statements(session, after, 1+rand.IntN(3))
	for i := range batch {
		if batch[i].Seq%2 == 0 {
			batch[i].Blobs = []ikigai.Blob{blobOf(batch[i])}
		}
	}
	return batch
}

// blobOf returns the blob that goes with every second event.
func blobOf(e ikigai.Event) ikigai.Blob { return Blob([]byte("of event " + e.ID)) }

// KillWriters kills a process in the middle of its appends, again and again,
// and checks after each time that the store holds every event that was
// acknowledged, at its place, nothing twice and no gap. child returns the
// command of a process that calls WriteUntilKilled.
func KillWriters(t *testing.T, times int, open Open, child func(session ikigai.ID) *exec.Cmd) { // P7
	session := NewID()
	acknowledged := make(map[ikigai.Seq]ikigai.ID)
	times /= race.Third
	for round := range times {
		before := len(acknowledged)
		runAndKill(t, child(session), 1+rand.IntN(30), acknowledged)
		b := &bench{T: t, open: open}
		b.Store = b.another()
		stored := checkAcknowledged(b, session, acknowledged)
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if t.Failed() {
			t.Fatalf("after kill %d", round+1)
		}
		// What was stored without being acknowledged counts from now on.
		for _, e := range stored {
			acknowledged[e.Seq] = e.ID
		}
		if len(acknowledged) == before {
			t.Fatalf("the process wrote nothing before kill %d", round+1)
		}
	}
	t.Logf("%d kills, %d events", times, len(acknowledged))
}

// runAndKill kills the command once it has acknowledged n events, which leaves
// it at any point of the appends that follow, and adds all it acknowledged.
func runAndKill(t *testing.T, c *exec.Cmd, n int, acknowledged map[ikigai.Seq]ikigai.ID) {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var seq ikigai.Seq
		var id ikigai.ID
		if _, err := fmt.Sscan(lines.Text(), &seq, &id); err != nil {
			continue // cut off by the kill, or not ours
		}
		if len(id) == 36 {
			acknowledged[seq] = id
		}
		if n--; n == 0 {
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.Wait(); err == nil || n > 0 {
		t.Fatalf("the process ended by itself: %v", err)
	}
}

func checkAcknowledged(b *bench, session ikigai.ID, acknowledged map[ikigai.Seq]ikigai.ID) []ikigai.Event {
	b.Helper()
	stored, err := All(b.Context(), b.Store, session)
	if err != nil {
		b.Errorf("read: %v", err)
	}
	CheckLog(b.T, stored)
	for seq, id := range acknowledged {
		if int(seq) > len(stored) || stored[seq-1].ID != id {
			b.Errorf("event %d, %s, was acknowledged and is not there", seq, id)
		}
	}
	for _, e := range stored {
		if e.Seq%2 != 0 {
			continue
		}
		if _, err := b.Blob(b.Context(), blobOf(e).Hash); err != nil {
			b.Errorf("blob of event %d: %v", e.Seq, err)
		}
	}
	if info := b.only(ikigai.SessionQuery{Prefix: string(session)}); int(info.Events) != len(stored) || info.Statements != len(stored)-1 {
		b.Errorf("the catalog has %d events and %d statements of %d", info.Events, info.Statements, len(stored))
	}
	return stored
}

// CheckLog checks that the events of a session stand at their places and that
// none is there twice.
func CheckLog(t *testing.T, events []ikigai.Event) {
	t.Helper()
	seen := make(map[ikigai.ID]ikigai.Seq)
	for i, e := range events {
		if e.Seq != ikigai.Seq(i+1) {
			t.Errorf("event %d stands at place %d", e.Seq, i+1)
		}
		if first, twice := seen[e.ID]; twice {
			t.Errorf("events %d and %d are the same", first, e.Seq)
		}
		seen[e.ID] = e.Seq
	}
}
