//go:build linux && (amd64 || arm64)

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai/internal/killtest"
)

// killStore is what the matrix must know of a kind of store.
type killStore interface {
	prepare(*row)                     // gives the row a database of its own, which need not exist
	create(*row)                      // makes it exist
	takeAway(*row)                    // it takes nothing from here on
	bringBack(*row)                   // it does again, if it did not
	class(*row, killtest.Call) string // of calls that are about the database
}

// killStores are the stores that the matrix is tried on.
var killStores = []struct {
	name string
	open func(*testing.T, *matrix) killStore
}{
	{"SQLite", newKillFile},
}

// killFile is a database in a file.
type killFile struct {
	template []byte // a database with a session of another directory
}

func newKillFile(t *testing.T, m *matrix) killStore {
	t.Helper()
	p := newPlace(t, killScript)
	p.program = filepath.Join(m.dir, "ikigai")
	p.run(exitAnswered, "run", "go on")
	template, err := os.ReadFile(p.database)
	must(t, err)
	return killFile{template}
}

func (killFile) prepare(*row) {}

func (k killFile) create(r *row) { r.put(r.database, string(k.template)) }

func (killFile) takeAway(r *row) {
	must(r.t, os.Rename(r.database, r.database+".away"))
	must(r.t, os.Mkdir(r.database, 0o700))
}

func (killFile) bringBack(r *row) {
	if _, err := os.Stat(r.database + ".away"); err == nil {
		must(r.t, os.Remove(r.database))
		must(r.t, os.Rename(r.database+".away", r.database))
	}
}

func (killFile) class(r *row, c killtest.Call) string {
	switch c.On {
	case r.database:
		return "database"
	case r.database + "-wal":
		return "write-ahead log"
	case r.database + "-shm":
		return "shared memory"
	case r.database + "-journal":
		return "rollback journal"
	}
	if strings.HasPrefix(c.On, r.database+".") {
		return "lock"
	}
	return ""
}
