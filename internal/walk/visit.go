package walk

import (
	"io/fs"
	"slices"
	"strings"
)

// visitor reads directories, one after the other, with the same memory.
type visitor struct {
	buffer [32 << 10]byte
	paths  []byte // of the entries of a directory, one after the other
	read   []span
}

// span is an entry: its path ends there in paths, with a slash if it is a
// directory.
type span struct {
	end  int
	mode fs.FileMode
}

// visit reads a directory and fills in what it holds.
func (v *visitor) visit(w *walker, dir *directory) error {
	v.paths, v.read = v.paths[:0], v.read[:0]
	var repository, ignores bool
	err := readDir(w.topDir+dir.path, v.buffer[:], func(name []byte, mode fs.FileMode) bool {
		repository = repository || string(name) == ".git"
		ignores = ignores || string(name) == ".gitignore"
		if string(name) != ".git" && (name[0] != '.' || w.options.Hidden) {
			v.paths = append(append(v.paths, dir.path...), name...)
			if mode.IsDir() {
				v.paths = append(v.paths, '/')
			}
			v.read = append(v.read, span{len(v.paths), mode})
		}
		return w.ctx.Err() == nil
	})
	if err != nil {
		return err
	}
	if !w.options.Ignored {
		dir.enter(w.topDir, repository, ignores)
	}
	w.put(dir.fill(w.options, string(v.paths), v.read))
	return nil
}

// enter replaces the rules for a directory by those for what lies in it.
func (dir *directory) enter(topDir string, repository, ignores bool) {
	if repository { // it has rules of its own alone
		dir.rules = (*rules)(nil).with(excludeFile(topDir+dir.path), dir.path)
	}
	if ignores {
		dir.rules = dir.rules.with(topDir+dir.path+".gitignore", dir.path)
	}
}

// fill takes the entries whose paths are given, except those that are ignored,
// and returns how many are to be listed, and the directories below.
func (dir *directory) fill(o Options, paths string, read []span) (count int, below []*directory) {
	dir.items = make([]item, 0, len(read))
	start := 0
	for _, entry := range read {
		full := paths[start:entry.end]
		start = entry.end
		path, isDir := strings.CutSuffix(full, "/")
		if dir.rules.ignored(path, path[len(dir.path):], isDir) {
			continue
		}
		if !isDir || o.Dirs {
			dir.items = append(dir.items, item{path: path, mode: entry.mode})
		}
		if isDir && (o.Depth == 0 || dir.depth < o.Depth) {
			child := &directory{path: full, depth: dir.depth + 1, rules: dir.rules}
			dir.items = append(dir.items, item{path: full, below: child})
			below = append(below, child)
		}
	}
	slices.SortFunc(dir.items, func(a, b item) int { return strings.Compare(a.path, b.path) })
	return len(dir.items) - len(below), below
}
