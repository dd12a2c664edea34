package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/pgtest"
	"ikigai/internal/storetest"
)

// durable is a server whose commits reach the disk, for a benchmark.
func durable(b *testing.B) (url string) {
	b.Helper()
	c := pgtest.New(b, pgtest.Options{Durable: true})
	return c.URL(c.Database(b, Migrate))
}

// benchEvent is an event of about 1 KB.
func benchEvent(session ikigai.ID, seq ikigai.Seq) ikigai.Event {
	return ikigai.Event{
		Session: session, Seq: seq, ID: storetest.NewID(), Interaction: ikigai.Main, Kind: ikigai.KindToolResult,
		Time: ikigai.Micros(1_700_000_000_000_000 + int64(seq)), Content: strings.Repeat("content ", 50),
		Data: []byte(`{"tool_call_id":"call_1","output":"` + strings.Repeat("output ", 80) + `"}`),
	}
}

// begin appends the first event of a new session.
func begin(b *testing.B, s *Store) ikigai.Grant {
	b.Helper()
	g, release, err := s.Acquire(context.Background(), storetest.NewID())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = release() })
	if err := s.Append(context.Background(), g, 0, storetest.Session(g.Session, "/src")); err != nil {
		b.Fatal(err)
	}
	return g
}

// bare is what the figures of the store are held against: the same events in
// one table, by a prepared statement, and nothing around.
type bare struct{ *pgx.Conn }

const (
	bareTable  = `CREATE TABLE IF NOT EXISTS bare (session text, seq bigint, id text, interaction text, kind text, time bigint, content text, data text, PRIMARY KEY (session, seq))`
	bareInsert = `INSERT INTO bare VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	bareRead   = `SELECT session, seq, id, interaction, kind, time, content, data FROM bare WHERE session = $1 ORDER BY seq`
)

func openBare(b *testing.B, url string) bare {
	b.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close(context.Background()) })
	return bare{conn}
}

func (c bare) insert(b *testing.B, e ikigai.Event) {
	if _, err := c.Exec(context.Background(), bareInsert, string(e.Session), int64(e.Seq), string(e.ID), e.Interaction, string(e.Kind),
		int64(e.Time), e.Content, string(e.Data)); err != nil {
		b.Error(err)
	}
}

// compare times a and b, which do the same number of things, in turn: what else
// the machine does meanwhile slows both down. The metric "ratio" is the median
// of a's times by that of b's.
func compare(b *testing.B, things int, names [2]string, does ...func()) {
	b.Helper()
	times := make([][]float64, 2)
	for b.Loop() {
		for i, do := range does {
			start := time.Now()
			do()
			times[i] = append(times[i], float64(time.Since(start).Microseconds())/float64(things))
		}
	}
	for i, name := range names {
		slices.Sort(times[i])
		b.ReportMetric(times[i][len(times[i])/2], name+"-µs")
	}
	b.ReportMetric(times[0][len(times[0])/2]/times[1][len(times[1])/2], "ratio")
}

// bareWriter inserts events into a bare table, one at each call.
func bareWriter(b *testing.B, url string) func() {
	c := openBare(b, url)
	if _, err := c.Exec(context.Background(), bareTable); err != nil {
		b.Fatal(err)
	}
	session, seq := storetest.NewID(), ikigai.Seq(0)
	return func() {
		seq++
		c.insert(b, benchEvent(session, seq))
	}
}

// storeWriter appends n events at each call.
func storeWriter(b *testing.B, url string, n ikigai.Seq) func() {
	s := openAt(b, url)
	g, after := begin(b, s), ikigai.Seq(1)
	return func() {
		events := make([]ikigai.Event, n)
		for i := range events {
			events[i] = benchEvent(g.Session, after+1+ikigai.Seq(i))
		}
		if err := s.Append(context.Background(), g, after, events...); err != nil {
			b.Error(err)
		}
		after += n
	}
}

// An append of one event beside a bare insert of one: the ratio is to be at most
// 1.5.
func BenchmarkAppend(b *testing.B) {
	url := durable(b)
	compare(b, 1, [2]string{"store", "bare"}, storeWriter(b, url, 1), bareWriter(b, url))
}

// BenchmarkAppendMany has each append bring 100 events.
func BenchmarkAppendMany(b *testing.B) {
	url := durable(b)
	bare := bareWriter(b, url)
	compare(b, 100, [2]string{"store", "bare"}, storeWriter(b, url, 100), func() {
		for range 100 {
			bare()
		}
	})
}

// 8 writers append to a session each, beside 8 that insert into a bare table: the
// ratio is to be at most 1.25.
func BenchmarkWriters(b *testing.B) {
	const writers, times = 8, 200
	url := durable(b)
	eight := func(writer func() func()) func() {
		var writes []func()
		for range writers {
			writes = append(writes, writer())
		}
		return func() {
			var all sync.WaitGroup
			for _, write := range writes {
				all.Go(func() {
					for range times {
						write()
					}
				})
			}
			all.Wait()
		}
	}
	compare(b, writers*times, [2]string{"store", "bare"},
		eight(func() func() { return storeWriter(b, url, 1) }), eight(func() func() { return bareWriter(b, url) }))
}

// BenchmarkRestore reads a session of 10,000 events, beside its bare rows.
func BenchmarkRestore(b *testing.B) {
	const events = 10_000
	url := durable(b)
	s := openAt(b, url)
	g := begin(b, s)
	for after := ikigai.Seq(1); after < events; after += 1000 {
		chunk := make([]ikigai.Event, min(1000, events-after))
		for i := range chunk {
			chunk[i] = benchEvent(g.Session, after+1+ikigai.Seq(i))
		}
		if err := s.Append(b.Context(), g, after, chunk...); err != nil {
			b.Fatal(err)
		}
	}
	c := openBare(b, url)
	query := strings.Replace(bareRead, "bare", "events", 1)
	compare(b, 1, [2]string{"store", "bare"}, func() {
		n := 0
		for _, err := range s.Events(context.Background(), g.Session, 0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != events {
			b.Fatal(n)
		}
	}, func() {
		rows, err := c.Query(context.Background(), query, string(g.Session))
		if err != nil {
			b.Fatal(err)
		}
		if n := count(b, rows); n != events {
			b.Fatal(n)
		}
	})
}

// BenchmarkSearch looks for the newest 50 events with a word, of 100,000 with
// some 150 words each: one word is in each of them, one in a hundredth, one in
// ten.
func BenchmarkSearch(b *testing.B) {
	const events = 100_000
	url := durable(b)
	s := openAt(b, url)
	g := begin(b, s)
	random := rand.New(rand.NewPCG(1, 2))
	for after := ikigai.Seq(1); after < events; after += 1000 {
		chunk := make([]ikigai.Event, min(1000, events-after))
		for i := range chunk {
			chunk[i] = searchEvent(g.Session, after+1+ikigai.Seq(i), random)
		}
		if err := s.Append(b.Context(), g, after, chunk...); err != nil {
			b.Fatal(err)
		}
	}
	for left := int64(1); left > 0; {
		var err error
		if left, err = s.Catchup(b.Context(), 1000); err != nil {
			b.Fatal(err)
		}
	}
	c := openBare(b, url)
	if _, err := c.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
		b.Fatal(err)
	}
	bare := func(word string) func() {
		return func() {
			rows, err := c.Query(context.Background(), `SELECT session, seq, id, interaction, kind, time, content, data
				FROM (SELECT n FROM search WHERE words @@ $1::text::tsquery ORDER BY n DESC LIMIT 50) f JOIN events USING (n)
				ORDER BY n DESC`, pgx.QueryExecModeExec, "'"+word+"'")
			if err != nil {
				b.Fatal(err)
			}
			if n := count(b, rows); n < 10 {
				b.Fatal(n)
			}
		}
	}
	store := func(word string) func() {
		return func() {
			n := 0
			for _, err := range s.Search(context.Background(), ikigai.SearchQuery{Words: word, Limit: 50}) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n < 10 {
				b.Fatal(n)
			}
		}
	}
	for _, word := range []string{"everywhere", "hundredth", "ten"} {
		b.Run(word, func(b *testing.B) { compare(b, 1, [2]string{"store", "bare"}, store(word), bare(word)) })
	}
}

// count reads rows of events and returns their number.
func count(b *testing.B, rows pgx.Rows) int {
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var e ikigai.Event
		if err := rows.Scan(eventColumns(&e)...); err != nil {
			b.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return n
}

func searchEvent(session ikigai.ID, seq ikigai.Seq, random *rand.Rand) ikigai.Event {
	text := []string{"everywhere"}
	for range 150 {
		text = append(text, fmt.Sprintf("w%d", int(random.ExpFloat64()*1000)))
	}
	if seq%100 == 0 {
		text = append(text, "hundredth")
	}
	if seq%10_000 == 0 {
		text = append(text, "ten")
	}
	return storetest.Event(session, seq, ikigai.KindAssistant, strings.Join(text, " "), nil)
}

// BenchmarkOpen opens and closes a store, beside a bare connection.
func BenchmarkOpen(b *testing.B) {
	url := durable(b)
	begin(b, openAt(b, url))
	compare(b, 1, [2]string{"store", "bare"}, func() {
		s, err := Open(context.Background(), url)
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}, func() {
		conn, err := pgx.Connect(context.Background(), url)
		if err != nil {
			b.Fatal(err)
		}
		_ = conn.Close(context.Background())
	})
}
