package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/blob"
	"ikigai/internal/dbschema"
	"ikigai/internal/storetest"
)

// statement runs SQL on the store's own connection.
func statement(t *testing.T, s *Store, query string, args ...any) error {
	t.Helper()
	return s.writer.do(t.Context(), func(c *connection) error {
		_, err := c.ExecContext(context.Background(), query, args...)
		return err
	})
}

func TestDatabaseKeepsTheLog(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	session := storetest.NewID()
	g := ikigai.Grant{Session: session, Fence: 1}
	e := storetest.Statement(session, 2, "said")
	e.Blobs = []ikigai.Blob{storetest.Blob([]byte("kept"))}
	if err := s.Append(t.Context(), g, 0, storetest.Session(session, "/src"), e); err != nil {
		t.Fatal(err)
	}
	fork := storetest.NewID()
	if err := s.Fork(t.Context(), ikigai.Grant{Session: fork, Fence: 1}, session, 1); err != nil {
		t.Fatal(err)
	}
	const columns = "(session, seq, id, interaction, kind, time, content) VALUES"
	const numbered = "(n, session, seq, id, interaction, kind, time, content) VALUES"
	const sessions = "(id, dir, title, created, updated, head, fence, statements, parent, base) VALUES"
	for query, want := range map[string]string{
		"UPDATE events SET content = 'never said'":                                            "never changed",
		"UPDATE events SET seq = seq + 10":                                                    "never changed",
		"DELETE FROM events":                                                                  "only with their whole session",
		"DELETE FROM events WHERE seq = 2":                                                    "only with their whole session",
		"INSERT OR REPLACE INTO events " + columns + " (?1, 2, 'x', 'm', 'k', 0, '')":         "without gaps",
		"INSERT OR REPLACE INTO events " + numbered + " (1, ?1, 3, 'x', 'm', 'k', 0, '')":     "without gaps",
		"INSERT INTO events " + columns + " (?1, 4, 'x', 'm', 'k', 0, '')":                    "without gaps",
		"INSERT INTO events " + columns + " (?1, 0, 'x', 'm', 'k', 0, '')":                    "without gaps",
		"INSERT INTO events " + columns + " (?2, 1, 'x', 'm', 'k', 0, '')":                    "without gaps",
		"INSERT INTO events " + columns + " ('none', 1, 'x', 'm', 'k', 0, '')":                "FOREIGN KEY",
		"INSERT INTO events " + columns + " (?1, 3, x'00', 'm', 'k', 0, '')":                  "cannot store BLOB",
		"DELETE FROM sessions":                                                                "still has events",
		"UPDATE sessions SET removing = 1":                                                    "has forks",
		"UPDATE sessions SET base = 2 WHERE id = ?2":                                          "never changed",
		"UPDATE sessions SET parent = NULL":                                                   "never changed",
		"UPDATE sessions SET id = 'x'":                                                        "never changed",
		"INSERT OR REPLACE INTO sessions " + sessions + " (?2, '', '', 0, 0, 2, 9, 0, ?1, 2)": "begins once",
		"INSERT INTO sessions " + sessions + " ('x', '', '', 0, 0, 3, 1, 0, ?1, 3)":           "begins once",
		"INSERT INTO sessions " + sessions + " ('x', '', '', 0, 0, 3, 1, 0, NULL, 3)":         "begins once",
		"UPDATE blobs SET bytes = x''":                                                        "never changed",
		"INSERT OR REPLACE INTO blobs SELECT hash, size, 'raw', x'', NULL FROM blobs":         "never changed",
		"DELETE FROM sessions WHERE id = 'all'":                                               "",
	} {
		var args []any
		if strings.Contains(query, "?1") {
			args = []any{string(session)}
		}
		if strings.Contains(query, "?2") {
			args = []any{string(session), string(fork)}
		}
		err := statement(t, s, query, args...)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}

	// A whole session can go, once its row says so.
	for _, query := range []string{
		"UPDATE sessions SET removing = 1 WHERE parent IS NOT NULL", "DELETE FROM sessions WHERE removing",
		"UPDATE sessions SET removing = 1", "DELETE FROM leases", "DELETE FROM events", "DELETE FROM sessions",
	} {
		if query == "DELETE FROM sessions WHERE removing" {
			if err := statement(t, s, "DELETE FROM leases"); err != nil {
				t.Fatal(err)
			}
		}
		if err := statement(t, s, query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// No statement of this package or its migrations changes events or blobs, and
// one alone removes each.
func TestNoStatementChangesEvents(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	migrations, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(migrations) != dbschema.Version {
		t.Fatalf("migrations: %v, %v", migrations, err)
	}
	forbidden := regexp.MustCompile(`(?is)\b(UPDATE\s+(OR\s+\w+\s+)?|DELETE\s+FROM\s+|REPLACE\s+INTO\s+|DROP\s+TABLE\s+)(events|blobs)\b|INSERT\s+OR\s+`)
	allowed := map[string]string{
		"remove.go": sqlRemoveEvents,
		"vacuum.go": sqlRemoveBlob,
		// Copied to a table with an n before.
		"migrations/00002_forks_search_views.sql": "DROP TABLE events",
	}
	for _, name := range append(append(files, migrations...), "schema.sql") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// The triggers name what they forbid.
		source := regexp.MustCompile(`BEFORE (UPDATE|DELETE|INSERT) ON`).ReplaceAllString(string(text), "")
		source = regexp.MustCompile(`(?m)^\s*(--|//).*$`).ReplaceAllString(source, "")
		if one := allowed[name]; one != "" {
			if strings.Count(source, one) != 1 {
				t.Errorf("%s: %q is not there once", name, one)
			}
			source = strings.Replace(source, one, "", 1)
		}
		if hit := forbidden.FindString(source); hit != "" {
			t.Errorf("%s: %q", name, hit)
		}
	}
	if len(files) < 15 {
		t.Errorf("only %d files read", len(files))
	}
}

// The newest sessions are found by an index, without reading or sorting all.
func TestCatalogUsesIndexes(t *testing.T) { // P35
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	for name, q := range map[string]ikigai.SessionQuery{
		"sessions_updated":     {Limit: 1},
		"sessions_dir_updated": {Dir: "/src", Limit: 1},
		"PRIMARY KEY":          {Prefix: "0190", Limit: 2},
	} {
		query, args := sessionsQuery(q)
		rows, err := s.readers.Query("EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatal(err)
		}
		var plan []string
		for rows.Next() {
			var id, parent, unused int
			var line string
			if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, line)
		}
		rows.Close()
		text := strings.Join(plan, "\n")
		if !strings.Contains(text, name) || q.Prefix == "" && strings.Contains(text, "TEMP B-TREE") {
			t.Errorf("sessions %+v: %s", q, text)
		}
	}
}

// What is kept as a blob lies in its table once, compressed, and not in events.
func TestBlobsAreNotEvents(t *testing.T) { // P10
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	session := storetest.NewID()
	pre := storetest.Blob([]byte(strings.Repeat("the file before it was changed\n", 10_000)))
	events := []ikigai.Event{storetest.Session(session, "/src")}
	for seq := ikigai.Seq(2); seq < 12; seq++ {
		e := storetest.Event(session, seq, ikigai.KindChange, "/src/f", ikigai.ChangeData{Path: "/src/f", Blob: pre.Hash})
		e.Blobs = []ikigai.Blob{pre}
		events = append(events, e)
	}
	if err := s.Append(t.Context(), ikigai.Grant{Session: session, Fence: 1}, 0, events...); err != nil {
		t.Fatal(err)
	}
	var rows, stored, inEvents int
	err := s.readers.QueryRow("SELECT count(*), sum(length(bytes)), (SELECT sum(length(content) + length(coalesce(data, ''))) FROM events) FROM blobs").
		Scan(&rows, &stored, &inEvents)
	if err != nil || rows != 1 || stored > len(pre.Bytes)/20 || inEvents > 4000 {
		t.Errorf("%d blobs of %d bytes, %d bytes in events, %v", rows, stored, inEvents, err)
	}
}

func TestDamagedBlob(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "ikigai.db"))
	zeros := storetest.Blob(make([]byte, 100))
	for name, row := range map[string]blob.Row{
		"other bytes":      {Hash: blob.Hash([]byte("a")), Size: 1, Encoding: blob.Raw, Bytes: []byte("b")},
		"no deflate":       {Hash: blob.Hash([]byte("c")), Size: 1, Encoding: blob.Deflate, Bytes: []byte("c")},
		"unknown encoding": {Hash: blob.Hash([]byte("d")), Size: 1, Encoding: "later", Bytes: []byte("d")},
		"longer than said": {Hash: zeros.Hash, Size: 10, Encoding: blob.Deflate, Bytes: blob.Pack(zeros, nil).Bytes},
	} {
		if err := statement(t, s, sqlNewBlob, row.Hash, row.Size, row.Encoding, row.Bytes, row.Base); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Blob(t.Context(), row.Hash); err == nil {
			t.Errorf("%s: read", name)
		}
	}
}

func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ikigai.db")
	s := openAt(t, path)
	for range 3 {
		if err := beginSession(s, storetest.NewID()); err != nil {
			t.Fatal(err)
		}
	}
	h, err := s.Check(t.Context())
	if err != nil || h.Place != path || h.Sessions != 3 || h.Events != 3 || h.Bytes < 4096 || !h.Checked || len(h.Problems) > 0 {
		t.Errorf("check: %+v, %v", h, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if h, err = s.Check(ended); err != nil || h.Checked || h.Sessions != 3 {
		t.Errorf("check without time: %+v, %v", h, err)
	}
	if err := statement(t, s, "UPDATE sessions SET head = 7 WHERE id = (SELECT max(id) FROM sessions)"); err != nil {
		t.Fatal(err)
	}
	if h, err = s.Check(t.Context()); err != nil || len(h.Problems) != 1 || !strings.Contains(h.Problems[0], "holds 1 events, its head is 7") {
		t.Errorf("check of a head that is off: %+v, %v", h, err)
	}
}
