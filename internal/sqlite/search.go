package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"iter"
	"math"
	"strings"

	"ikigai"
	"ikigai/internal/dbschema"
)

const (
	sqlHits = `SELECT e.n, e.session, s.dir, s.title, e.seq, e.id, e.interaction, e.kind, e.time, e.content, e.data
	FROM search CROSS JOIN events e ON e.n = search.rowid CROSS JOIN sessions s ON s.id = e.session
	WHERE search.rowid >= ?1 AND search.rowid <= ?2`

	// sqlSpan returns the range of n in which events between two times may lie.
	sqlSpan = `SELECT coalesce(min(first), 0), coalesce(max(last), -1) FROM search_spans WHERE until >= ? AND since < ?`
)

// Hits are read in chunks, for the same reason as events are. The first is
// small, so that it costs little; a search that goes on takes larger ones.
const (
	firstHits = 64
	moreHits  = 512
)

// Search implements ikigai.Index.
func (s *Store) Search(ctx context.Context, q ikigai.SearchQuery) iter.Seq2[ikigai.Hit, error] {
	return func(yield func(ikigai.Hit, error) bool) {
		match, err := matchExpression(q)
		if err != nil {
			yield(ikigai.Hit{}, err)
			return
		}
		search := search{store: s, query: q, match: match}
		if err := search.run(ctx, yield); err != nil {
			yield(ikigai.Hit{}, fail(s.path, "search", err))
		}
	}
}

// search is one that runs.
type search struct {
	store *Store
	query ikigai.SearchQuery
	match string // an expression of FTS5, "" to match everything
	found int
}

// run yields hits until there are no more, or enough.
func (s *search) run(ctx context.Context, yield func(ikigai.Hit, error) bool) error {
	first, last, err := s.span(ctx)
	if err != nil {
		return err
	}
	for size := firstHits; first <= last; size = moreHits {
		var hits []ikigai.Hit
		if hits, last, err = s.chunk(ctx, first, last, s.wanted(size)); err != nil {
			return err
		}
		for _, h := range hits {
			if !yield(h, nil) {
				return nil
			}
			if s.found++; s.found == s.query.Limit {
				return nil
			}
		}
	}
	return nil
}

// wanted returns how many rows to read at once: no more than are still wanted,
// if each of them is a hit.
func (s *search) wanted(size int) int {
	q := s.query
	if q.Limit <= 0 || q.Tool != "" || q.File != "" || q.Since != 0 || q.Until != 0 {
		return size
	}
	return min(size, q.Limit-s.found)
}

// span returns the range of n to search.
func (s *search) span(ctx context.Context) (first, last int64, err error) {
	if s.query.Since == 0 && s.query.Until == 0 {
		return 1, math.MaxInt64, nil
	}
	since, until := int64(s.query.Since), int64(s.query.Until)
	if since == 0 {
		since = math.MinInt64
	}
	if until == 0 {
		until = math.MaxInt64
	}
	err = s.store.readers.row(ctx, sqlSpan, since, until).Scan(&first, &last)
	return first, last, err
}

// chunk reads the hits among the next rows of the index up to last, downwards,
// and returns where to go on: below first if there is nothing left.
func (s *search) chunk(ctx context.Context, first, last int64, rowsAtMost int) ([]ikigai.Hit, int64, error) {
	query, args := sqlHits, []any{first, last, rowsAtMost}
	if s.match != "" {
		query, args = query+" AND search MATCH ?4", append(args, s.match)
	}
	rows, err := s.store.readers.query(ctx, query+" ORDER BY search.rowid DESC LIMIT ?3", args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	var hits []ikigai.Hit
	n, read := int64(0), 0
	for size := 0; rows.Next(); read++ {
		if size >= chunkBytes {
			return hits, n - 1, nil
		}
		h, at, err := scanHit(rows)
		if err != nil {
			return nil, 0, err
		}
		n, size = at, size+len(h.Event.Content)+len(h.Event.Data)
		if s.fits(h) {
			hits = append(hits, h)
		}
	}
	if read < rowsAtMost {
		return hits, first - 1, rows.Err()
	}
	return hits, n - 1, rows.Err()
}

func scanHit(rows *sql.Rows) (h ikigai.Hit, n int64, err error) {
	var r eventRow
	var session string
	if err := rows.Scan(append([]any{&n, &session, &h.Dir, &h.Title}, r.columns()...)...); err != nil {
		return ikigai.Hit{}, 0, err
	}
	h.Event = r.event(ikigai.ID(session))
	return h, n, nil
}

// fits checks what the index knows only roughly.
func (s *search) fits(h ikigai.Hit) bool {
	q := s.query
	switch {
	case q.Since != 0 && h.Event.Time < q.Since, q.Until != 0 && h.Event.Time >= q.Until:
		return false
	case q.Session != "" && h.Event.Session != q.Session, q.Dir != "" && h.Dir != q.Dir:
		return false
	case q.Tool == "" && q.File == "":
		return true
	}
	return dbschema.SearchText(h.Event).Fits(q)
}

// matchExpression returns what q asks for in the language of FTS5.
func matchExpression(q ikigai.SearchQuery) (string, error) {
	terms, err := dbschema.ParseWords(q.Words)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, t := range terms {
		part := phrase("text", strings.Join(t.Words, " "))
		if t.Prefix {
			part += " *"
		}
		parts = append(parts, part)
	}
	for _, filter := range []struct{ column, words string }{
		{"tool", dbschema.Fold(q.Tool)}, {"file", dbschema.Fold(q.File)},
		{"dir", wordFor(q.Dir)}, {"session", wordFor(string(q.Session))},
	} {
		if filter.words != "" {
			parts = append(parts, phrase(filter.column, filter.words))
		}
	}
	return strings.Join(parts, " AND "), nil
}

// phrase returns the expression for words, which hold no quotation mark, next
// to each other in a column.
func phrase(column, words string) string { return column + ` : "` + words + `"` }

// wordFor returns a word that stands for s as a whole, "" for "".
func wordFor(s string) string {
	if s == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
