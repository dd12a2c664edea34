package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// child is set in the process that TestServerEndsWithItsTests kills.
const child = "PGTEST_CHILD"

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func makeTable(ctx context.Context, url string) error {
	return run(ctx, url, "CREATE TABLE t (n int)")
}

func TestDatabaseOfItsOwn(t *testing.T) {
	c := Shared(t)
	for range 2 {
		conn := connect(t, c.URL(c.Database(t, makeTable)))
		var rows int
		if err := conn.QueryRow(t.Context(), "WITH i AS (INSERT INTO t VALUES (1)) SELECT count(*) FROM t").Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows, %v", rows, err)
		}
	}
	conn := connect(t, c.SocketURL(c.Database(t, nil)))
	if _, err := conn.Exec(t.Context(), "SELECT FROM t"); err == nil {
		t.Error("an empty database has a table")
	}
}

func TestStopAndStart(t *testing.T) {
	c := New(t, Options{Settings: []string{"max_connections=7"}})
	url := c.URL(c.Database(t, makeTable))
	for _, end := range []func(testing.TB){c.Stop, c.Kill} {
		end(t)
		if _, err := pgx.Connect(t.Context(), url); err == nil {
			t.Error("a server that was ended answers")
		}
		c.Start(t)
		var most string
		if err := connect(t, url).QueryRow(t.Context(), "SHOW max_connections").Scan(&most); err != nil || most != "7" {
			t.Errorf("%s connections, %v", most, err)
		}
	}
}

func TestPromote(t *testing.T) {
	c := New(t, Options{})
	name := c.Database(t, makeTable)
	s := c.Standby(t)
	if _, err := connect(t, c.URL(name)).Exec(t.Context(), "INSERT INTO t VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	c.Kill(t)
	s.Promote(t)
	if tag, err := connect(t, s.URL(name)).Exec(t.Context(), "UPDATE t SET n = 2"); err != nil || tag.RowsAffected() != 1 {
		t.Errorf("%v, %v", tag, err)
	}
}

func TestProxy(t *testing.T) {
	c := Shared(t)
	name := c.Database(t, makeTable)
	p := NewProxy(t, c.Addr())
	through := func() *pgx.Conn { return connect(t, URL(name, p.Addr())) }
	ctx := t.Context()

	conn := through()
	lost := p.LoseAnswer("INSERT")
	if _, err := conn.Exec(ctx, "SELECT 1"); err != nil {
		t.Errorf("another answer: %v", err)
	}
	if _, err := conn.Exec(ctx, "INSERT INTO t VALUES (1)"); err == nil {
		t.Error("an answer that was lost came")
	}
	<-lost
	var rows int
	if err := through().QueryRow(ctx, "SELECT count(*) FROM t").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows, %v; want the one whose answer was lost", rows, err)
	}

	conn = through()
	p.Cut()
	if err := conn.Ping(ctx); err == nil {
		t.Error("a connection that was cut answers")
	}
	p.Refuse(true)
	if _, err := pgx.Connect(ctx, URL(name, p.Addr())); err == nil {
		t.Error("a connection that was refused is there")
	}
	p.Refuse(false)

	for _, slow := range []func(on bool){
		p.BlackHole,
		func(on bool) { p.Delay(map[bool]time.Duration{true: time.Hour}[on]) },
	} {
		conn = through()
		slow(true)
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		if err := conn.Ping(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an answer that does not come: %v", err)
		}
		cancel()
		slow(false)
		if err := through().Ping(ctx); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// The process of the tests is killed; its server and its data go.
func TestServerEndsWithItsTests(t *testing.T) {
	if os.Getenv(child) != "" {
		c := Shared(t)
		fmt.Println("\ndir", c.dir)
		select {} // until it is killed
	}
	Need(t)
	tests := exec.Command(os.Args[0], "-test.run", "^TestServerEndsWithItsTests$")
	tests.Env = append(os.Environ(), child+"=1")
	out, err := tests.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tests.Start(); err != nil {
		t.Fatal(err)
	}
	var dir string
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		_, _ = fmt.Sscanf(lines.Text(), "dir %s", &dir)
	}
	if dir == "" {
		t.Fatal("the other process started no server")
	}
	_ = tests.Process.Kill()
	_ = tests.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	for {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s is still there", dir)
		}
		pause(ctx)
	}
}
