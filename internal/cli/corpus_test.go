package cli

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/sqlite"
)

// Every database that an earlier version wrote gives back, byte for byte, the
// requests that were recorded so that they can be. The files are never changed;
// each version of the schema adds one.
func TestRequestsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	requests := map[string]int{"v1.db": 0, "v2.db": 12} // that can be rebuilt
	files, err := filepath.Glob("../sqlite/testdata/corpus/*.db")
	if err != nil || len(files) != len(requests) {
		t.Fatalf("%d files in the corpus, want %d: %v", len(files), len(requests), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			store, err := sqlite.Open(t.Context(), copied(t, file))
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

// copied returns the path of a copy of a file.
func copied(t *testing.T, file string) string {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What has changed on the disk without the structure of the file being hurt is
// found by db check.
func TestCheckFindsDamage(t *testing.T) {
	t.Parallel()
	path := copied(t, "../sqlite/testdata/corpus/v2.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`DROP TRIGGER blobs_stay; DROP TRIGGER events_stay;
		UPDATE blobs SET bytes = zeroblob(40) WHERE hash = (SELECT min(hash) FROM blobs);
		UPDATE events SET data = '{"dir":' WHERE seq = 1`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, "user: work\nsay: x\n")
	c := p.run(exitStore, "db", "check", "--database", path)
	for _, want := range []string{"The data of event 1 of session ", "The bytes of the blob "} {
		if !strings.Contains(c.out.String(), want) {
			t.Errorf("%q is not told:\n%s", want, c.out.String())
		}
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
