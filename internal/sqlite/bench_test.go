package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"ikigai"
	"ikigai/internal/storetest"
)

// payload is an event of about 1 KB.
var payload = struct{ content, data string }{
	content: strings.Repeat("content ", 50),
	data:    `{"tool_call_id":"call_1","output":"` + strings.Repeat("output ", 80) + `"}`,
}

func benchEvent(session ikigai.ID, seq ikigai.Seq) ikigai.Event {
	return ikigai.Event{
		Session: session, Seq: seq, ID: newID(), Interaction: ikigai.Main, Kind: ikigai.KindToolResult,
		Time: ikigai.Micros(1_700_000_000_000_000 + int64(seq)), Content: payload.content, Data: []byte(payload.data),
	}
}

func newID() ikigai.ID { return ikigai.ID(uuid.Must(uuid.NewV7()).String()) }

// bareDB is what the figures of the store are held against: the same events
// in one table, with the same settings and nothing around.
func bareDB(b *testing.B) *sql.DB {
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE events (session TEXT, seq INTEGER, id TEXT, interaction TEXT, kind TEXT,
		time INTEGER, content TEXT, data TEXT, PRIMARY KEY (session, seq))`); err != nil {
		b.Fatal(err)
	}
	return db
}

// bareDBs returns n connections to one file.
func bareDBs(b *testing.B, n int) (dbs []*sql.DB) {
	first := bareDB(b)
	var path string
	if err := first.QueryRow("SELECT file FROM pragma_database_list").Scan(&path); err != nil {
		b.Fatal(err)
	}
	for range n {
		db := openPool(path, 1, "&_pragma=busy_timeout(10000)")
		b.Cleanup(func() { db.Close() })
		dbs = append(dbs, db)
	}
	return dbs
}

func bareTransaction(b *testing.B, db *sql.DB, e ikigai.Event) {
	tx, err := db.Begin() // immediate, as openPool says
	if err != nil {
		b.Error(err)
		return
	}
	_, err = tx.Exec("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", string(e.Session), int64(e.Seq), string(e.ID),
		e.Interaction, string(e.Kind), int64(e.Time), e.Content, string(e.Data))
	if err = errors.Join(err, tx.Commit()); err != nil {
		b.Error(err)
	}
}

func bareInsert(b *testing.B, s *sql.Stmt, e ikigai.Event) {
	if _, err := s.Exec(string(e.Session), int64(e.Seq), string(e.ID), e.Interaction, string(e.Kind), int64(e.Time),
		e.Content, string(e.Data)); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkAppend(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		db := bareDB(b)
		s, err := db.Prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
		if err != nil {
			b.Fatal(err)
		}
		session, seq := newID(), ikigai.Seq(0)
		for b.Loop() {
			seq++
			bareInsert(b, s, benchEvent(session, seq))
		}
	})
	for _, n := range []int{1, 4} {
		b.Run(fmt.Sprintf("store/%d", n), func(b *testing.B) {
			s := openStore(b)
			g, after := begin(b, s)
			ctx := context.Background()
			for b.Loop() {
				events := make([]ikigai.Event, n)
				for i := range events {
					events[i] = benchEvent(g.Session, after+1+ikigai.Seq(i))
				}
				if err := s.Append(ctx, g, after, events...); err != nil {
					b.Fatal(err)
				}
				after += ikigai.Seq(n)
			}
		})
	}
}

// BenchmarkWriters has 8 goroutines write, each to a session of its own: through
// one store, and through a store each as 8 processes would. bare is the same
// inserts with the same discipline: a transaction that takes the lock at once,
// and SQLite's own waiting for it.
func BenchmarkWriters(b *testing.B) {
	parallel := func(b *testing.B, body func(i int, next func() bool)) {
		b.SetParallelism(max(1, 8/runtime.GOMAXPROCS(0)))
		var i atomic.Int64
		b.RunParallel(func(pb *testing.PB) { body(int(i.Add(1)-1)%8, pb.Next) })
	}
	for _, connections := range []int{1, 8} {
		b.Run(fmt.Sprintf("bare/connections=%d", connections), func(b *testing.B) {
			dbs := bareDBs(b, connections)
			parallel(b, func(i int, next func() bool) {
				db := dbs[i%connections]
				session, seq := newID(), ikigai.Seq(0)
				for next() {
					seq++
					bareTransaction(b, db, benchEvent(session, seq))
				}
			})
		})
		b.Run(fmt.Sprintf("store/connections=%d", connections), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "ikigai.db")
			var stores []*Store
			for range connections {
				stores = append(stores, openAt(b, path))
			}
			parallel(b, func(i int, next func() bool) {
				s := stores[i%connections]
				g, after := begin(b, s)
				for next() {
					after++
					if err := s.Append(context.Background(), g, after-1, benchEvent(g.Session, after)); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

func openStore(b *testing.B) *Store {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "ikigai.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

// begin appends the first event of a new session.
func begin(b *testing.B, s *Store) (ikigai.Grant, ikigai.Seq) {
	g, release, err := s.Acquire(b.Context(), newID())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { release() })
	e := benchEvent(g.Session, 1)
	e.Kind, e.Data = ikigai.KindSession, []byte(`{"dir":"/src"}`)
	if err := s.Append(b.Context(), g, 0, e); err != nil {
		b.Fatal(err)
	}
	return g, 1
}

const rowsToRead = 100_000

func BenchmarkRead100k(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		db := bareDB(b)
		tx, err := db.Begin()
		if err != nil {
			b.Fatal(err)
		}
		s, err := tx.Prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
		if err != nil {
			b.Fatal(err)
		}
		session := newID()
		for i := range rowsToRead {
			bareInsert(b, s, benchEvent(session, ikigai.Seq(i+1)))
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			rows, err := db.Query("SELECT seq, id, interaction, kind, time, content, data FROM events WHERE session = ? ORDER BY seq", string(session))
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for rows.Next() {
				var seq, time int64
				var id, interaction, kind, content, data string
				if err := rows.Scan(&seq, &id, &interaction, &kind, &time, &content, &data); err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != rowsToRead {
				b.Fatal(n)
			}
		}
	})
	b.Run("store", func(b *testing.B) {
		s := openStore(b)
		g, after := begin(b, s)
		for after < rowsToRead {
			events := make([]ikigai.Event, min(1000, rowsToRead-after))
			for i := range events {
				events[i] = benchEvent(g.Session, after+1+ikigai.Seq(i))
			}
			if err := s.Append(b.Context(), g, after, events...); err != nil {
				b.Fatal(err)
			}
			after += ikigai.Seq(len(events))
		}
		for b.Loop() {
			n := 0
			for _, err := range s.Events(b.Context(), g.Session, 0) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != rowsToRead {
				b.Fatal(n)
			}
		}
	})
}

func BenchmarkOpenExisting(b *testing.B) {
	path := filepath.Join(b.TempDir(), "ikigai.db")
	s, err := Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	begin(b, s)
	s.Close()
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s, err := Open(b.Context(), path)
			if err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			s.Close()
			b.StartTimer()
		}
	})
	b.Run("open+close", func(b *testing.B) {
		for b.Loop() {
			s, err := Open(b.Context(), path)
			if err != nil {
				b.Fatal(err)
			}
			s.Close()
		}
	})
	b.Run("open+append+close", func(b *testing.B) {
		for b.Loop() {
			s, err := Open(b.Context(), path)
			if err != nil {
				b.Fatal(err)
			}
			begin(b, s)
			s.Close()
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				b.Fatal(err)
			}
			var version int
			if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			db.Close()
			b.StartTimer()
		}
	})
}

// BenchmarkNewest opens the newest session of many, and of a store that holds
// that session alone.
func BenchmarkNewest(b *testing.B) {
	for _, sessions := range []int{1, 10_000} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			s := openStore(b)
			for range sessions - 1 {
				fill(b, s, 10)
			}
			fill(b, s, 100)
			path := s.Path()
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				s := openAt(b, path)
				n := 0
				for info, err := range s.Sessions(b.Context(), ikigai.SessionQuery{Limit: 1}) {
					if err != nil {
						b.Fatal(err)
					}
					for _, err := range s.Events(b.Context(), info.ID, 0) {
						if err != nil {
							b.Fatal(err)
						}
						n++
					}
				}
				if n != 100 {
					b.Fatalf("%d events", n)
				}
				b.StopTimer()
				_ = s.Close()
				b.StartTimer()
			}
		})
	}
}

// fill appends a session of n events, every tenth with a word of its own.
func fill(b *testing.B, s *Store, n int) {
	session := newID()
	events := make([]ikigai.Event, n)
	for i := range events {
		events[i] = benchEvent(session, ikigai.Seq(i+1))
		if i%10 == 1 {
			events[i].Kind, events[i].Content = ikigai.KindUser, "a rare word among content"
		}
	}
	events[0].Kind, events[0].Data = ikigai.KindSession, []byte(`{"dir":"/src"}`)
	if err := s.Append(b.Context(), ikigai.Grant{Session: session, Fence: 1}, 0, events...); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSearch asks for the newest 50 hits, beside the query of the index
// alone and the query with the events it finds.
func BenchmarkSearch(b *testing.B) {
	s := openStore(b)
	for range 1000 {
		fill(b, s, 100)
	}
	b.Run("catch up", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Catchup(b.Context(), 1000); err != nil {
				b.Fatal(err)
			}
		}
	})
	if left, err := s.Catchup(b.Context(), 1_000_000); err != nil || left > 0 {
		b.Fatal(left, err)
	}
	const index = "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid DESC LIMIT 50"
	for name, words := range map[string]string{"common": "content", "rare": "rare", "two": "rare content", "phrase": `"rare word"`} {
		match, err := matchExpression(ikigai.SearchQuery{Words: words})
		if err != nil {
			b.Fatal(err)
		}
		for kind, query := range map[string]string{
			"index": index,
			"bare":  "SELECT session, seq, id, interaction, kind, time, content, data FROM events WHERE n IN (" + index + ")",
		} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				for b.Loop() {
					if n := count(b, s.readers.DB, query, match); n != 50 {
						b.Fatalf("%d rows", n)
					}
				}
			})
		}
		b.Run(name+"/store", func(b *testing.B) {
			for b.Loop() {
				n := 0
				for _, err := range s.Search(b.Context(), ikigai.SearchQuery{Words: words, Limit: 50}) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != 50 {
					b.Fatalf("%d hits", n)
				}
			}
		})
	}
}

// count reads all rows of a query, with their columns.
func count(b *testing.B, db *sql.DB, query string, args ...any) (n int) {
	rows, err := db.Query(query, args...)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		b.Fatal(err)
	}
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(sql.RawBytes)
	}
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			b.Fatal(err)
		}
		n++
	}
	return n
}

// BenchmarkDelta stores small edits of a text of 100 KB, as pre-images are.
func BenchmarkDelta(b *testing.B) {
	s := openStore(b)
	g, after := begin(b, s)
	text := []byte(strings.Repeat("a line of the text that is edited, with words\n", 2200))
	var last string
	for i := 0; b.Loop(); i++ {
		copy(text[i*37%len(text):], "edit")
		blob := storetest.Blob(append([]byte{}, text...))
		blob.Like, last = last, blob.Hash
		e := benchEvent(g.Session, after+1)
		e.Blobs = []ikigai.Blob{blob}
		if err := s.Append(b.Context(), g, after, e); err != nil {
			b.Fatal(err)
		}
		after++
	}
}
