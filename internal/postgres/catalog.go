package postgres

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/dbschema"
)

// Sessions implements ikigai.Catalog. The list is read before its first line
// is yielded, so that a consumer that waits holds no connection.
func (s *Store) Sessions(ctx context.Context, q ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error] {
	return func(yield func(ikigai.SessionInfo, error) bool) {
		list, err := s.listSessions(ctx, q)
		if err != nil {
			yield(ikigai.SessionInfo{}, err)
			return
		}
		for _, info := range list {
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (s *Store) listSessions(ctx context.Context, q ikigai.SessionQuery) (list []ikigai.SessionInfo, err error) {
	if !storable(q.Dir, q.Prefix, string(q.Parent)) {
		return nil, ctx.Err()
	}
	query, args := sessionsQuery(q)
	err = s.do(ctx, "list sessions", func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		list = list[:0]
		for rows.Next() {
			var i ikigai.SessionInfo
			if err := rows.Scan((*string)(&i.ID), &i.Dir, &i.Title, (*int64)(&i.Created), (*int64)(&i.Updated), (*int64)(&i.Events),
				&i.Statements, &i.Size, &i.Cost, (*string)(&i.Parent), (*int64)(&i.Base)); err != nil {
				return err
			}
			if (q.Limit <= 0 || len(list) < q.Limit) && dbschema.TitleFits(i.Title, q.Title) {
				list = append(list, i)
			}
		}
		return rows.Err()
	})
	return list, err
}

// sessionsQuery selects and sorts as q wants, but for the title: which cases
// the database knows depends on its locale.
func sessionsQuery(q ikigai.SessionQuery) (query string, args []any) {
	var where []string
	fit := func(condition string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		where = append(where, condition)
	}
	if q.Dir != "" {
		fit("dir = ?", q.Dir)
	}
	if q.Prefix != "" {
		fit("id >= ? AND id < ?", q.Prefix, q.Prefix+string(utf8.MaxRune))
	}
	if q.Since != 0 {
		fit("updated >= ?", int64(q.Since))
	}
	if q.Until != 0 {
		fit("updated < ?", int64(q.Until))
	}
	if q.Parent != "" {
		fit("parent = ?", string(q.Parent))
	}
	query = "SELECT id, dir, title, created, updated, head, statements, size, cost, coalesce(parent, ''), base FROM sessions"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	query += " ORDER BY " + sessionsOrder(q)
	if q.Limit > 0 && q.Title == "" {
		query += fmt.Sprintf(" LIMIT %d", q.Limit)
	}
	return query, args
}

func sessionsOrder(q ikigai.SessionQuery) string {
	columns := []string{"hour", "updated", "id"} // the index has the hour
	switch q.Order {
	case ikigai.ByCreated:
		columns = []string{"created", "id"}
	case ikigai.ByEvents:
		columns = []string{"head", "id"}
	case ikigai.BySize:
		columns = []string{"size", "id"}
	case ikigai.ByCost:
		columns = []string{"cost", "id"}
	}
	if q.Reversed {
		return strings.Join(columns, ", ")
	}
	return strings.Join(columns, " DESC, ") + " DESC"
}

// storable reports whether texts can stand in a database. It has nothing that is
// named by any other, and takes them for a fault of the program.
func storable(texts ...string) bool {
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			return false
		}
	}
	return true
}
