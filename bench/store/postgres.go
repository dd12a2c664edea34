package main

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"ikigai"
	"ikigai/internal/pgtest"
	"ikigai/internal/postgres"
)

// postgresEngine keeps each store in a database of a server of its own, whose
// commits reach the disk.
type postgresEngine struct {
	cluster *pgtest.Cluster // nil in the programs that it starts
	addr    string
}

func newPostgres() engine {
	c, err := pgtest.Create(pgtest.Options{Durable: true})
	check(err)
	return &postgresEngine{c, c.Addr()}
}

func (e *postgresEngine) name() string  { return "PostgreSQL" }
func (e *postgresEngine) where() string { return e.addr }

func (e *postgresEngine) close() {
	if e.cluster != nil {
		e.cluster.Remove()
	}
}

func (e *postgresEngine) url(place string) string { return pgtest.URL(place, e.addr) }

func (e *postgresEngine) open(ctx context.Context, place string) (ikigai.Store, error) {
	e.create(ctx, place)
	return postgres.Open(ctx, e.url(place))
}

// create makes the database of that name unless there is one.
func (e *postgresEngine) create(ctx context.Context, place string) {
	db := e.connect(ctx, "postgres")
	defer func() { check(db.Close(ctx)) }()
	_, err := db.Exec(ctx, "CREATE DATABASE "+place)
	if err != nil && !strings.Contains(err.Error(), "already exists") {
		check(err)
	}
}

func (e *postgresEngine) connect(ctx context.Context, place string) *pgx.Conn {
	db, err := pgx.Connect(ctx, e.url(place))
	check(err)
	return db
}

func (e *postgresEngine) size(ctx context.Context, place string) (all, index int64) {
	s, err := postgres.Open(ctx, e.url(place))
	check(err)
	defer s.Close()
	h, err := s.Check(ctx)
	check(err)
	return h.Bytes, h.Index
}

func (e *postgresEngine) bare(ctx context.Context, place string) (bareTable, error) {
	e.create(ctx, place)
	db := e.connect(ctx, place)
	if _, err := db.Exec(ctx, `CREATE TABLE IF NOT EXISTS events (session text, seq bigint, id text, interaction text, kind text,
		time bigint, content text, data text, PRIMARY KEY (session, seq))`); err != nil {
		return nil, err
	}
	_, err := db.Prepare(ctx, "put", "INSERT INTO events VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
	return &barePostgres{db}, err
}

type barePostgres struct{ db *pgx.Conn }

func (b *barePostgres) close() { check(b.db.Close(context.Background())) }

func (b *barePostgres) insert(ctx context.Context, e ikigai.Event) error {
	_, err := b.db.Exec(ctx, "put", string(e.Session), int64(e.Seq), string(e.ID), e.Interaction, string(e.Kind), int64(e.Time),
		e.Content, string(e.Data))
	return err
}

func (b *barePostgres) read(ctx context.Context, session ikigai.ID) (int, error) {
	return drainPostgres(b.db.Query(ctx, "SELECT session, seq, id, interaction, kind, time, content, data FROM events WHERE session = $1 ORDER BY seq",
		string(session)))
}

func (e *postgresEngine) index(ctx context.Context, place string) (func(string) (int, error), func()) {
	db := e.connect(ctx, place)
	search := func(word string) (int, error) {
		return drainPostgres(db.Query(ctx, `SELECT session, seq, id, interaction, kind, time, content, data
			FROM (SELECT n FROM search WHERE words @@ $1::text::tsquery ORDER BY n DESC LIMIT 50) f JOIN events USING (n) ORDER BY n DESC`,
			"'"+word+"'"))
	}
	return search, func() { check(db.Close(ctx)) }
}

// drainPostgres reads rows of the columns of an event.
func drainPostgres(rows pgx.Rows, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var session, id, interaction, kind, content string
		var seq, time int64
		var data *string
		if err := rows.Scan(&session, &seq, &id, &interaction, &kind, &time, &content, &data); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}
