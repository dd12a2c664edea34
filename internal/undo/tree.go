package undo

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/preimage"
	"ikigai/internal/walk"
)

// stat is what the system says of a file without reading it.
type stat struct {
	size, mtime, ctime int64 // bytes, nanoseconds since the Unix epoch
	ino                uint64
	mode               uint32 // type, permissions and special bits, as the system has them
	uid, gid           uint32
}

func (s stat) regular() bool { return s.mode&syscall.S_IFMT == syscall.S_IFREG }
func (s stat) link() bool    { return s.mode&syscall.S_IFMT == syscall.S_IFLNK }
func (s stat) perm() uint32  { return s.mode &^ syscall.S_IFMT }
func (s stat) owner() string { return preimage.OwnerOf(s.perm(), s.uid, s.gid) }

// tick is the most by which the system's clock for files may be behind: a file
// that is changed twice within it can look unchanged.
const tick = 20 * time.Millisecond

// recent reports whether the file may have been changed again after a moment
// without looking any different.
func (s stat) recent(moment time.Time) bool {
	return max(s.mtime, s.ctime) >= moment.Add(-tick).UnixNano()
}

// file is a regular file or a symbolic link of a tree.
type file struct {
	path string // below the directory, with slashes
	stat stat
	held *held // nil: it was not read
}

// tree is what lies in a directory at a moment.
type tree struct {
	files  []file // by path, byte by byte
	dirs   map[string]bool
	closed []string  // directories, with a slash at their end, that cannot be read: what lies there is not known
	began  time.Time // when looking began
}

// errTooMany is the error of a directory with more files than are watched.
type errTooMany struct{}

func (errTooMany) Error() string { return "there are too many files" }

// scan looks at all files of a directory, those that git ignores and hidden
// ones, too, but for what lies in directories named .git and what is to be
// skipped.
func scan(ctx context.Context, c Config) (*tree, error) {
	t := &tree{began: time.Now(), dirs: map[string]bool{}}
	list, err := walk.Files(ctx, c.Dir, walk.Options{Hidden: true, Ignored: true, Dirs: true, Most: 2 * c.files})
	if err != nil {
		return nil, err
	}
	skip := below(c.Dir, c.Skip)
	for _, e := range list.Entries {
		switch {
		case slices.ContainsFunc(skip, func(s string) bool { return strings.HasPrefix(e.Path, s) }):
		case e.Type.IsDir():
			t.dirs[e.Path] = true
		case e.Type == 0 || e.Type&fs.ModeSymlink != 0:
			t.files = append(t.files, file{path: e.Path})
		}
	}
	if list.More || len(t.files) > c.files {
		return nil, errTooMany{}
	}
	if list.Unreadable > 0 {
		t.findClosed(c.Dir)
	}
	if err := t.stat(ctx, c.Dir); err != nil {
		return nil, err
	}
	// What went away, or became something else, in the meantime is not there.
	t.files = slices.DeleteFunc(t.files, func(f file) bool { return !f.stat.regular() && !f.stat.link() })
	return t, nil
}

// findClosed finds the directories that cannot be read.
func (t *tree) findClosed(dir string) {
	for path := range t.dirs {
		d, err := os.Open(filepath.Join(dir, path))
		if err != nil && !preimage.Missing(err) {
			t.closed = append(t.closed, path+"/")
		}
		if err == nil {
			_ = d.Close()
		}
	}
}

// hides reports whether it is not known if there is a file at path.
func (t *tree) hides(path string) bool {
	return slices.ContainsFunc(t.closed, func(dir string) bool { return strings.HasPrefix(path, dir) })
}

// below returns those paths that lie below dir, as they are named there.
func below(dir string, paths []string) (all []string) {
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); ok {
			all = append(all, rest)
		}
	}
	return all
}

// stat asks the system about the files of the tree, with several hands.
func (t *tree) stat(ctx context.Context, dir string) error {
	const chunk = 256
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := 0
	for range min(runtime.GOMAXPROCS(0), 4, len(t.files)/chunk+1) {
		wg.Go(func() {
			defer crash.Guard()
			for ctx.Err() == nil {
				mu.Lock()
				part := t.files[next:min(next+chunk, len(t.files))]
				next += len(part)
				mu.Unlock()
				if len(part) == 0 {
					return
				}
				for i := range part {
					t.look(dir, &part[i])
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

func (t *tree) look(dir string, f *file) {
	path := dir + "/" + f.path // filepath.Join would look at each byte
	s, err := lstat(path)
	if err != nil {
		return
	}
	f.stat = s
	if s.link() {
		if target, err := os.Readlink(path); err == nil {
			f.held = &held{link: target}
		} else {
			f.stat = stat{}
		}
	}
}

// newDirs returns how many of the directories right above path the tree does
// not have.
func (t *tree) newDirs(path string) (n int) {
	for {
		i := strings.LastIndexByte(path, '/')
		if i < 0 || t.dirs[path[:i]] {
			return n
		}
		path = path[:i]
		n++
	}
}

// inherit takes over from an earlier tree what its files hold, where they are
// the same.
func (t *tree) inherit(from *tree) {
	if from == nil {
		return
	}
	next := 0 // of from, which is sorted as well
	for i := range t.files {
		f := &t.files[i]
		for next < len(from.files) && from.files[next].path < f.path {
			next++
		}
		if next == len(from.files) {
			return
		}
		was := &from.files[next]
		if was.path == f.path && f.held == nil && was.held != nil && f.stat == was.stat && !f.stat.recent(was.held.at) {
			f.held = was.held
		}
	}
}

// pair is a file before and after; either may be nil.
type pair struct {
	was, is *file
	after   ikigai.FileState
}

func (p pair) path() string {
	if p.was != nil {
		return p.was.path
	}
	return p.is.path
}

// differs reports whether the two are seen to differ without being read.
func (p pair) differs() bool {
	return p.was == nil || p.is == nil || p.was.stat.mode != p.is.stat.mode || p.was.stat.size != p.is.stat.size
}

// differing returns the files of two trees, by path, that may differ. What only
// came to light, or was only hidden, does not.
func differing(was, is *tree) (pairs []pair) {
	for i, j := 0, 0; i < len(was.files) || j < len(is.files); {
		order := 0
		switch {
		case i == len(was.files):
			order = 1
		case j == len(is.files):
			order = -1
		default:
			order = strings.Compare(was.files[i].path, is.files[j].path)
		}
		switch {
		case order < 0:
			if !is.hides(was.files[i].path) {
				pairs = append(pairs, pair{was: &was.files[i]})
			}
			i++
		case order > 0:
			if !was.hides(is.files[j].path) {
				pairs = append(pairs, pair{is: &is.files[j]})
			}
			j++
		default:
			if a, b := &was.files[i], &is.files[j]; a.stat != b.stat || a.stat.recent(was.began) {
				pairs = append(pairs, pair{was: a, is: b})
			}
			i, j = i+1, j+1
		}
	}
	return pairs
}
