package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/sqlite"
)

// Every database that an earlier version wrote gives back, byte for byte, the
// requests that were recorded so that they can be. The files are never changed;
// each version of the schema adds one.
func TestRequestsOfEarlierVersions(t *testing.T) {
	requests := map[string]int{"v1.db": 0, "v2.db": 12} // that can be rebuilt
	files, err := filepath.Glob("../sqlite/testdata/corpus/*.db")
	if err != nil || len(files) != len(requests) {
		t.Fatalf("%d files in the corpus, want %d: %v", len(files), len(requests), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			place := filepath.Join(t.TempDir(), "copy.db")
			if err := os.WriteFile(place, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			store, err := sqlite.Open(t.Context(), place)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			if got, want := rebuildAll(t, store), requests[filepath.Base(file)]; got != want {
				t.Errorf("%d requests were rebuilt, want %d", got, want)
			}
		})
	}
}

// rebuildAll rebuilds each request of each session, and returns how many of
// them could be.
func rebuildAll(t *testing.T, store ikigai.Store) (rebuilt int) {
	sessions, err := collect(store.Sessions(t.Context(), ikigai.SessionQuery{}))
	if err != nil || len(sessions) == 0 {
		t.Fatalf("%d sessions: %v", len(sessions), err)
	}
	for _, s := range sessions {
		events, err := collect(store.Events(t.Context(), s.ID, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range of(ikigai.KindRequest, events) {
			if e.Session != s.ID {
				continue // of the past that a fork shares
			}
			body, err := history.Rebuild(t.Context(), store.Events(t.Context(), s.ID, 0), store, e.Seq)
			var told *ikigai.Error
			switch {
			case err == nil && json.Valid(body):
				rebuilt++
			case !errors.As(err, &told):
				t.Errorf("request %d of %s: %d bytes, %v", e.Seq, s.ID, len(body), err)
			}
		}
	}
	return rebuilt
}
