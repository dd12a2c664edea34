package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"ikigai"
)

// sqlUnsafe finds a function among those that a statement calls that may do more
// than read: a volatile one, but for some that are known, or one that runs
// statements out of a text, or one that reads files.
const sqlUnsafe = `SELECT coalesce(min(proname::text), '') FROM pg_proc WHERE proname = ANY($1::text[]) AND (
	proname ~ '^(query_to_xml|table_to_xml|schema_to_xml|database_to_xml|cursor_to_xml|ts_stat$|ts_rewrite$|set_config$|dblink|lo_|pg_read_|pg_ls_|pg_stat_file)'
	OR provolatile = 'v' AND proname !~ '^(random|random_normal|setseed|clock_timestamp|timeofday|gen_random_uuid|currval|lastval|pg_sleep.*|pg_.*_size|pg_size_.*|txid_.*|pg_current_.*|pg_stat_get_.*)$')`

// Query implements ikigai.Keeper. It uses a connection of its own: whatever the
// statement leaves behind there goes with it.
func (s *Store) Query(ctx context.Context, statement string) iter.Seq2[ikigai.Row, error] {
	return func(yield func(ikigai.Row, error) bool) {
		if err := s.query(ctx, statement, func(r ikigai.Row) bool { return yield(r, nil) }); err != nil {
			yield(ikigai.Row{}, s.fail(ctx, "query", err))
		}
	}
}

func (s *Store) query(ctx context.Context, statement string, yield func(ikigai.Row) bool) error {
	words, err := readStatement(statement)
	if err != nil {
		return err
	}
	if err := s.pool.open(); err != nil {
		return err
	}
	conn, err := s.pool.connect(ctx)
	if err != nil {
		return err
	}
	defer hangUp(conn)
	// Strings end where readStatement believes.
	if _, err := conn.PgConn().Exec(ctx, "BEGIN READ ONLY; SET LOCAL standard_conforming_strings = on").ReadAll(); err != nil {
		return err
	}
	var function string
	if err := conn.QueryRow(ctx, sqlUnsafe, words.calls).Scan(&function); err != nil {
		return err
	}
	if function != "" {
		return refuse("calls the function " + function + ", which may do more than read")
	}
	// With the extended protocol the server takes one statement alone.
	result := conn.PgConn().ExecParams(ctx, statement, nil, nil, nil, nil)
	var names []string
	for result.NextRow() {
		fields := result.FieldDescriptions()
		if names == nil {
			names = columnNames(fields)
		}
		row := ikigai.Row{Columns: names, Values: make([]any, len(fields))}
		for i, text := range result.Values() {
			row.Values[i] = value(fields[i].DataTypeOID, text)
		}
		if !yield(row) {
			return nil
		}
	}
	_, err = result.Close()
	return queryError(err)
}

func columnNames(fields []pgconn.FieldDescription) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// value returns a value that came as text. What has no type of its own in a Row
// stays text.
func value(oid uint32, text []byte) any {
	if text == nil {
		return nil
	}
	s := string(text)
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID:
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
	case pgtype.Float4OID, pgtype.Float8OID:
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return f
		}
	case pgtype.BoolOID:
		return s == "t"
	case pgtype.ByteaOID:
		if b, err := hex.DecodeString(strings.TrimPrefix(s, `\x`)); err == nil {
			return b
		}
	}
	return s
}

func refuse(why string) error {
	return &ikigai.Error{
		Kind: ikigai.ErrorUsage,
		What: "The statement " + why,
		Do:   "Write one statement that only reads: SELECT, WITH, VALUES, TABLE, SHOW or EXPLAIN",
	}
}

// queryError tells faults of the statement from those of the database.
func queryError(err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Code == codeReadOnly, e.Code == "25001":
		return refuse("would change the database")
	case e.Code == "42601" && strings.Contains(e.Message, "multiple commands"):
		return refuse("is more than one")
	case e.Code == "22P05", slices.Contains([]string{"0A", "20", "21", "22", "25", "26", "34", "42", "54"}, e.Code[:2]):
		what := "The statement cannot be run: " + e.Message
		if e.Position > 0 {
			what += fmt.Sprintf(" (at character %d)", e.Position)
		}
		do := "Correct it; the tables and views are described in docs/schema.md"
		if e.Hint != "" {
			do = strings.TrimSuffix(e.Hint, ".")
		}
		return &ikigai.Error{Kind: ikigai.ErrorUsage, What: what, Do: do, Err: err}
	}
	return err
}
