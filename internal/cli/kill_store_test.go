//go:build linux && (amd64 || arm64)

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ikigai/internal/killtest"
	"ikigai/internal/pgtest"
	"ikigai/internal/postgres"
)

// killStore is the store of a row.
type killStore interface {
	takeAway()                  // it takes nothing from here on
	bringBack()                 // it does again, if it did not
	class(killtest.Call) string // names calls that are about it
}

// killStores are the stores that the matrix is tried on. Each gives a row a
// database, an empty one or none if its phase begins with that. Of the write-ahead
// log each page is two writes, and a transaction many: until its last one the next
// program sees none of them. What happens on this machine beside the store is the
// same with a server as with a file.
var killStores = []struct {
	name  string
	open  func(*testing.T, *matrix) func(*row) killStore
	alike []string
}{
	{"SQLite", killFiles, []string{"write-ahead log"}},
	{"PostgreSQL", killServers, []string{"terminal", "partial reply", "directory", "working directory"}},
}

func killFiles(t *testing.T, m *matrix) func(*row) killStore {
	p := newPlace(t, killScript)
	p.program = filepath.Join(m.dir, "ikigai")
	p.run(exitAnswered, "run", "go on")
	template, err := os.ReadFile(p.database)
	must(t, err)
	return func(r *row) killStore {
		if !r.phase.fresh {
			r.put(r.database, string(template))
		}
		return killFile{r}
	}
}

// killFile is a database in a file.
type killFile struct{ *row }

func (f killFile) takeAway() {
	must(f.t, os.Rename(f.database, f.database+".away"))
	must(f.t, os.Mkdir(f.database, 0o700))
}

func (f killFile) bringBack() {
	if _, err := os.Stat(f.database + ".away"); err == nil {
		must(f.t, os.Remove(f.database))
		must(f.t, os.Rename(f.database+".away", f.database))
	}
}

func (f killFile) class(c killtest.Call) string {
	switch c.On {
	case f.database:
		return "database"
	case f.database + "-wal":
		return "write-ahead log"
	case f.database + "-shm":
		return "shared memory"
	case f.database + "-journal":
		return "rollback journal"
	}
	if strings.HasPrefix(c.On, f.database+".") {
		return "lock"
	}
	return ""
}

func killServers(t *testing.T, _ *matrix) func(*row) killStore {
	d := &killDatabases{t: t, cluster: pgtest.New(t, pgtest.Options{})}
	return func(r *row) killStore {
		s := killServer{pgtest.NewProxy(r.t, d.cluster.Addr())}
		r.database = pgtest.URL(d.next(r), s.proxy.Addr())
		return s
	}
}

// killDatabases are the databases of the rows on a server. Making one costs more
// than all else that a row does, so some rows share one.
type killDatabases struct {
	t       *testing.T
	cluster *pgtest.Cluster
	mu      sync.Mutex
	name    string
	rows    int // that share it
}

func (d *killDatabases) next(r *row) string {
	if r.phase.fresh {
		return d.cluster.Database(r.t, nil)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rows++; d.rows%25 == 1 {
		d.name = d.cluster.Database(d.t, postgres.Migrate)
	}
	return d.name
}

// killServer is a database on a server, which a proxy stands before.
type killServer struct{ proxy *pgtest.Proxy }

func (s killServer) takeAway()  { s.proxy.Refuse(true) }
func (s killServer) bringBack() { s.proxy.Refuse(false) }

func (s killServer) class(c killtest.Call) string {
	if c.On == "tcp:"+s.proxy.Addr() {
		return "server"
	}
	return ""
}
