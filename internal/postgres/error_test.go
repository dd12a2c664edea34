package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"ikigai"
	"ikigai/internal/pgtest"
)

// wantSaid checks that err says what failed and what to do, and no password.
func wantSaid(t *testing.T, what string, err error, kind ikigai.ErrorKind, texts ...string) {
	t.Helper()
	var told *ikigai.Error
	if !errors.As(err, &told) || told.Kind != kind || told.Do == "" {
		t.Errorf("%s: %v (%T)", what, err, err)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v; want %q in it", what, err, text)
		}
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		for _, part := range []string{"s3cr3t", "%40"} {
			if strings.Contains(e.Error(), part) {
				t.Errorf("%s: the password is told: %v", what, e)
			}
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, address := range []string{
		"", "/tmp/x.db", "host=localhost password=s3cr3t", "mysql://u:s3cr3t@h/d", "postgres://u:s3cr3t/x@h/d", "postgres://u:s3cr3t%zz@h/d",
		"postgres://u:s3cr3t@h:port/d", "postgres://u:s3cr3t@h:99999999/d", "postgres://h/d?sslmode=s3cr3t&password=s3cr3t",
		"postgres://u:s3cr3t@h/d?sslmode=never", "postgres://h/d?connect_timeout=s3cr3t&password=s3cr3t", "postgres://u:s3cr3t@h:1,g:x/d",
		"postgres://u:s3cr3t@h/d?sslrootcert=/nowhere", "postgresql://u:s3cr3t@[::1/d",
	} {
		for _, open := range []func(context.Context, string) (*Store, error){Open, OpenExisting} {
			_, err := open(t.Context(), address)
			wantSaid(t, address, err, ikigai.ErrorUsage, "The address of the database cannot be read")
		}
		wantSaid(t, address, Migrate(t.Context(), address), ikigai.ErrorUsage)
	}
	_, err := Open(t.Context(), "postgres://u:s3cr3t@h/d?sslmode=never")
	wantSaid(t, "sslmode", err, ikigai.ErrorUsage, "sslmode is invalid")
}

func TestPlace(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://me:s3cr3t@db.example:5433/log":                           "postgres://me@db.example:5433/log",
		"postgres://me@a:1,b:2/log?password=s3cr3t":                          "postgres://me@a:1,b:2/log",
		"postgres://a%40b@[::1]:5432/x%20y?sslmode=require":                  "postgres://a%40b@[::1]:5432/x%20y",
		"postgresql://me@/log?host=/run/postgresql&target_session_attrs=any": "postgres://me@/run/postgresql/log",
	} {
		config, err := parse(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if diff := cmp.Diff(want, place(config)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
		}
	}
}

func TestErrors(t *testing.T) {
	c := pgtest.New(t, pgtest.Options{Settings: []string{"max_connections=8", "superuser_reserved_connections=1", "max_wal_senders=0", "wal_level=minimal"}})
	name := c.Database(t, Migrate)
	c.Exec(t, "CREATE ROLE guest LOGIN PASSWORD 's3cr3t'; CREATE ROLE writer LOGIN")
	open := func(address string) error {
		s, err := Open(t.Context(), address)
		if err == nil {
			_ = s.Close()
		}
		return err
	}
	with := func(user, database string) string {
		return strings.Replace(c.URL(database), "postgres@", user+"@", 1)
	}
	wantSaid(t, "no database", open(with("postgres:s3cr3t", "nothing")), ikigai.ErrorStore, "There is no database at postgres://postgres@127.0.0.1", "createdb")
	wantSaid(t, "no role", open(with("nobody:s3cr3t", name)), ikigai.ErrorStore, `refuses the user: role "nobody" does not exist`)
	wantSaid(t, "no encryption", open(strings.Replace(with("guest:s3cr3t", name), "disable", "require", 1)), ikigai.ErrorStore,
		"does not encrypt connections")
	wantSaid(t, "no privilege on tables", open(with("guest:s3cr3t", name)), ikigai.ErrorStore, "The user may not do this", "GRANT")
	wantSaid(t, "no privilege on the schema", open(with("guest:s3cr3t", c.Database(t, nil))), ikigai.ErrorStore, "permission denied for schema public", "GRANT CREATE")

	// A password that is wrong.
	c.RequirePassword(t, "guest")
	wantSaid(t, "wrong password", open(with("guest:s3cr3t-not", name)), ikigai.ErrorStore, "refuses the user: password authentication failed", "PGPASSWORD")

	// The other connections are taken.
	for range 7 {
		connect(t, with("writer", name))
	}
	wantSaid(t, "no connection left", open(with("writer", name)), ikigai.ErrorStore, "no connection left")
}

func TestUnreachable(t *testing.T) {
	for address, texts := range map[string][]string{
		"postgres://u:s3cr3t@127.0.0.1:1/d":              {"No server answers at postgres://u@127.0.0.1:1/d"},
		"postgres://u:s3cr3t@127.0.0.1:1,127.0.0.1:2/d":  {"No server answers at postgres://u@127.0.0.1:1,127.0.0.1:2/d"},
		"postgres://u:s3cr3t@/d?host=/nowhere&port=5432": {"No server answers at postgres://u@/nowhere/d"},
		"postgres://u:s3cr3t@nowhere.invalid/d":          {"The host of the database postgres://u@nowhere.invalid:5432/d is not known"},
	} {
		_, err := Open(t.Context(), address)
		wantSaid(t, address, err, ikigai.ErrorStore, texts...)
	}
}

// Something answers, or nothing does, and it is no PostgreSQL.
func TestNoServer(t *testing.T) { // P9
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	silent := fmt.Sprintf("postgres://u:s3cr3t@%s/d?sslmode=disable", l.Addr())
	_, err = Open(t.Context(), silent+"&connect_timeout=1")
	wantSaid(t, "silent", err, ikigai.ErrorStore, "does not answer")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, silent); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want context.DeadlineExceeded", err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = conn.Close()
		}
	}()
	_, err = Open(t.Context(), silent)
	wantSaid(t, "a web server", err, ikigai.ErrorStore, "The connection to the database postgres://u@"+l.Addr().String()+"/d broke")
}

// Each trouble of a server has a text of its own.
func TestCodes(t *testing.T) {
	seen := make(map[string]string)
	for _, code := range []string{codeNoDatabase, codeNoPrivilege, codeTableThere, codeReadOnly, codeDiskFull, codeOutOfMemory, codeTooManyClients,
		codeStarting, codeShutdown, codeCanceled, codeLockNotAvailable, codeCorrupt, "XX999"} {
		err := fail(t.Context(), "PLACE", "append", fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code, Message: "said"}))
		wantSaid(t, code, err, ikigai.ErrorStore, "PLACE")
		if other, twice := seen[err.Error()]; twice {
			t.Errorf("%s and %s are told the same: %v", code, other, err)
		}
		seen[err.Error()] = code
	}
}
