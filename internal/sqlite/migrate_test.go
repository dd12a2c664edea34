package sqlite

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/dbschema"
	"ikigai/internal/storetest"
)

// objects returns what a database is made of, in a form that does not depend
// on how it was written down.
func objects(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := make(map[string]string)
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			t.Fatal(err)
		}
		text = regexp.MustCompile(`--.*`).ReplaceAllString(text, "")
		text = strings.ReplaceAll(text, `"`, "")
		text = regexp.MustCompile(`\s+`).ReplaceAllString(text, " ")
		found[name] = regexp.MustCompile(` ?([(),]) ?`).ReplaceAllString(text, "$1")
	}
	return found
}

func TestSchemaIsWhatMigrationsMake(t *testing.T) {
	created, migrated := filepath.Join(t.TempDir(), "created.db"), filepath.Join(t.TempDir(), "migrated.db")
	openAt(t, created).Close()
	foreign(t, migrated, "PRAGMA journal_mode = WAL")
	if err := runMigrations(t.Context(), migrated); err != nil {
		t.Fatal(err)
	}
	want := objects(t, created)
	if len(want) < 25 {
		t.Errorf("only %d objects", len(want))
	}
	if diff := cmp.Diff(want, objects(t, migrated)); diff != "" {
		t.Errorf("(-schema.sql +migrations):\n%s", diff)
	}
}

// corpus returns the databases that earlier versions wrote.
func corpus(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "corpus", "*.db"))
	if err != nil || len(files) < dbschema.Version-1 {
		t.Fatalf("corpus: %v, %v", files, err)
	}
	return files
}

// copyOf returns a copy of a file in a directory of its own.
func copyOf(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ikigai.db")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// rawRows returns all rows of a query, as text.
func rawRows(t *testing.T, path, query string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		list = append(list, line)
	}
	return list
}

const everyByte = `SELECT hex(session || '|' || seq || '|' || id || '|' || interaction || '|' || kind || '|' || time || '|' || content)
	|| hex(coalesce(data, 'NULL')) FROM events ORDER BY rowid`

// A database that any earlier version wrote is brought up to date, and holds
// what it held, byte for byte.
func TestCorpus(t *testing.T) {
	for _, file := range corpus(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			path := copyOf(t, file)
			before := rawRows(t, file+"?mode=ro&immutable=1", everyByte)
			blobs := rawRows(t, file+"?mode=ro&immutable=1", "SELECT hash FROM blobs ORDER BY hash")
			s := openAt(t, path)
			if diff := cmp.Diff(before, rawRows(t, path, everyByte)); diff != "" || len(before) == 0 {
				t.Errorf("events (-before +after):\n%s", diff)
			}
			for _, hash := range blobs {
				if _, err := s.Blob(t.Context(), hash); err != nil {
					t.Error(err)
				}
			}
			checkMigrated(t, s)
			if diff := cmp.Diff(objects(t, filepath.Join(filepath.Dir(openAt(t, filepath.Join(t.TempDir(), "new.db")).Path()), "new.db")), objects(t, path)); diff != "" {
				t.Errorf("schema (-new +migrated):\n%s", diff)
			}
			if m := s.Migration(); m.From > 0 {
				if diff := cmp.Diff(before, rawRows(t, m.Copy, everyByte)); diff != "" {
					t.Errorf("the copy (-before +after):\n%s", diff)
				}
			}
			wantHealthy(t, path)
		})
	}
}

// checkMigrated checks that every event is read, has its place in the views,
// and that the session goes on.
func checkMigrated(t *testing.T, s *Store) {
	t.Helper()
	for info, err := range s.Sessions(t.Context(), ikigai.SessionQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		events, err := storetest.All(t.Context(), s, info.ID)
		if err != nil || len(events) != int(info.Events) {
			t.Fatalf("%d events, %v; want %d", len(events), err, info.Events)
		}
		storetest.CheckLog(t, events)
		events = events[info.Base:] // the session's own
		if sum := dbschema.Summarize(events); sum.Size != info.Size || sum.Cost != info.Cost || sum.Statements != info.Statements {
			t.Errorf("catalog %+v, events %+v", info, sum)
		}
		kinds := make(map[ikigai.Kind]int)
		for _, e := range events {
			kinds[e.Kind]++
		}
		for view, want := range map[string]int{
			"v_statements": kinds[ikigai.KindUser], "v_turns": kinds[ikigai.KindRequest], "v_usage": kinds[ikigai.KindUsage],
			"v_tool_calls": kinds[ikigai.KindToolCall],
		} {
			var n int
			if err := s.readers.QueryRow("SELECT count(*) FROM "+view+" WHERE session = ?", info.ID).Scan(&n); err != nil || n != want {
				t.Errorf("%s: %d rows, %v; want %d", view, n, err, want)
			}
		}
		g, release, err := s.Acquire(t.Context(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Append(t.Context(), g, info.Events, storetest.Statement(info.ID, info.Events+1, "goes on")); err != nil {
			t.Error(err)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
	}
}

// Several processes may find an older database at once.
func TestMigratedByManyProcesses(t *testing.T) {
	for _, file := range corpus(t) {
		path := copyOf(t, file)
		var started []*exec.Cmd
		for range 4 {
			c := other(t, "once", path, storetest.NewID())
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			started = append(started, c)
		}
		for _, c := range started {
			if err := c.Wait(); err != nil {
				t.Errorf("a process that migrated the database with others: %v", err)
			}
		}
		wantHealthy(t, path)
		if n := rawRows(t, path, "SELECT count(*) FROM sessions WHERE head = 1"); n[0] != "4" {
			t.Errorf("%s new sessions, want 4", n[0])
		}
		if copies, err := filepath.Glob(path + ".v*"); err != nil || len(copies) > 1 {
			t.Errorf("copies: %v, %v", copies, err)
		}
	}
}

// A migration that cannot be done leaves the file as it was, and nothing else.
func TestMigrationFails(t *testing.T) {
	path := copyOf(t, filepath.Join("testdata", "corpus", "v1.db"))
	foreign(t, path, "CREATE TABLE leases (x)")
	before := rawRows(t, path, everyByte)
	_, err := Open(t.Context(), path)
	wantStoreError(t, err, path, "cannot be brought up to date")
	if diff := cmp.Diff(before, rawRows(t, path, everyByte)); diff != "" {
		t.Errorf("events (-before +after):\n%s", diff)
	}
	if v := rawRows(t, path, "PRAGMA user_version"); v[0] != "1" {
		t.Errorf("version %s", v[0])
	}
	if left, err := filepath.Glob(path + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
