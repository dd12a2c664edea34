package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"ikigai"
)

// places are the directories and files that belong to a database: what must
// outlive a failure of the database lies beside it.
type places struct{ database string }

func (p places) root() string { return filepath.Dir(p.database) }

// journals returns the directories for what this database, and no other, does
// not take: one beside it, and one on what is probably another disk.
func (p places) journals() []string {
	name := filepath.Base(p.database)
	dirs := []string{filepath.Join(p.root(), "journal", name)}
	if own := filepath.Join(os.TempDir(), fmt.Sprintf("ikigai-%d", os.Getuid())); makePrivate(own) {
		dirs = append(dirs, filepath.Join(own, "journal", name+"-"+p.key()))
	}
	return dirs
}

// key tells the database from others of its name in other directories.
func (p places) key() string {
	dir := p.root()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	sum := sha256.Sum256([]byte(filepath.Join(dir, filepath.Base(p.database))))
	return hex.EncodeToString(sum[:8])
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

func (p places) session(id ikigai.ID) string {
	return filepath.Join(p.root(), "sessions", string(id))
}

// partial is the file for what is shown of an unfinished reply.
func (p places) partial(id ikigai.ID) string { return filepath.Join(p.session(id), "partial") }

// output is the directory for full outputs of tools.
func (p places) output(id ikigai.ID) string { return filepath.Join(p.session(id), "output") }
