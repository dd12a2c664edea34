package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/dbschema"
)

const (
	// indexBytes is about the most that one transaction of Catchup reads.
	indexBytes = 4 << 20
	// maxGap is the most numbers of events in a row that are looked for again
	// when they are not there. More than that is no append under way.
	maxGap = 10_000
	// gapTime is how long they are.
	gapTime = 24 * time.Hour
)

// Numbers of events are given out before their append commits, so that one may
// come to be seen after greater ones. Catchup goes on behind the greatest that
// it saw, notes those that were missing, and looks for them each time.
const (
	// The lock keeps two machines from indexing the same. What is lost in a
	// crash of the server is indexed again.
	sqlProgress = `SELECT upto, set_config('synchronous_commit', 'off', true) FROM search_progress FOR UPDATE`

	sqlUnindexed = `SELECT n, session, kind, time, content, data, dir FROM (
			SELECT *, sum(octet_length(content) + coalesce(octet_length(data), 0))
				OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
			FROM (
				(SELECT e.n, e.session, e.kind, e.time, e.content, e.data FROM search_gaps g JOIN events e USING (n) ORDER BY n LIMIT $2)
				UNION ALL
				(SELECT n, session, kind, time, content, data FROM events WHERE n > $1 ORDER BY n LIMIT $2)
				ORDER BY n LIMIT $2
			) next
		) e JOIN sessions s ON s.id = e.session
		WHERE coalesce(before, 0) < $3 ORDER BY n`

	sqlIndex = `INSERT INTO search (n, words) SELECT n, words::tsvector FROM unnest($1::bigint[], $2::text[]) e (n, words)
		ON CONFLICT DO NOTHING`
	sqlProgressed = `UPDATE search_progress SET upto = greatest(upto, $1)`
	sqlNoteSpans  = `INSERT INTO search_spans (first, last, since, until)
		SELECT min(n), max(n), min(time), max(time) FROM unnest($1::bigint[], $2::bigint[]) e (n, time)
		GROUP BY CASE WHEN n <= $3 THEN n ELSE 0 END ON CONFLICT DO NOTHING`
	sqlNoteGaps = `INSERT INTO search_gaps (n, noted) SELECT n, ` + sqlNow + ` FROM unnest($1::bigint[]) n ON CONFLICT DO NOTHING`
	sqlFillGaps = `DELETE FROM search_gaps WHERE n = ANY($1) OR noted < ` + sqlNow + ` - $2`

	sqlLeft = `SELECT greatest(0, coalesce((SELECT max(n) FROM events), 0) - (SELECT upto FROM search_progress))`
)

// Catchup implements ikigai.Index.
func (s *Store) Catchup(ctx context.Context, limit int) (left int64, err error) {
	err = s.do(ctx, "index events", func(conn *pgx.Conn) error {
		if limit > 0 {
			index := func(tx pgx.Tx) error { return indexNext(ctx, tx, limit) }
			if err := pgx.BeginFunc(ctx, conn, index); err != nil {
				return err
			}
		}
		return conn.QueryRow(ctx, sqlLeft).Scan(&left)
	})
	return left, err
}

// entries are rows of the index, as columns, and what they come from.
type entries struct {
	seen  []int64 // numbers of the events that were read
	times []int64 // of these
	n     []int64
	words []string
}

func indexNext(ctx context.Context, tx pgx.Tx, limit int) error {
	var upto int64
	if err := tx.QueryRow(ctx, sqlProgress).Scan(&upto, nil); err != nil {
		return err
	}
	e, err := readEntries(ctx, tx, upto, limit)
	if err != nil || len(e.seen) == 0 {
		return err
	}
	var all pgx.Batch
	all.Queue(sqlIndex, e.n, e.words)
	all.Queue(sqlProgressed, e.seen[len(e.seen)-1])
	all.Queue(sqlNoteSpans, e.seen, e.times, upto) // each that was missing once is a span of its own
	all.Queue(sqlNoteGaps, gaps(upto, e.seen))
	all.Queue(sqlFillGaps, e.seen, gapTime.Microseconds())
	return tx.SendBatch(ctx, &all).Close()
}

func readEntries(ctx context.Context, tx pgx.Tx, upto int64, limit int) (entries, error) {
	var list entries
	rows, err := tx.Query(ctx, sqlUnindexed, upto, limit, indexBytes)
	if err != nil {
		return list, err
	}
	defer rows.Close()
	for rows.Next() {
		var (
			n   int64
			e   ikigai.Event
			dir string
		)
		if err := rows.Scan(&n, (*string)(&e.Session), (*string)(&e.Kind), (*int64)(&e.Time), &e.Content, (*[]byte)(&e.Data), &dir); err != nil {
			return list, err
		}
		list.seen, list.times = append(list.seen, n), append(list.times, int64(e.Time))
		if found := dbschema.SearchText(e); !found.Empty() {
			list.n, list.words = append(list.n, n), append(list.words, vector(found, e.Session, dir))
		}
	}
	return list, rows.Err()
}

// gaps returns the numbers behind upto that are missing from seen, which is
// sorted.
func gaps(upto int64, seen []int64) []int64 {
	missing := []int64{}
	for _, n := range seen {
		if n <= upto {
			continue // it was missing once
		}
		for m := max(upto+1, n-maxGap); m < n; m++ {
			missing = append(missing, m)
		}
		upto = n
	}
	return missing
}

// What an event may be looked for by beside its words. A word has no colon.
const (
	markTool    = "t:"
	markFile    = "f:" // a word of a path
	markDir     = "d:"
	markSession = "s:"
)

// maxVector is the most bytes of words in a tsvector, which can hold 1 MiB.
const maxVector = 1_000_000

// vector returns the text of a tsvector.
func vector(i dbschema.Indexed, session ikigai.ID, dir string) string {
	v := vectorWriter{seen: make(map[string]bool)}
	v.add(markSession + short(string(session)))
	v.add(markDir + short(dir))
	if i.Tool != "" {
		v.add(markTool + short(i.Tool))
	}
	for word := range strings.FieldsSeq(dbschema.Fold(i.File)) {
		v.add(markFile + word)
	}
	for word := range strings.FieldsSeq(i.Text) {
		v.add(word)
	}
	return v.text.String()
}

type vectorWriter struct {
	text strings.Builder
	seen map[string]bool
	size int
}

func (v *vectorWriter) add(word string) {
	if v.seen[word] || v.size+len(word) > maxVector {
		return
	}
	v.seen[word] = true
	v.size += len(word)
	v.text.WriteString(quoteWord(word))
	v.text.WriteByte(' ')
}

// quoteWord returns a word as text of a tsvector or a tsquery has it.
func quoteWord(word string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(word) + "'"
}

// short returns a name of any length as a word: itself, or its hash.
func short(name string) string {
	if len(name) <= 64 {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "#" + hex.EncodeToString(sum[:])
}
