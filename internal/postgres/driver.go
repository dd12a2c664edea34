package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"

	"github.com/jackc/pgx/v5"
)

// connector lets goose, which speaks to a *sql.DB, use a connection of pgx. It
// has what migrations need and no more: pgx's own adapter would link a pool
// that nothing else here uses.
type connector struct{ config *pgx.ConnConfig }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, err
	}
	return sqlConn{conn}, nil
}

func (c connector) Driver() driver.Driver { return noDriver{} }

type noDriver struct{}

func (noDriver) Open(string) (driver.Conn, error) { return nil, errors.ErrUnsupported }

type sqlConn struct{ *pgx.Conn }

var (
	_ driver.ExecerContext  = sqlConn{}
	_ driver.QueryerContext = sqlConn{}
	_ driver.ConnBeginTx    = sqlConn{}
)

func (c sqlConn) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (c sqlConn) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }

func (c sqlConn) Close() error {
	hangUp(c.Conn)
	return nil
}

func (c sqlConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return sqlTx{ctx, tx}, nil
}

// sqlTx ends within the context that it began with, for want of another.
type sqlTx struct {
	ctx context.Context
	tx  pgx.Tx
}

func (t sqlTx) Commit() error   { return t.tx.Commit(t.ctx) }
func (t sqlTx) Rollback() error { return t.tx.Rollback(t.ctx) }

// ExecContext runs a script if there are no arguments.
func (c sqlConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 {
		_, err := c.PgConn().Exec(ctx, query).ReadAll()
		return driver.ResultNoRows, err
	}
	tag, err := c.Exec(ctx, query, values(args)...)
	return driver.RowsAffected(tag.RowsAffected()), err
}

func (c sqlConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.Query(ctx, query, values(args)...)
	if err != nil {
		return nil, err
	}
	return sqlRows{rows}, nil
}

func values(args []driver.NamedValue) []any {
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a.Value
	}
	return list
}

type sqlRows struct{ pgx.Rows }

func (r sqlRows) Columns() []string {
	var names []string
	for _, f := range r.FieldDescriptions() {
		names = append(names, f.Name)
	}
	return names
}

func (r sqlRows) Close() error {
	r.Rows.Close()
	return r.Err()
}

func (r sqlRows) Next(dest []driver.Value) error {
	if !r.Rows.Next() {
		if err := r.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	row, err := r.Values()
	for i, v := range row {
		dest[i] = v
	}
	return err
}
