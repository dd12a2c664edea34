package main

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"

	"ikigai"
	"ikigai/internal/sqlite"
)

// sqliteEngine keeps each store in a file of a directory.
type sqliteEngine struct{ dir string }

func newSQLite(dir string) engine {
	check(os.MkdirAll(dir, 0o700))
	return &sqliteEngine{dir}
}

func (e *sqliteEngine) name() string             { return "SQLite" }
func (e *sqliteEngine) where() string            { return e.dir }
func (e *sqliteEngine) close()                   {}
func (e *sqliteEngine) file(place string) string { return filepath.Join(e.dir, place+".db") }

func (e *sqliteEngine) open(ctx context.Context, place string) (ikigai.Store, error) {
	return sqlite.Open(ctx, e.file(place))
}

func (e *sqliteEngine) size(ctx context.Context, place string) (all, index int64) {
	// What lies in the write-ahead log is in the file, or will be: it is not
	// counted twice.
	db, err := sql.Open("sqlite", "file:"+e.file(place))
	check(err)
	_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	check(err)
	check(db.Close())
	s, err := sqlite.Open(ctx, e.file(place))
	check(err)
	defer s.Close()
	h, err := s.Check(ctx)
	check(err)
	return h.Bytes, h.Index
}

func (e *sqliteEngine) bare(_ context.Context, place string) (bareTable, error) {
	db, err := sql.Open("sqlite", "file:"+e.file(place)+"?_txlock=immediate&_pragma=busy_timeout(30000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE IF NOT EXISTS events (session TEXT, seq INTEGER, id TEXT, interaction TEXT, kind TEXT,
		time INTEGER, content TEXT, data TEXT, PRIMARY KEY (session, seq))`)
	if err != nil {
		return nil, err
	}
	put, err := db.Prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
	return &bareSQLite{db, put}, err
}

type bareSQLite struct {
	db  *sql.DB
	put *sql.Stmt
}

func (b *bareSQLite) close() { check(b.db.Close()) }

func (b *bareSQLite) insert(ctx context.Context, e ikigai.Event) error {
	_, err := b.put.ExecContext(ctx, string(e.Session), int64(e.Seq), string(e.ID), e.Interaction, string(e.Kind), int64(e.Time),
		e.Content, string(e.Data))
	return err
}

func (b *bareSQLite) read(ctx context.Context, session ikigai.ID) (int, error) {
	return drain(b.db.QueryContext(ctx, "SELECT session, seq, id, interaction, kind, time, content, data FROM events WHERE session = ? ORDER BY seq",
		string(session)))
}

func (e *sqliteEngine) index(ctx context.Context, place string) (func(string) (int, error), func()) {
	db, err := sql.Open("sqlite", "file:"+e.file(place)+"?mode=ro")
	check(err)
	search := func(word string) (int, error) {
		return drain(db.QueryContext(ctx, `SELECT e.session, e.seq, e.id, e.interaction, e.kind, e.time, e.content, e.data
			FROM (SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT 50) f JOIN events e ON e.n = f.rowid`, word))
	}
	return search, func() { check(db.Close()) }
}

// drain reads rows of the columns of an event.
func drain(rows *sql.Rows, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var session, id, interaction, kind, content string
		var seq, time int64
		var data any
		if err := rows.Scan(&session, &seq, &id, &interaction, &kind, &time, &content, &data); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}
