package postgres

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/pgtest"
	"ikigai/internal/storetest"
)

// emptyDatabase returns the address of a database without anything in it.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	c := pgtest.Shared(t)
	return c.URL(c.Database(t, nil))
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// runScript runs a script in a connection of its own.
func runScript(t testing.TB, url, script string) error {
	t.Helper()
	_, err := connect(t, url).PgConn().Exec(context.Background(), script).ReadAll()
	return err
}

// acquire takes the right to append to a new session and begins it.
func beginSession(t testing.TB, s *Store) (ikigai.Grant, func() error) {
	t.Helper()
	g, release, err := s.Acquire(context.Background(), storetest.NewID())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = release() })
	if err := s.Append(context.Background(), g, 0, storetest.Session(g.Session, "/src")); err != nil {
		t.Fatal(err)
	}
	return g, release
}

// The database itself refuses whatever would change the log.
func TestAppendOnly(t *testing.T) {
	url := database(t)
	s := openAt(t, url)
	g, _ := beginSession(t, s)
	e := storetest.Event(g.Session, 2, ikigai.KindChange, "/f", nil)
	e.Blobs = []ikigai.Blob{storetest.Blob([]byte("kept"))}
	if err := s.Append(t.Context(), g, 1, e, storetest.Statement(g.Session, 3, "last")); err != nil {
		t.Fatal(err)
	}
	parent := "'" + string(g.Session) + "'"
	f, _, err := s.Acquire(t.Context(), storetest.NewID())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Fork(t.Context(), f, g.Session, 2); err != nil {
		t.Fatal(err)
	}
	fork := "'" + string(f.Session) + "'"
	event := func(session, seq string) string {
		return "INSERT INTO events (session, seq, id, interaction, kind, time, content) VALUES (" + session + ", " + seq + ", 'x', 'main', 'user', 0, '')"
	}
	for _, statement := range []string{
		"UPDATE events SET content = 'other'",
		"UPDATE events SET content = 'other' WHERE false",
		"INSERT INTO events SELECT * FROM events ON CONFLICT (session, seq) DO UPDATE SET content = 'other'",
		event(parent, "3") + " ON CONFLICT (session, seq) DO UPDATE SET content = 'other'",
		"DELETE FROM events",
		"DELETE FROM events WHERE session = " + parent + " AND seq = 3",
		"TRUNCATE events", "TRUNCATE sessions CASCADE", "TRUNCATE blobs CASCADE",
		event(parent, "3"), event(parent, "5"), event(parent, "0"), event(parent, "-1"),
		event(fork, "1"), event(fork, "2"), event(fork, "4"), event("'nobody'", "1"), event("'nobody'", "2"),
		"DELETE FROM sessions",
		"DELETE FROM sessions WHERE id = " + fork,
		"UPDATE sessions SET removing = 1",
		"BEGIN; UPDATE sessions SET removing = 1 WHERE id = " + parent + "; DELETE FROM events WHERE session = " + parent + "; COMMIT",
		"UPDATE sessions SET parent = NULL, base = 0 WHERE id = " + fork,
		"UPDATE sessions SET base = 1 WHERE id = " + fork,
		"UPDATE sessions SET id = 'other'",
		"INSERT INTO sessions (id, dir, title, created, updated, head, fence, statements, parent, base) VALUES ('x', '', '', 0, 0, 9, 1, 0, " + parent + ", 9)",
		"INSERT INTO sessions (id, dir, title, created, updated, head, fence, statements, base) VALUES ('x', '', '', 0, 0, 1, 1, 0, 1)",
		"INSERT INTO sessions (id, dir, title, created, updated, head, fence, statements, removing) VALUES ('x', '', '', 0, 0, 0, 1, 0, 1)",
		"UPDATE blobs SET bytes = ''",
	} {
		if err := runScript(t, url, statement); err == nil {
			t.Errorf("done: %s", statement)
		}
	}
	// Only a part of a session that is being removed.
	if err := runScript(t, url, "BEGIN; "+event(fork, "3")+"; "+event(fork, "4")+"; UPDATE sessions SET removing = 1 WHERE id = "+fork+
		"; DELETE FROM events WHERE session = "+fork+" AND seq = 4; COMMIT"); err == nil {
		t.Error("a part of a session was removed")
	}
	if h, err := s.Check(t.Context()); err != nil || len(h.Problems) > 0 || !h.Checked || h.Events != 3 || h.Sessions != 2 {
		t.Errorf("check: %+v, %v", h, err)
	}
}

// No statement of this package changes an event or a blob, and one removes
// events.
func TestStatementsOnlyAppend(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	migrations, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(migrations) == 0 {
		t.Fatal(err)
	}
	changes := regexp.MustCompile(`(?i)update\s+(only\s+)?(events|blobs)\b|truncate|disable\s+trigger|session_replication_role`)
	removes := regexp.MustCompile(`(?i)delete\s+from\s+(only\s+)?events`)
	var removing []string
	for _, file := range append(files, migrations...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(src)) {
			if strings.Contains(line, "TRIGGER") || strings.Contains(line, "RAISE") {
				continue
			}
			if changes.MatchString(line) {
				t.Errorf("%s: %s", file, line)
			}
			if removes.MatchString(line) {
				removing = append(removing, file)
			}
		}
	}
	if !slices.Equal(removing, []string{"remove.go"}) {
		t.Errorf("events are removed in %v", removing)
	}
}

// Several programs find an empty database at once.
func TestCreatedByMany(t *testing.T) {
	url := emptyDatabase(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s, err := Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			beginSession(t, s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, err := OpenExisting(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if h, err := s.Check(t.Context()); err != nil || h.Sessions != 4 || h.Schema != schemaVersion || !strings.HasPrefix(h.Engine, "PostgreSQL ") {
		t.Errorf("check: %+v, %v", h, err)
	}
	if err := Migrate(t.Context(), url); err != nil {
		t.Errorf("nothing to migrate: %v", err)
	}
}

func TestVersions(t *testing.T) {
	url := emptyDatabase(t)
	if _, err := OpenExisting(t.Context(), url); !errors.Is(err, ikigai.ErrNotFound) {
		t.Errorf("an empty database: %v, want ErrNotFound", err)
	}
	if err := runScript(t, url, "SELECT FROM ikigai_version"); err == nil {
		t.Error("who only reads made a table")
	}
	if err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if err := runScript(t, url, newSession); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ version, want string }{{"1", "`ikigai db migrate`"}, {"99", "Update ikigai"}} {
		version, want := test.version, test.want
		if err := runScript(t, url, "UPDATE ikigai_version SET version_id = "+version+" WHERE version_id > 0"); err != nil {
			t.Fatal(err)
		}
		for _, open := range []func(context.Context, string) (*Store, error){Open, OpenExisting} {
			_, err := open(t.Context(), url)
			if err == nil || !strings.Contains(err.Error(), want) || ikigai.KindOf(err) != ikigai.ErrorStore {
				t.Errorf("schema version %s: %v", version, err)
			}
		}
	}
	if err := Migrate(t.Context(), url); err == nil || !strings.Contains(err.Error(), "Update ikigai") {
		t.Errorf("migrate a newer schema: %v", err)
	}
}

// olderSchema makes the schema of the version before this one.
func olderSchema(t *testing.T, url string) *sql.DB {
	t.Helper()
	config, err := parse(url)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector{config})
	t.Cleanup(func() { _ = db.Close() })
	provider, err := newProvider(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), schemaVersion-1); err != nil {
		t.Fatal(err)
	}
	return db
}

const (
	someSession = "019abcde-0000-7000-8000-000000000000"
	newSession  = `INSERT INTO sessions (id, dir, title, created, updated, head, fence, statements) VALUES ('` + someSession + `', '', '', 0, 0, 0, 1, 0);`
)

// A database of an earlier version is made anew where nothing was ever kept in it, as
// its making was cut short; else it is refused until it is migrated, and then holds
// what it held, with what people have built on it.
func TestMigrated(t *testing.T) {
	url := emptyDatabase(t)
	db := olderSchema(t, url)
	if _, err := OpenExisting(t.Context(), url); !errors.Is(err, ikigai.ErrNotFound) {
		t.Errorf("a schema whose making was cut short: %v, want ErrNotFound", err)
	}
	if err := runScript(t, url, newSession+`UPDATE sessions SET head = 3;
		INSERT INTO events (session, seq, id, interaction, kind, time, content, data) VALUES
			('`+someSession+`', 1, '1', 'main', 'session', 1, '', '{"dir": ""}'),
			('`+someSession+`', 2, '2', 'main', 'user', 2, 'said', NULL),
			('`+someSession+`', 3, '3', 'main', 'user', 3, 'added', '{"by": "steer"}');
		CREATE VIEW mine AS SELECT statement FROM v_statements`); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), url); err == nil || !strings.Contains(err.Error(), "`ikigai db migrate`") {
		t.Errorf("an older schema: %v", err)
	}
	if err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	events, err := storetest.All(t.Context(), openAt(t, url), someSession)
	if err != nil || len(events) != 3 {
		t.Errorf("%d events, %v", len(events), err)
	}
	var statements int
	if err := db.QueryRow("SELECT count(*) FROM mine").Scan(&statements); err != nil || statements != 1 {
		t.Errorf("%d statements, %v", statements, err)
	}
}

// A program that is killed while it creates the schema leaves some of it, which the
// next one completes.
func TestCreationCutShort(t *testing.T) {
	url := emptyDatabase(t)
	olderSchema(t, url)
	beginSession(t, openAt(t, url))
}

func TestForeignDatabase(t *testing.T) {
	url := emptyDatabase(t)
	if err := runScript(t, url, "CREATE TABLE sessions (x int)"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), url); err == nil || !strings.Contains(err.Error(), "tables of another program") {
		t.Errorf("a database of another program: %v", err)
	}
	if err := runScript(t, url, "SELECT x FROM sessions"); err != nil {
		t.Error(err)
	}
}

func TestEncoding(t *testing.T) {
	c := pgtest.Shared(t)
	c.Exec(t, "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
	t.Cleanup(func() { c.Exec(t, "DROP DATABASE latin WITH (FORCE)") })
	if _, err := Open(t.Context(), c.URL("latin")); err == nil || !strings.Contains(err.Error(), "encoding LATIN1") {
		t.Errorf("%v", err)
	}
}

// What happens all the time, or to large stores, finds its rows by an index.
func TestPlans(t *testing.T) { // P35
	url := database(t)
	s := openAt(t, url)
	g, _ := beginSession(t, s)
	if err := runScript(t, url, `INSERT INTO sessions (id, dir, title, created, updated, head, fence, statements)
			SELECT 's' || i, '/d' || i % 10, '', i, i * 1000000000::bigint, 0, 1, 0 FROM generate_series(1, 5000) i;
		UPDATE sessions SET head = 20 WHERE id LIKE 's%';
		INSERT INTO events (session, seq, id, interaction, kind, time, content, data)
			SELECT s.id, seq, seq::text, 'main', 'user', seq, 'text', '{}' FROM sessions s, generate_series(1, 5) seq WHERE s.id LIKE 's%' ORDER BY 1, 2;
		INSERT INTO search SELECT n, array_to_tsvector(ARRAY['a', 'w' || n]) FROM events;
		ANALYZE`); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, url)
	session := string(g.Session)
	sessions := func(q ikigai.SessionQuery) string {
		query, _ := sessionsQuery(q)
		return strings.ReplaceAll(query, "$1", "'/d1'")
	}
	for _, test := range []struct{ query, without string }{
		{sessions(ikigai.SessionQuery{Limit: 1}), "Seq Scan"},
		{sessions(ikigai.SessionQuery{Dir: "/d1", Limit: 1}), "Seq Scan"},
		{strings.NewReplacer("$1", "'"+session+"'", "$2", "0", "$3", "1000", "$4", "1000000").Replace(sqlEvents), "Seq Scan"},
		{"SELECT n FROM search w WHERE n < 1000000 AND words @@ '''w7'''::tsquery ORDER BY n DESC LIMIT 50", "Seq Scan"},
		{"SELECT n FROM search w WHERE n < 1000000 AND words @@ '''a'''::tsquery ORDER BY n DESC LIMIT 50", "Seq Scan"},
		{"SELECT * FROM v_turns WHERE session = 's7'", "Seq Scan on events"},
		{"SELECT * FROM v_statements WHERE session = 's7'", "Seq Scan on events"},
		{"SELECT * FROM v_tool_calls WHERE session = 's7'", "Seq Scan on events"},
		{"SELECT * FROM v_objectives WHERE session = 's7'", "Seq Scan on events"},
		{"SELECT * FROM v_usage WHERE session = 's7'", "Seq Scan on events"},
		{"SELECT * FROM v_resources WHERE session = 's7'", "Seq Scan on events"},
	} {
		rows, err := conn.Query(t.Context(), "EXPLAIN "+test.query)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
		}
		if text := strings.Join(plan, "\n"); strings.Contains(text, test.without) {
			t.Errorf("%s:\n%s", test.query, text)
		}
	}
}
