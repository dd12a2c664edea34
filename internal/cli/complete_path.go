package cli

import (
	"context"
	"os"
	"path/filepath"
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
			return pathItems(f.pathsBeyond(typed))
		}
	}
	typed = strings.TrimPrefix(typed, "./")
	hidden := strings.HasPrefix(typed, ".") || strings.Contains(typed, "/.")
	paths := f.paths.list(ctx, f.whereabouts().dir, hidden)
	if typed == "" {
		return pathItems(topmost(paths))
	}
	if ctx.Err() != nil {
		return nil
	}
	var found []string
	for _, i := range fuzzy.Rank(typed, paths, mostCompletions) {
		found = append(found, paths[i])
	}
	return pathItems(found)
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
func pathItems(paths []string) []tui.Completion {
	var items []tui.Completion
	for _, p := range paths {
		if !isPlainLine(p) || strings.Contains(p, `"`) {
			continue
		}
		item := tui.Completion{Text: p, More: strings.HasSuffix(p, "/")}
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

// mostBeyond is how many entries of a directory elsewhere are looked at.
const mostBeyond = 10_000

// pathsBeyond returns the paths in a directory outside of the working directory
// that go with what was typed.
func (f *front) pathsBeyond(typed string) []string {
	dir, name := typed[:strings.LastIndexByte(typed, '/')+1], typed[strings.LastIndexByte(typed, '/')+1:]
	place := dir
	if rest, inHome := strings.CutPrefix(dir, "~/"); inHome {
		place = filepath.Join(f.env("HOME"), rest)
	} else if !filepath.IsAbs(dir) {
		place = filepath.Join(f.whereabouts().dir, dir)
	}
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
	dir   string
	paths []string
	since time.Time     // of paths
	ready chan struct{} // closed once there are paths
	busy  bool          // they are being listed
}

const (
	mostPaths = 200_000
	// stalePaths is how old a list may be without being made again.
	stalePaths = 3 * time.Second
	// listTime bounds the listing of a directory.
	listTime = time.Minute
)

// list returns the paths below dir. It waits for the first list, until ctx ends.
func (x *pathIndex) list(ctx context.Context, dir string, hidden bool) []string {
	x.mu.Lock()
	l := x.lists[hidden]
	if l == nil || l.dir != dir {
		if x.lists == nil {
			x.lists = map[bool]*pathList{}
		}
		l = &pathList{dir: dir, ready: make(chan struct{})}
		x.lists[hidden] = l
	}
	if !l.busy && time.Since(l.since) > stalePaths {
		l.busy = true
		go x.fill(l, hidden)
	}
	x.mu.Unlock()
	select {
	case <-l.ready:
	case <-ctx.Done():
		return nil
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
	if l.since.IsZero() {
		close(l.ready)
	}
	l.since, l.busy = time.Now(), false
}
