package sqlite

import (
	"context"
	"iter"
	"strings"
	"unicode/utf8"

	"ikigai"
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
	for rows.Next() {
		var i ikigai.SessionInfo
		if err := rows.Scan(&i.ID, &i.Dir, &i.Title, &i.Created, &i.Updated, &i.Events, &i.Statements); err != nil {
			return nil, err
		}
		list = append(list, i)
	}
	return list, rows.Err()
}

func sessionsQuery(q ikigai.SessionQuery) (query string, args []any) {
	var where []string
	if q.Dir != "" {
		where, args = append(where, "dir = ?"), append(args, q.Dir)
	}
	if q.Prefix != "" {
		where = append(where, "id >= ? AND id < ?")
		args = append(args, q.Prefix, q.Prefix+string(utf8.MaxRune))
	}
	query = "SELECT id, dir, title, created, updated, head, statements FROM sessions"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	query += " ORDER BY updated DESC, id DESC"
	if q.Limit > 0 {
		query, args = query+" LIMIT ?", append(args, q.Limit)
	}
	return query, args
}
