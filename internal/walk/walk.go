// Package walk lists the files below a directory, in parallel, without those
// that git ignores.
package walk

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"ikigai/internal/crash"
)

// Options say what is listed beside visible files that git does not ignore.
type Options struct {
	Hidden  bool // names that begin with a dot, too
	Ignored bool // files that git ignores, too
	Dirs    bool // directories, too
	Depth   int  // names in a path at most; 0 for no limit
	Most    int  // entries at most; 0 for MaxEntries
}

// List is what was found.
type List struct {
	Entries    []Entry // sorted by Path, byte by byte
	More       bool    // there are more than asked for
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
// it and in .git/info/exclude say. A user's own file (core.excludesFile) and
// core.ignoreCase are not read. A nested repository follows its own files alone.
// The directory .git is never entered, nor is a symbolic link. The root itself
// may be hidden, ignored or a link.
func Files(ctx context.Context, root string, o Options) (List, error) {
	w := &walker{ctx: ctx, options: o}
	w.wake.L = &w.mu
	first, err := w.top(root)
	if err != nil {
		return List{}, err
	}
	if err := new(visitor).visit(w, first); err != nil {
		return List{}, err
	}
	done := make(chan struct{})
	go func() {
		defer crash.Guard()
		w.walk()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done(): // a read that hangs is left behind
	}
	if err := ctx.Err(); err != nil {
		return List{}, err
	}
	list := List{Entries: make([]Entry, 0, min(w.count, w.most())), More: w.count > w.most(), Unreadable: w.unreadable}
	list.add(first, len(first.path), w.most())
	return list, nil
}

// add adds what was found in a directory and below, in order, up to most
// entries. Paths begin at the offset root of those below the top.
func (l *List) add(dir *directory, root, most int) {
	for _, item := range dir.items {
		switch {
		case item.below != nil:
			l.add(item.below, root, most)
		case len(l.Entries) < most:
			l.Entries = append(l.Entries, Entry{item.path[root:], item.mode})
		}
	}
}

// directory is one to be read, and then what was found in it.
type directory struct {
	path  string // below the top of the repository: "" or "a/b/"
	depth int    // of what lies in it, below the root: 1 for the root
	rules *rules
	items []item // sorted by path, so that what lies below each follows in order
}

// item is an entry to list, or a directory to enter, whose path ends with a slash.
type item struct {
	path  string
	mode  fs.FileMode
	below *directory
}

type walker struct {
	ctx     context.Context
	options Options
	topDir  string // of the repository, or the root, with a slash at its end

	mu         sync.Mutex
	wake       sync.Cond // something is waiting, or all is done
	waiting    []*directory
	busy       int // directories being read
	count      int // entries found
	unreadable int
}

// most returns how many entries are listed at most.
func (w *walker) most() int { return cmp.Or(w.options.Most, MaxEntries) }

// top finds the repository that root lies in, and the rules from there down to
// root.
func (w *walker) top(root string) (*directory, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	first := &directory{depth: 1}
	top := root
	if !w.options.Ignored {
		top = repositoryOf(root)
	}
	w.topDir = strings.TrimSuffix(top, "/") + "/"
	if top == root {
		return first, nil
	}
	below, _ := filepath.Rel(top, root) // root lies below
	first.rules = first.rules.with(excludeFile(top), "")
	for name := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		first.rules = first.rules.with(w.topDir+first.path+".gitignore", first.path)
		first.path += name + "/"
	}
	return first, nil
}

// repositoryOf returns the top of the repository that dir lies in, dir itself
// if there is none.
func repositoryOf(dir string) string {
	for top := dir; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return top
		}
		if top == filepath.Dir(top) {
			return dir
		}
	}
}

// walk reads the directories below the first.
func (w *walker) walk() {
	var workers sync.WaitGroup
	for range min(max(2, runtime.GOMAXPROCS(0)), 8) {
		workers.Go(w.work)
	}
	workers.Wait()
}

// work reads directories until none is left.
func (w *walker) work() {
	var v visitor
	w.mu.Lock()
	defer w.mu.Unlock()
	defer crash.Guard()
	for {
		for len(w.waiting) == 0 && w.busy > 0 {
			w.wake.Wait()
		}
		n := len(w.waiting)
		if n == 0 || w.ctx.Err() != nil || w.count > w.most() {
			w.waiting = nil
			w.wake.Broadcast()
			return
		}
		dir := w.waiting[n-1]
		w.waiting = w.waiting[:n-1]
		w.busy++
		w.mu.Unlock()
		err := v.visit(w, dir)
		w.mu.Lock()
		w.busy--
		if err != nil {
			w.unreadable++
		}
		if w.busy == 0 && len(w.waiting) == 0 {
			w.wake.Broadcast()
		}
	}
}

// put takes the directories found in one, and how much else there was.
func (w *walker) put(count int, below []*directory) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count += count
	w.waiting = append(w.waiting, below...)
	if len(below) > 1 {
		w.wake.Broadcast()
	} else if len(below) == 1 {
		w.wake.Signal()
	}
}
