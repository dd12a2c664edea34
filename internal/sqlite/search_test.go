package sqlite

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ikigai"
	"ikigai/internal/storetest"
)

// plan returns how SQLite would run a query.
func plan(t *testing.T, s *Store, query string, args ...any) string {
	t.Helper()
	rows, err := s.readers.Query("EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var id, parent, unused int
		var line string
		if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// The newest hits come out of the index in order: nothing is sorted or scanned.
func TestSearchUsesItsIndex(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	const order = " ORDER BY search.rowid DESC LIMIT ?3"
	for name, text := range map[string]string{
		"words":  plan(t, s, sqlHits+" AND search MATCH ?4"+order, 1, 100, 64, `text : "a"`),
		"filter": plan(t, s, sqlHits+order, 1, 100, 64),
	} {
		if strings.Contains(text, "TEMP B-TREE") || !strings.Contains(text, "search VIRTUAL TABLE INDEX") ||
			!strings.Contains(text, "SEARCH e USING INTEGER PRIMARY KEY") || !strings.Contains(text, "SEARCH s USING PRIMARY KEY") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// What is asked for one session is read for one session, also of the views.
func TestViewsOfASession(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	for _, view := range []string{"v_usage", "v_statements", "v_turns", "v_tool_calls", "v_resources", "v_objectives"} {
		text := plan(t, s, "SELECT * FROM "+view+" WHERE session = 'x'")
		for line := range strings.SplitSeq(text, "\n") {
			if strings.Contains(line, "SCAN events") || strings.Contains(line, "SCAN e") && !strings.Contains(line, "SCAN e.") {
				t.Errorf("%s reads all events:\n%s", view, text)
			}
		}
	}
}

// Several processes index the same events beside those who append: each event
// is found once.
func TestCatchupByMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ikigai.db")
	const sessions, each = 4, 150
	var writing, indexing sync.WaitGroup
	for range sessions {
		s := openAt(t, path)
		writing.Go(func() {
			g := ikigai.Grant{Session: storetest.NewID(), Fence: 1}
			err := s.Append(t.Context(), g, 0, storetest.Session(g.Session, "/src"))
			for seq := ikigai.Seq(2); seq <= each && err == nil; seq++ {
				err = s.Append(t.Context(), g, seq-1, storetest.Statement(g.Session, seq, "found once"))
			}
			if err != nil {
				t.Error(err)
			}
		})
		indexing.Go(func() {
			for range 20 {
				if _, err := s.Catchup(t.Context(), 100); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	indexing.Wait()
	s := openAt(t, path)
	if left, err := s.Catchup(t.Context(), sessions*each); err != nil || left != 0 {
		t.Errorf("%d left, %v", left, err)
	}
	seen := make(map[ikigai.ID]bool)
	for h, err := range s.Search(t.Context(), ikigai.SearchQuery{Words: `"found once"`}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen[h.Event.ID] {
			t.Errorf("event %s is found twice", h.Event.ID)
		}
		seen[h.Event.ID] = true
	}
	if want := sessions * (each - 1); len(seen) != want {
		t.Errorf("%d found, want %d", len(seen), want)
	}
	if err := statement(t, s, "INSERT INTO search (search) VALUES ('integrity-check')"); err != nil {
		t.Error(err)
	}
	wantHealthy(t, path)
}

// Events that are stored again after others were removed are indexed, too.
func TestNumbersAreNotGivenOutAgain(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	for range 3 {
		session := storetest.NewID()
		g, release, err := s.Acquire(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Append(t.Context(), g, 0, storetest.Session(session, "/src"), storetest.Statement(session, 2, "word"))
		if err != nil {
			t.Fatal(err)
		}
		if left, err := s.Catchup(t.Context(), 10); err != nil || left != 0 {
			t.Errorf("%d left, %v", left, err)
		}
		hits := 0
		for _, err := range s.Search(t.Context(), ikigai.SearchQuery{Words: "word"}) {
			if err != nil {
				t.Fatal(err)
			}
			hits++
		}
		if hits != 1 {
			t.Errorf("%d hits, want 1", hits)
		}
		if err := s.Remove(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
	}
}
