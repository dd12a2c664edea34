package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"ikigai"
	"ikigai/internal/config"
)

// places are the directories and files on this machine that belong to a
// database: what must outlive a failure of it.
type places struct {
	root    string // the directory of all but the second journal
	journal string // the name of this database among the journals in root
	key     string // tells the database from all others on this machine
}

// placesOf returns the places of a database: beside its file or, if it is on a
// server, in the data directory of the program.
func placesOf(d config.Database, dataDir string) places {
	if key := d.Key(); key != "" {
		name := "postgres-" + key
		return places{root: filepath.Join(dataDir, name), journal: name, key: name}
	}
	dir, name := filepath.Dir(d.Path()), filepath.Base(d.Path())
	real := dir
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		real = resolved
	}
	sum := sha256.Sum256([]byte(filepath.Join(real, name)))
	return places{root: dir, journal: name, key: name + "-" + hex.EncodeToString(sum[:8])}
}

// places returns those of the database in force.
func (a *app) places() places { return placesOf(a.settings.Database, a.settings.DataDir) }

// journals returns the directories for what this database, and no other, does
// not take: one of its own, and one on what is probably another disk.
func (p places) journals() []string {
	dirs := []string{filepath.Join(p.root, "journal", p.journal)}
	if own := filepath.Join(os.TempDir(), fmt.Sprintf("ikigai-%d", os.Getuid())); makePrivate(own) {
		dirs = append(dirs, filepath.Join(own, "journal", p.key))
	}
	return dirs
}

// makePrivate creates a directory where others create theirs, and reports
// whether it is the person's alone. Anybody could have made it before, to read
// what is written there or to have it delivered into the database.
func makePrivate(dir string) bool {
	_ = os.Mkdir(dir, 0o700) // what is there now says it
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// session is the directory of what belongs to one session.
func (p places) session(id ikigai.ID) string {
	return filepath.Join(p.root, "sessions", string(id))
}

// partial is the file for what is shown of an unfinished reply.
func (p places) partial(id ikigai.ID) string { return filepath.Join(p.session(id), "partial") }

// output is the directory for full outputs of tools.
func (p places) output(id ikigai.ID) string { return filepath.Join(p.session(id), "output") }
