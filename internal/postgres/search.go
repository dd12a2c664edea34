package postgres

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/dbschema"
)

const (
	// searchRows and searchBytes bound what is read at once.
	searchRows  = 200
	searchBytes = 4 << 20
)

const (
	// sqlFound yields numbers of events, the greatest first. How that is done
	// best depends on how common the words are, so it is planned each time.
	sqlFound = `SELECT w.n FROM search w%s WHERE w.n < $1::bigint%s ORDER BY w.n DESC LIMIT $2::bigint`

	// sqlNumbered reads events by number, the greatest first. It ends with the
	// one that makes them longer than $2.
	sqlNumbered = `SELECT n, session, seq, e.id, interaction, kind, time, content, data, dir, title FROM (
			SELECT *, sum(octet_length(content) + coalesce(octet_length(data), 0))
				OVER (ORDER BY n DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
			FROM events WHERE n = ANY($1)
		) e JOIN sessions s ON s.id = e.session
		WHERE coalesce(before, 0) < $2 ORDER BY n DESC`
)

// Search implements ikigai.Index.
func (s *Store) Search(ctx context.Context, q ikigai.SearchQuery) iter.Seq2[ikigai.Hit, error] {
	return func(yield func(ikigai.Hit, error) bool) {
		terms, err := dbschema.ParseWords(q.Words)
		if err != nil {
			yield(ikigai.Hit{}, err)
			return
		}
		if !storable(q.Dir, q.Tool, string(q.Session)) {
			return
		}
		f := finder{store: s, query: q, terms: terms, below: math.MaxInt64}
		f.run(ctx, yield)
	}
}

// finder is a search under way.
type finder struct {
	store *Store
	query ikigai.SearchQuery
	terms []dbschema.Term
	below int64 // numbers of events that are still to be looked at
	hits  int
}

func (f *finder) run(ctx context.Context, yield func(ikigai.Hit, error) bool) {
	for {
		rows := searchRows
		if f.query.Limit > 0 && !f.loose() {
			rows = min(rows, f.query.Limit-f.hits)
		}
		chunk, more, err := f.read(ctx, rows)
		if err != nil {
			yield(ikigai.Hit{}, err)
			return
		}
		for _, h := range chunk {
			if !f.fits(h.Event) {
				continue
			}
			f.hits++
			if !yield(h, nil) || f.hits == f.query.Limit {
				return
			}
		}
		if !more {
			return
		}
	}
}

// loose tells that the index finds more than fits: it knows neither the order
// of words nor where a path ends.
func (f *finder) loose() bool {
	for _, t := range f.terms {
		if len(t.Words) > 1 {
			return true
		}
	}
	return f.query.Tool != "" || f.query.File != ""
}

func (f *finder) fits(e ikigai.Event) bool {
	if !f.loose() {
		return true
	}
	found := dbschema.SearchText(e)
	for _, t := range f.terms {
		if !occurs(found.Text, t) {
			return false
		}
	}
	return found.Fits(f.query)
}

// occurs reports whether the words of a term stand next to each other in a text
// of words.
func occurs(text string, t dbschema.Term) bool {
	phrase := " " + strings.Join(t.Words, " ")
	if !t.Prefix {
		phrase += " "
	}
	return strings.Contains(" "+text+" ", phrase)
}

// read returns the next events that the index finds, at most so many, and
// whether there may be more.
func (f *finder) read(ctx context.Context, rows int) (chunk []ikigai.Hit, more bool, err error) {
	err = f.store.do(ctx, "search", func(conn *pgx.Conn) error {
		query, args := f.statement(rows)
		found, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		numbers, err := pgx.CollectRows(found, pgx.RowTo[int64])
		if err != nil || len(numbers) == 0 {
			return err
		}
		chunk, err = f.readEvents(ctx, conn, numbers)
		more = len(numbers) == rows || f.below > numbers[len(numbers)-1]
		return err
	})
	return chunk, more, err
}

// readEvents reads events by number, as far as that is not too much at once. One
// that was removed meanwhile is passed over.
func (f *finder) readEvents(ctx context.Context, conn *pgx.Conn, numbers []int64) ([]ikigai.Hit, error) {
	rows, err := conn.Query(ctx, sqlNumbered, numbers, searchBytes)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var chunk []ikigai.Hit
	size, below := 0, numbers[len(numbers)-1]
	for rows.Next() {
		var (
			h ikigai.Hit
			n int64
		)
		columns := append([]any{&n}, eventColumns(&h.Event)...)
		if err := rows.Scan(append(columns, &h.Dir, &h.Title)...); err != nil {
			return nil, err
		}
		chunk = append(chunk, h)
		if size += len(h.Event.Content) + len(h.Event.Data); size >= searchBytes {
			below = n
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	f.below = below
	return chunk, nil
}

func (f *finder) statement(rows int) (query string, args []any) {
	args = []any{pgx.QueryExecModeExec, f.below, int64(rows)}
	join, where := "", ""
	fit := func(condition string, value any) {
		args = append(args, value)
		where += fmt.Sprintf(" AND "+condition, len(args)-1)
	}
	if words := tsquery(f.query, f.terms); words != "" {
		fit("w.words @@ $%d::text::tsquery", words)
	}
	if f.query.Since != 0 || f.query.Until != 0 {
		join = " JOIN events t ON t.n = w.n"
	}
	if f.query.Since != 0 {
		fit("t.time >= $%[1]d::bigint AND w.n >= (SELECT min(first) FROM search_spans WHERE until >= $%[1]d::bigint)", int64(f.query.Since))
	}
	if f.query.Until != 0 {
		fit("t.time < $%[1]d::bigint AND w.n <= (SELECT max(last) FROM search_spans WHERE since < $%[1]d::bigint)", int64(f.query.Until))
	}
	return fmt.Sprintf(sqlFound, join, where), args
}

// tsquery returns what the index can tell of a search.
func tsquery(q ikigai.SearchQuery, terms []dbschema.Term) string {
	var all []string
	for _, t := range terms {
		for i, word := range t.Words {
			quoted := quoteWord(word)
			if t.Prefix && i == len(t.Words)-1 {
				quoted += ":*"
			}
			all = append(all, quoted)
		}
	}
	if q.Dir != "" {
		all = append(all, quoteWord(markDir+short(q.Dir)))
	}
	if q.Session != "" {
		all = append(all, quoteWord(markSession+short(string(q.Session))))
	}
	if q.Tool != "" {
		all = append(all, quoteWord(markTool+short(q.Tool)))
	}
	for word := range strings.FieldsSeq(dbschema.Fold(q.File)) {
		all = append(all, quoteWord(markFile+word))
	}
	return strings.Join(all, " & ")
}
