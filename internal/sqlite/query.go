package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"ikigai"
)

// Query implements ikigai.Keeper. The statement runs on a connection of its own
// that cannot write, whatever it holds; that it is one statement that reads is
// checked before, so that the answer says what is wrong.
func (s *Store) Query(ctx context.Context, statement string) iter.Seq2[ikigai.Row, error] {
	return func(yield func(ikigai.Row, error) bool) {
		err := checkReads(statement)
		if err == nil {
			err = s.query(ctx, statement, yield)
		}
		if err != nil {
			yield(ikigai.Row{}, err)
		}
	}
}

func (s *Store) query(ctx context.Context, statement string, yield func(ikigai.Row, error) bool) error {
	if err := s.sameFile(); err != nil {
		return err
	}
	db := openReadOnly(s.path)
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return s.queryError(ctx, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return s.queryError(ctx, err)
	}
	for rows.Next() {
		row, err := scanRow(rows, columns)
		if err != nil {
			return s.queryError(ctx, err)
		}
		if !yield(row, nil) {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return s.queryError(ctx, err)
	}
	return nil
}

func scanRow(rows *sql.Rows, columns []string) (ikigai.Row, error) {
	values := make([]any, len(columns))
	places := make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	if err := rows.Scan(places...); err != nil {
		return ikigai.Row{}, err
	}
	for i, v := range values {
		switch v := v.(type) {
		case nil, int64, float64, bool, string, []byte:
		case time.Time: // what the driver makes of a column that says it holds one
			values[i] = v.Format(time.RFC3339Nano)
		default:
			values[i] = fmt.Sprint(v)
		}
	}
	return ikigai.Row{Columns: columns, Values: values}, nil
}

// queryError tells a mistake in the statement from trouble with the database.
func (s *Store) queryError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("query: %w", ctx.Err())
	}
	switch code(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH:
		return notReading("The statement would change the database")
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_RANGE, 0:
		reason := strings.TrimPrefix(err.Error(), "SQL logic error: ")
		reason, _, _ = strings.Cut(reason, " (")
		return &ikigai.Error{
			Kind: ikigai.ErrorUsage, Err: err,
			What: "The statement cannot be run: " + reason,
			Do:   "Correct it; `select name, sql from sqlite_schema` lists the tables and views",
		}
	}
	return fail(s.path, "query", err)
}

func notReading(what string) error {
	return &ikigai.Error{
		Kind: ikigai.ErrorUsage,
		What: what,
		Do:   "Give one statement that begins with SELECT, WITH, VALUES or EXPLAIN",
	}
}

// checkReads returns an error unless statement is one that reads.
func checkReads(statement string) error {
	if strings.IndexByte(statement, 0) >= 0 {
		return notReading("The statement holds a NUL character") // SQLite would stop there
	}
	first := skipBlank(statement)
	switch word := leadingWord(first); strings.ToUpper(word) {
	case "SELECT", "WITH", "VALUES", "EXPLAIN":
	case "":
		return notReading("There is no statement")
	default:
		return notReading(fmt.Sprintf("A statement that begins with %s is not run", word))
	}
	if skipBlank(afterStatement(first)) != "" {
		return notReading("There is more than one statement")
	}
	return nil
}

// leadingWord returns the letters that s begins with, or else its first
// character.
func leadingWord(s string) string {
	end := 0
	for end < len(s) && ('a' <= s[end]|0x20 && s[end]|0x20 <= 'z') {
		end++
	}
	if end == 0 {
		for _, r := range s {
			return string(r)
		}
	}
	return s[:end]
}

// skipBlank returns s behind white space and comments.
func skipBlank(s string) string {
	for {
		t := strings.TrimLeft(s, " \t\n\r\f\ufeff")
		if n := commentLen(t); n > 0 {
			t = t[n:]
		}
		if len(t) == len(s) {
			return s
		}
		s = t
	}
}

// commentLen returns the length of the comment that s begins with, or 0.
func commentLen(s string) int {
	open, end := "--", "\n"
	if strings.HasPrefix(s, "/*") {
		open, end = "/*", "*/"
	}
	if !strings.HasPrefix(s, open) {
		return 0
	}
	if i := strings.Index(s[len(open):], end); i >= 0 {
		return len(open) + i + len(end)
	}
	return len(s)
}

// afterStatement returns what follows the first semicolon of s that is no part
// of a name, a text or a comment.
func afterStatement(s string) string {
	for s != "" {
		switch n := commentLen(s); {
		case n > 0:
			s = s[n:]
		case s[0] == ';':
			return s[1:]
		case strings.ContainsRune("'\"`[", rune(s[0])):
			s = afterQuoted(s)
		default:
			s = s[1:]
		}
	}
	return ""
}

// afterQuoted returns what follows the quoted run that s begins with. A doubled
// quotation mark inside looks like two runs, which comes to the same.
func afterQuoted(s string) string {
	end := s[:1]
	if end == "[" {
		end = "]"
	}
	_, rest, _ := strings.Cut(s[1:], end)
	return rest
}
