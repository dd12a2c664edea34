package pgtest

import (
	"context"
	"fmt"
	"testing"
)

// Standby makes a server that follows c, and stops and removes it when the test
// ends. From then on a commit at c is acknowledged only when the standby has
// it, until Alone.
func (c *Cluster) Standby(t testing.TB) *Cluster {
	t.Helper()
	s, err := empty(c.options)
	c.must(t, "make a standby", err)
	t.Cleanup(s.Remove)
	out, err := s.account.output(s.dir, program("pg_basebackup"), "--pgdata", s.data(), "--host", c.dir, "--port", fmt.Sprint(c.port),
		"--username", "postgres", "--checkpoint", "fast", "--no-sync", "--write-recovery-conf")
	if err != nil {
		t.Fatalf("PostgreSQL: pg_basebackup: %v\n%s", err, out)
	}
	c.must(t, "start a standby", s.start())
	c.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	c.Exec(t, "SELECT pg_reload_conf()")
	c.wait(t, "a synchronous standby", "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
	return s
}

// Promote makes a standby take writes, and returns once it does.
func (c *Cluster) Promote(t testing.TB) {
	t.Helper()
	c.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = ''")
	c.Exec(t, "SELECT pg_promote(true)")
	c.wait(t, "a server that takes writes", "SELECT 1 WHERE NOT pg_is_in_recovery()")
}

// wait waits until a query has a row.
func (c *Cluster) wait(t testing.TB, what, query string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	for {
		err := c.exec(ctx, fmt.Sprintf("DO $$ BEGIN IF NOT EXISTS (%s) THEN RAISE 'not yet'; END IF; END $$", query))
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("PostgreSQL: wait for %s: %v", what, err)
		}
		pause(ctx)
	}
}
