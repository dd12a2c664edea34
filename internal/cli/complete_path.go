package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ikigai/internal/crash"
	"ikigai/internal/fuzzy"
	"ikigai/internal/tui"
	"ikigai/internal/walk"
)

// typedPath returns the path that is being typed at the end of a text, behind an @
// that begins a word, and where it begins. A path with blanks stands in quotation
// marks.
func typedPath(before string) (from int, path string, ok bool) {
	const most = 4 << 10 // bytes that a path has
	start := max(0, len(before)-most)
	at := strings.LastIndexByte(before[start:], '@')
	if at < 0 {
		return 0, "", false
	}
	at += start
	if at > 0 && !strings.ContainsAny(before[at-1:at], " \t\n([{<\"'`") {
		return 0, "", false
	}
	path = before[at+1:]
	if quoted, isQuoted := strings.CutPrefix(path, `"`); isQuoted {
		return at + 1, quoted, !strings.ContainsAny(quoted, "\"\n")
	}
	return at + 1, path, !strings.ContainsAny(path, " \t\n")
}

// completePath returns paths that go with what was typed: of files below the
// working directory that git does not ignore, and of their directories. Hidden
// ones have to be begun with their dot. What begins with a slash, with ~/ or with
// ../ is looked for where it says.
func (f *front) completePath(ctx context.Context, typed string) []tui.Completion {
	for _, beyond := range []string{"/", "~/", "../"} {
		if strings.HasPrefix(typed, beyond) {
			return f.pathItems(f.pathsBeyond(typed))
		}
	}
	typed = strings.TrimPrefix(typed, "./")
	hidden := strings.HasPrefix(typed, ".") || strings.Contains(typed, "/.")
	paths := f.paths.list(ctx, f.whereabouts().dir, hidden)
	if typed == "" {
		return f.pathItems(topmost(paths))
	}
	if ctx.Err() != nil {
		return nil
	}
	var found []string
	for _, i := range fuzzy.Rank(typed, paths, mostCompletions) {
		found = append(found, paths[i])
	}
	if exact := pathThere(f.whereabouts().dir, typed); exact != "" {
		found = slices.DeleteFunc(found, func(p string) bool { return p == exact })
		found = slices.Insert(found, 0, exact)
	}
	return f.pathItems(found)
}

// pathThere returns what was typed if it is the path of something below dir, "" if
// not. It may be new, hidden or ignored, and in no list.
func pathThere(dir, typed string) string {
	if typed == "." || !filepath.IsLocal(typed) {
		return ""
	}
	info, err := os.Lstat(filepath.Join(dir, typed))
	if err != nil {
		return ""
	}
	if info.IsDir() {
		return strings.TrimSuffix(typed, "/") + "/"
	}
	return typed
}

// topmost returns the paths of what lies in the directory itself.
func topmost(paths []string) []string {
	var top []string
	for _, p := range paths {
		if strings.IndexByte(strings.TrimSuffix(p, "/"), '/') < 0 {
			if top = append(top, p); len(top) == mostCompletions {
				break
			}
		}
	}
	return top
}

// pathItems returns paths as they are typed behind an @.
func (f *front) pathItems(paths []string) []tui.Completion {
	var items []tui.Completion
	for _, p := range paths {
		if !isPlainLine(p) || strings.Contains(p, `"`) {
			continue
		}
		item := tui.Completion{Text: p, More: strings.HasSuffix(p, "/")}
		if !item.More {
			item.Path = f.placeOf(p)
		}
		if strings.Contains(p, " ") {
			item.Text = `"` + p
			if !item.More {
				item.Text += `"`
			}
		}
		items = append(items, item)
	}
	return items
}

// placeOf returns where a path lies that was typed.
func (f *front) placeOf(typed string) string {
	switch rest, inHome := strings.CutPrefix(typed, "~/"); {
	case inHome:
		return filepath.Join(f.env("HOME"), rest)
	case filepath.IsAbs(typed):
		return typed
	}
	return filepath.Join(f.whereabouts().dir, typed)
}

// mostBeyond is how many entries of a directory elsewhere are looked at.
const mostBeyond = 10_000

// pathsBeyond returns the paths in a directory outside of the working directory
// that go with what was typed.
func (f *front) pathsBeyond(typed string) []string {
	dir, name := typed[:strings.LastIndexByte(typed, '/')+1], typed[strings.LastIndexByte(typed, '/')+1:]
	place := f.placeOf(dir)
	d, err := os.Open(place)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(mostBeyond) // what could be read
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(name, ".") {
			continue
		}
		text := e.Name()
		if info, err := os.Stat(filepath.Join(place, text)); err == nil && info.IsDir() {
			text += "/"
		}
		names = append(names, text)
	}
	var found []string
	for _, i := range fuzzy.Rank(name, names, mostCompletions) {
		found = append(found, dir+names[i])
	}
	return found
}

// pathIndex is the paths below the working directory, those of directories with a
// slash at their end. They are listed beside the way when they are first asked
// for, and again when they are asked for later. The zero pathIndex is ready.
type pathIndex struct {
	mu    sync.Mutex
	lists map[bool]*pathList // with hidden names, and without
}

// pathList is one of the lists.
type pathList struct {
	dir     string
	paths   []string
	since   time.Time     // of paths; zero if there are none yet
	began   time.Time     // to be listed, last
	filling chan struct{} // closed when that ends; nil if it has
}

const (
	mostPaths = 200_000
	// stalePaths is how old a list may be without being made again.
	stalePaths = 3 * time.Second
	// listTime bounds the listing of a directory.
	listTime = time.Minute
	// freshTime is how long a newer list is waited for where there is an old one.
	freshTime = 100 * time.Millisecond
)

// list returns the paths below dir. It waits for the first list, until ctx ends, and
// for a newer one as long as a person who types does not notice.
func (x *pathIndex) list(ctx context.Context, dir string, hidden bool) []string {
	x.mu.Lock()
	l := x.lists[hidden]
	if l == nil || l.dir != dir {
		if x.lists == nil {
			x.lists = map[bool]*pathList{}
		}
		l = &pathList{dir: dir}
		x.lists[hidden] = l
	}
	if l.filling == nil && time.Since(l.since) > stalePaths {
		l.filling, l.began = make(chan struct{}), time.Now()
		go x.fill(l, hidden)
	}
	filling := l.filling
	var enough <-chan time.Time // never, for the first list
	if !l.since.IsZero() {
		enough = time.After(time.Until(l.began.Add(freshTime)))
	}
	x.mu.Unlock()
	if filling != nil {
		select {
		case <-filling:
		case <-enough:
		case <-ctx.Done():
			return nil
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return l.paths
}

// fill lists a directory. Where it cannot be read, the list stays as it was.
func (x *pathIndex) fill(l *pathList, hidden bool) {
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	defer crash.Guard()
	found, err := walk.Files(ctx, l.dir, walk.Options{Hidden: hidden, Dirs: true, Most: mostPaths})
	paths := make([]string, 0, len(found.Entries))
	for _, e := range found.Entries {
		if e.Type.IsDir() {
			e.Path += "/"
		}
		paths = append(paths, e.Path)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err == nil {
		l.paths = paths
	}
	l.since = time.Now()
	close(l.filling)
	l.filling = nil
}
