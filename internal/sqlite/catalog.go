package sqlite

import (
	"context"
	"iter"
	"strings"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/dbschema"
)

// Sessions implements ikigai.Catalog. The list is read before its first line
// is yielded, so that a consumer that waits holds no read open.
func (s *Store) Sessions(ctx context.Context, q ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error] {
	return func(yield func(ikigai.SessionInfo, error) bool) {
		list, err := s.listSessions(ctx, q)
		if err != nil {
			yield(ikigai.SessionInfo{}, fail(s.path, "list sessions", err))
			return
		}
		for _, info := range list {
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (s *Store) listSessions(ctx context.Context, q ikigai.SessionQuery) ([]ikigai.SessionInfo, error) {
	query, args := sessionsQuery(q)
	rows, err := s.readers.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []ikigai.SessionInfo
	for rows.Next() && (q.Limit <= 0 || len(list) < q.Limit) {
		var i ikigai.SessionInfo
		if err := rows.Scan(&i.ID, &i.Dir, &i.Title, &i.Created, &i.Updated, &i.Events, &i.Statements, &i.Size, &i.Cost,
			&i.Parent, &i.Base); err != nil {
			return nil, err
		}
		if dbschema.TitleFits(i.Title, q.Title) {
			list = append(list, i)
		}
	}
	return list, rows.Err()
}

// sessionsQuery selects and sorts as q wants, but for the title: SQLite knows
// the cases of ASCII alone.
func sessionsQuery(q ikigai.SessionQuery) (query string, args []any) {
	var where []string
	fit := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
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
		query, args = query+" LIMIT ?", append(args, q.Limit)
	}
	return query, args
}

func sessionsOrder(q ikigai.SessionQuery) string {
	column := "updated"
	switch q.Order {
	case ikigai.ByCreated:
		column = "created"
	case ikigai.ByEvents:
		column = "head"
	case ikigai.BySize:
		column = "size"
	case ikigai.ByCost:
		column = "cost"
	}
	if q.Reversed {
		return column + ", id"
	}
	return column + " DESC, id DESC"
}
