package pgtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// shared is what the tests of a cluster have in common.
type shared struct {
	databases atomic.Int64
	template  sync.Mutex
	templated bool
}

// running is the cluster that the tests of this binary share.
var running struct {
	sync.Mutex
	cluster *Cluster
	err     error
}

// Main runs the tests of a binary, ends the server that they shared, and
// returns the status to exit with.
func Main(m *testing.M) int {
	defer func() {
		running.Lock()
		defer running.Unlock()
		if running.cluster != nil {
			running.cluster.Remove()
			running.cluster = nil
		}
	}()
	return m.Run()
}

// Shared returns the server that the tests of this binary share, which the
// first call starts. Tests that stop it take one of their own, see New. The
// binary's TestMain must call Main.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	Need(t)
	running.Lock()
	defer running.Unlock()
	if running.cluster == nil && running.err == nil {
		running.cluster, running.err = Create(Options{})
	}
	if running.err != nil {
		t.Fatalf("start PostgreSQL: %v", running.err)
	}
	return running.cluster
}

// Migrate prepares the schema in an empty database.
type Migrate func(ctx context.Context, url string) error

// Database makes a database of the test's own and returns its name. It is a
// copy of one that migrate has prepared, once for the cluster; with a nil
// migrate it is empty. It is removed when the test ends, if the server still
// runs then.
func (c *Cluster) Database(t testing.TB, migrate Migrate) string {
	t.Helper()
	source := "template0"
	if migrate != nil {
		source = "pgtest_template"
		c.must(t, "prepare the template", c.prepare(t.Context(), source, migrate))
	}
	name := fmt.Sprintf("test_%d", c.databases.Add(1))
	c.Exec(t, "CREATE DATABASE "+name+" TEMPLATE "+source)
	t.Cleanup(func() {
		if c.server != nil {
			_ = c.exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)") // the cluster goes in the end
		}
	})
	return name
}

// prepare makes the template unless it is there.
func (c *Cluster) prepare(ctx context.Context, name string, migrate Migrate) error {
	c.template.Lock()
	defer c.template.Unlock()
	if c.templated {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := c.exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		return err
	}
	if err := migrate(ctx, c.URL(name)); err != nil {
		return errors.Join(err, c.exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"))
	}
	c.templated = true
	return nil
}
