// Package walk lists the files below a directory, in parallel, without those
// that git ignores.
package walk

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Options say what is listed beside visible files that git does not ignore.
type Options struct {
	Hidden  bool // names that begin with a dot, too
	Ignored bool // files that git ignores, too
	Dirs    bool // directories, too
	Depth   int  // names in a path at most; 0 for no limit
}

// List is what was found.
type List struct {
	Entries    []Entry // sorted by Path, byte by byte
	More       bool    // there are more than MaxEntries
	Unreadable int     // directories that could not be read
}

// Entry is a file, or a directory if the options ask for them.
type Entry struct {
	Path string      // below the root, with slashes
	Type fs.FileMode // type bits only
}

// MaxEntries bounds a List.
const MaxEntries = 2_000_000

// Files lists what lies below the directory root. The error is that root cannot
// be read, or that of ctx.
//
// Ignored is what .gitignore files in the tree and, inside a repository, above
// it and in .git/info/exclude say; a user's global file is not read. A nested
// repository follows its own files alone. The directory .git is never entered,
// nor is a symbolic link. The root itself may be hidden, ignored or a link.
func Files(ctx context.Context, root string, o Options) (List, error) {
	w := &walker{ctx: ctx, options: o}
	w.wake.L = &w.mu
	first, err := w.top(root)
	if err != nil {
		return List{}, err
	}
	if err := w.visit(first); err != nil {
		return List{}, err
	}
	var workers sync.WaitGroup
	for range min(max(2, runtime.GOMAXPROCS(0)), 8) {
		workers.Go(w.work)
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return List{}, err
	}
	list := &w.list
	for i := range list.Entries {
		list.Entries[i].Path = list.Entries[i].Path[len(first.path):]
	}
	slices.SortFunc(list.Entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	if list.More = len(list.Entries) > MaxEntries; list.More {
		list.Entries = list.Entries[:MaxEntries]
	}
	return *list, nil
}

// directory is one to be read.
type directory struct {
	path  string // below the top of the repository: "" or "a/b/"
	depth int    // of what lies in it, below the root: 1 for the root
	rules *rules
}

type walker struct {
	ctx     context.Context
	options Options
	topDir  string // of the repository, or the root

	mu      sync.Mutex
	wake    sync.Cond // something is waiting, or all is done
	waiting []directory
	busy    int // directories being read
	list    List
}

// top finds the repository that root lies in, and the rules from there down to
// root.
func (w *walker) top(root string) (directory, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return directory{}, err
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	w.topDir = root
	if w.options.Ignored {
		return directory{depth: 1}, nil
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			w.topDir = dir
			break
		}
		if dir == filepath.Dir(dir) {
			return directory{depth: 1}, nil
		}
	}
	first := directory{depth: 1}
	below, _ := filepath.Rel(w.topDir, root) // root lies below
	if below == "." {
		return first, nil
	}
	first.rules = first.rules.with(excludeFile(w.topDir), "")
	for name := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		first.rules = first.rules.with(filepath.Join(w.topDir, first.path, ".gitignore"), first.path)
		first.path += name + "/"
	}
	return first, nil
}

// work reads directories until none is left.
func (w *walker) work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.waiting) == 0 && w.busy > 0 {
			w.wake.Wait()
		}
		n := len(w.waiting)
		if n == 0 || w.ctx.Err() != nil || len(w.list.Entries) > MaxEntries {
			w.waiting = nil
			w.wake.Broadcast()
			return
		}
		dir := w.waiting[n-1]
		w.waiting = w.waiting[:n-1]
		w.busy++
		w.mu.Unlock()
		err := w.visit(dir)
		w.mu.Lock()
		w.busy--
		if err != nil {
			w.list.Unreadable++
		}
		if w.busy == 0 && len(w.waiting) == 0 {
			w.wake.Broadcast()
		}
	}
}

// visit reads one directory and adds what it holds.
func (w *walker) visit(dir directory) error {
	entries, err := readDir(filepath.Join(w.topDir, dir.path))
	if err != nil {
		return err
	}
	dir.rules = w.rulesIn(dir, entries)
	var found []Entry
	var below []directory
	for _, e := range entries {
		name := e.Name()
		if name == ".git" || name[0] == '.' && !w.options.Hidden {
			continue
		}
		path := dir.path + name
		if dir.rules.ignored(path, name, e.IsDir()) {
			continue
		}
		if !e.IsDir() || w.options.Dirs {
			found = append(found, Entry{path, e.Type()})
		}
		if e.IsDir() && (w.options.Depth == 0 || dir.depth < w.options.Depth) {
			below = append(below, directory{path + "/", dir.depth + 1, dir.rules})
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list.Entries = append(w.list.Entries, found...)
	w.waiting = append(w.waiting, below...)
	if len(below) > 1 {
		w.wake.Broadcast()
	} else if len(below) == 1 {
		w.wake.Signal()
	}
	return nil
}

// rulesIn returns the rules that hold for what lies in dir.
func (w *walker) rulesIn(dir directory, entries []fs.DirEntry) *rules {
	if w.options.Ignored {
		return nil
	}
	r := dir.rules
	path := filepath.Join(w.topDir, dir.path)
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	if has(".git") { // a repository has its own rules alone
		r = (*rules)(nil).with(excludeFile(path), dir.path)
	}
	if has(".gitignore") {
		r = r.with(filepath.Join(path, ".gitignore"), dir.path)
	}
	return r
}

// readDir returns the entries of a directory in the order of the system.
func readDir(path string) ([]fs.DirEntry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}
