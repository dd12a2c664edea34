package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Sealed is a copy of a project's tools that nobody changes.
type Sealed struct {
	Dir  string   // of the tools, absolute
	lock *os.File // shared with all who use the copy; it keeps others from removing it
}

// Close tells that this process uses the copy no longer.
func (s *Sealed) Close() error { return s.lock.Close() }

// HasTools reports whether there is anything to seal.
func (p *Project) HasTools() bool { return len(p.tools()) > 0 }

// Seal writes the project's tools, from the memory that was hashed, into a
// directory of its own below into, and returns it. The directory is named after
// the hash of what it holds: where there is one already, it is read, and made
// anew unless it is exactly that. Sealing what is not trusted is the caller's
// fault.
//
// into belongs to the person alone, and to sealed copies; it is made if it is
// missing. Copies that nobody uses, and nobody has used for a month, are removed
// when a new one is made.
func (p *Project) Seal(into string) (*Sealed, error) {
	if p.Problem != "" {
		return nil, errors.New(p.Problem)
	}
	if err := makePrivate(into); err != nil {
		return nil, err
	}
	name := hashOf("tools", p.tools())
	dir := filepath.Join(into, name)
	for range sealTries {
		if s, err := use(dir, name); s != nil || err != nil {
			return s, err
		}
		if err := p.write(into, dir); err != nil {
			return nil, err
		}
		clean(into, name)
	}
	return nil, fmt.Errorf("the tools sealed in %s do not stay as they were written", dir)
}

// sealTries bounds how often a copy is written that others damage or remove.
const sealTries = 5

// sealedFor says which modes sealed things have: nobody writes them, and the
// person alone reads them.
const (
	sealedDir  = 0o500
	sealedFile = 0o400
	sealedExec = 0o500
)

// tools returns the entries below the directory of tools.
func (p *Project) tools() []entry {
	return slices.DeleteFunc(slices.Clone(p.entries), func(e entry) bool { return !strings.HasPrefix(e.path, toolsPath+"/") })
}

// use returns the copy in dir if there is one that holds what its name says, and
// nil if there is none. One that holds something else is put aside.
func use(dir, name string) (*Sealed, error) {
	if info, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, remove(dir)
	}
	lock, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := flock(lock, unix.LOCK_SH|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return nil, lock.Close() // it is being removed
	} else if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), lock.Close())
	}
	if !sameFile(lock, dir) {
		return nil, lock.Close()
	}
	if !holds(dir, name) {
		return nil, errors.Join(remove(dir), lock.Close())
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // tells when it was used; only clean asks
	return &Sealed{Dir: filepath.Join(dir, toolsPath), lock: lock}, nil
}

// holds reports whether the copy in dir is what its name says.
func holds(dir, name string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	s := &scanner{root: root, dir: dir, files: maxFiles, bytes: maxBytes}
	s.tools(toolsPath)
	return s.problem == "" && hashOf("tools", s.project().entries) == name
}

// write makes the copy in dir.
func (p *Project) write(into, dir string) error {
	temporary, err := os.MkdirTemp(into, unfinished)
	if err != nil {
		return err
	}
	err = writeTree(temporary, p.tools())
	if err == nil {
		err = os.Rename(temporary, dir)
	}
	if err != nil {
		_ = remove(temporary)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, unix.ENOTEMPTY) {
		return nil // another process was first; its copy is judged like any other
	}
	return err
}

func writeTree(dir string, entries []entry) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	dirs := []string{"."}
	for _, e := range entries {
		for _, parent := range parents(e.path) {
			if err := root.Mkdir(parent, 0o700); err == nil {
				dirs = append(dirs, parent)
			} else if !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		if err := writeEntry(root, e); err != nil {
			return err
		}
	}
	for _, d := range dirs {
		if err := root.Chmod(d, sealedDir); err != nil {
			return err
		}
	}
	return nil
}

// parents returns the directories around path, the outermost first.
func parents(path string) []string {
	var all []string
	for i, c := range []byte(path) {
		if c == '/' {
			all = append(all, path[:i])
		}
	}
	return all
}

func writeEntry(root *os.Root, e entry) error {
	if e.kind == link {
		return root.Symlink(string(e.data), e.path)
	}
	mode := fs.FileMode(sealedFile)
	if e.kind == executable {
		mode = sealedExec
	}
	f, err := root.OpenFile(e.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(e.data)
	return errors.Join(err, f.Chmod(mode), f.Close())
}

// makePrivate makes dir, or makes sure that it is the person's alone: anybody
// else could put tools there.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no directory", dir)
	case !own(info):
		return fmt.Errorf("%s belongs to somebody else", dir)
	case info.Mode().Perm()&0o077 != 0:
		return os.Chmod(dir, 0o700)
	}
	return nil
}
