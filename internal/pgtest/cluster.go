package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
)

// Options say how a server runs.
type Options struct {
	Durable  bool     // commits reach the disk, as in use; tests are faster without
	Settings []string // more settings, such as "max_connections=5"
}

// place returns the directory for the directory of a cluster. A server that
// need not be durable is in the system's memory where there is room: there no
// other program's writing to the disk makes it wait. The path is short, since a
// socket lies in it.
func (o Options) place() string {
	const memory, room = "/dev/shm", 4 << 30
	var fs unix.Statfs_t
	if !o.Durable && unix.Statfs(memory, &fs) == nil && fs.Bavail*uint64(fs.Bsize) > room {
		return memory
	}
	return "/tmp"
}

// Cluster is a PostgreSQL server with its data. Its superuser is postgres and
// has no password; who connects by the host name ::1 or 127.0.0.1 is trusted.
type Cluster struct {
	account account
	dir     string // holds data, the socket and the server's messages
	port    int
	options Options

	server *exec.Cmd       // nil while it is stopped
	ended  <-chan struct{} // closed when its process has ended
	guard  io.Closer       // ends the watching process
	done   <-chan struct{} // closed when that has ended
	shared
}

// wait is the most that anything here waits for a server.
const wait = 60 * time.Second

// watched returns a channel that is closed when a command that was started has
// ended. How it ended does not matter.
func watched(cmd *exec.Cmd) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	return ended
}

// within waits for a process to end, but not for ever.
func within(ended <-chan struct{}) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ended:
		return nil
	case <-timer.C:
		return fmt.Errorf("it has not ended within %s", wait)
	}
}

// New starts a server for this test alone. It is stopped and removed when the
// test ends.
func New(t testing.TB, o Options) *Cluster {
	t.Helper()
	Need(t)
	c, err := Create(o)
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(c.Remove)
	return c
}

// Create makes a cluster and starts its server. The caller removes it; it does
// not outlive this process. Tests use New or Shared.
func Create(o Options) (*Cluster, error) {
	if name := missing(); name != "" {
		return nil, fmt.Errorf("PostgreSQL's program %s is missing", name)
	}
	c, err := empty(o)
	if err != nil {
		return nil, err
	}
	out, err := c.account.output(c.dir, program("initdb"), "--pgdata", c.data(), "--username", "postgres", "--auth", "trust",
		"--encoding", "UTF8", "--locale", "C", "--no-sync")
	if err != nil {
		c.Remove()
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := c.start(); err != nil {
		c.Remove()
		return nil, err
	}
	return c, nil
}

// empty makes the directory of a cluster and a process that clears up behind
// this one, however it ends.
func empty(o Options) (*Cluster, error) {
	c := &Cluster{options: o}
	var err error
	if c.account, err = serverAccount(); err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp(o.place(), "pgtest-"); err != nil {
		return nil, err
	}
	if err = c.account.own(c.dir); err == nil {
		if err = c.watch(); err == nil {
			c.port, err = freePort()
		}
	}
	if err != nil {
		c.Remove()
		return nil, err
	}
	return c, nil
}

// watch starts a shell that waits for the end of its input, which comes when
// this process has ended in whatever way, and then ends the server and removes
// everything.
func (c *Cluster) watch() error {
	const script = `cat >/dev/null
n=0
pid=$(head -n 1 data/postmaster.pid 2>/dev/null) && kill -QUIT "$pid" && while [ $n -lt 400 ] && kill -0 "$pid"; do n=$((n+1)); sleep 0.05; done
cd / && rm -rf "$0"`
	sh := c.account.command(context.Background(), c.dir, "/bin/sh", "-c", script, c.dir)
	in, err := sh.StdinPipe()
	if err != nil {
		return err
	}
	if err := sh.Start(); err != nil {
		return err
	}
	c.guard, c.done = in, watched(sh)
	return nil
}

// Remove stops the server, if it runs, and removes its data. That the watching
// process does, too, so it is left to it.
func (c *Cluster) Remove() {
	if c.server != nil {
		_ = c.end(syscall.SIGQUIT)
	}
	if c.guard != nil {
		_ = c.guard.Close()
		_ = within(c.done) // what it leaves is removed here
	}
	_ = os.RemoveAll(c.dir) // what the account could not
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// freePort returns a port that nobody listens on now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// start starts the server and waits until it answers.
func (c *Cluster) start() error {
	args := []string{"-D", c.data(), "-k", c.dir, "-h", "127.0.0.1", "-p", strconv.Itoa(c.port),
		"-c", "shared_buffers=64MB", "-c", "max_wal_senders=4", "-c", "wal_level=replica"}
	if !c.options.Durable {
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off")
	}
	for _, s := range c.options.Settings {
		args = append(args, "-c", s)
	}
	messages, err := os.Create(c.log())
	if err != nil {
		return err
	}
	defer messages.Close()
	server := c.account.command(context.Background(), c.dir, program("postgres"), args...)
	server.Stdout, server.Stderr = messages, messages
	if err := server.Start(); err != nil {
		return err
	}
	c.server, c.ended = server, watched(server)
	if err := c.await(); err != nil {
		_ = c.end(syscall.SIGQUIT)
		return fmt.Errorf("%w\n%s", err, c.Messages())
	}
	return nil
}

func (c *Cluster) log() string { return filepath.Join(c.dir, "messages") }

// Messages returns what the server wrote since it was started.
func (c *Cluster) Messages() string {
	b, err := os.ReadFile(c.log())
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(b))
}

// await waits until the server answers.
func (c *Cluster) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	var last error
	for ctx.Err() == nil {
		if last = c.exec(ctx, "SELECT 1"); last == nil {
			return nil
		}
		select {
		case <-c.ended:
			return errors.New("the server ended")
		default:
			pause(ctx)
		}
	}
	return fmt.Errorf("the server does not answer: %w", last)
}

// pause waits a moment between two looks at something.
func pause(ctx context.Context) {
	timer := time.NewTimer(5 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// end ends the server with a signal: SIGINT in an orderly way, SIGQUIT at once.
func (c *Cluster) end(s syscall.Signal) error {
	err := c.server.Process.Signal(s)
	if late := within(c.ended); late != nil {
		err = errors.Join(err, late, c.server.Process.Kill())
	}
	c.server = nil
	return err
}

// Stop stops the server in an orderly way: what is connected is cut off.
func (c *Cluster) Stop(t testing.TB) { c.must(t, "stop", c.end(syscall.SIGINT)) }

// Kill ends the server as a crash would, without a word to its clients.
func (c *Cluster) Kill(t testing.TB) { c.must(t, "kill", c.end(syscall.SIGQUIT)) }

// Start starts a server that was stopped or killed, at the same port.
func (c *Cluster) Start(t testing.TB) { c.must(t, "start", c.start()) }

// Exec runs statements of SQL in the database postgres, also while t is cleaning
// up.
func (c *Cluster) Exec(t testing.TB, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	c.must(t, sql, c.exec(ctx, sql))
}

func (c *Cluster) exec(ctx context.Context, sql string) error {
	return run(ctx, c.URL("postgres"), sql)
}

func run(ctx context.Context, url, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.PgConn().Exec(ctx, sql).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}

func (c *Cluster) must(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("PostgreSQL: %s: %v", what, err)
	}
}

// Addr returns the host and port that the server listens on.
func (c *Cluster) Addr() string { return "127.0.0.1:" + strconv.Itoa(c.port) }

// URL returns the address of a database, for connections over TCP.
func (c *Cluster) URL(database string) string { return URL(database, c.Addr()) }

// URL returns the address of a database at one of several places, each a host
// and a port.
func URL(database string, addrs ...string) string {
	return "postgres://postgres@" + strings.Join(addrs, ",") + "/" + database + "?sslmode=disable"
}

// SocketURL returns the address of a database for connections over the server's
// unix socket.
func (c *Cluster) SocketURL(database string) string {
	return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%d", database, c.dir, c.port)
}

// RequirePassword starts the server again, and has it ask a role for its
// password from then on.
func (c *Cluster) RequirePassword(t testing.TB, role string) {
	t.Helper()
	path := filepath.Join(c.data(), "pg_hba.conf")
	rules, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append([]byte("host all "+role+" all scram-sha-256\n"), rules...), 0o600)
	}
	c.must(t, "require a password", err)
	c.Stop(t)
	c.Start(t)
}
