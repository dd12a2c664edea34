package trust

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// scanner reads what could act of one project. It opens nothing outside of it.
type scanner struct {
	root    *os.Root
	dir     string
	entries []entry
	links   []entry // among the tools, not yet followed
	files   int     // that may still be read
	bytes   int     // likewise
	problem string
}

// file reads a single file, where there is one.
func (s *scanner) file(path string) {
	e, ok := s.read(path, maxSettings)
	if !ok {
		return
	}
	if bytes.Count(e.data, []byte("{"))+bytes.Count(e.data, []byte("[")) > maxNesting {
		s.failed(path, fmt.Sprintf("holds more than the %d objects and lists that can be judged", maxNesting), "Make it smaller")
		return
	}
	e.kind = plainFile // whether settings can be executed says nothing
	s.entries = append(s.entries, e)
}

// tools reads all that lies below the directory of tools.
func (s *scanner) tools(path string) {
	switch info, err := s.root.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		s.unreadable(path, err)
		return
	case !info.IsDir():
		s.failed(path, "is no directory", "Put tools into a directory of that name, or remove it")
		return
	}
	s.directory(path, 1)
	s.follow()
}

// directory reads what lies in a directory and below.
func (s *scanner) directory(dir string, depth int) {
	if depth > maxDepth {
		s.failed(dir, "lies too deep to be judged", "Keep tools in fewer directories")
	}
	d, err := s.root.OpenRoot(dir)
	if err != nil {
		s.unreadable(dir, err)
		return
	}
	defer func() { _ = d.Close() }()
	for _, name := range s.names(d, dir) {
		if s.files--; s.files < 0 {
			s.failed(toolsPath, fmt.Sprintf("holds more than the %d files that can be judged", maxFiles), "Keep elsewhere what is no tool")
		}
		if s.problem != "" {
			return
		}
		s.one(d, name, dir+"/"+name, depth)
	}
}

// names returns the names in the directory d, no more than may still be read and one.
func (s *scanner) names(d *os.Root, path string) []string {
	f, err := d.Open(".")
	if err != nil {
		s.unreadable(path, err)
		return nil
	}
	defer f.Close()
	names, err := f.Readdirnames(s.files + 1)
	if err != nil && err != io.EOF {
		s.unreadable(path, err)
	}
	return names
}

// one reads what has a name in the directory d; path is the whole of it.
func (s *scanner) one(d *os.Root, name, path string, depth int) {
	info, err := d.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was removed meanwhile
	case err != nil:
		s.unreadable(path, err)
	case info.IsDir():
		s.directory(path, depth+1)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := d.Readlink(name)
		if err != nil {
			s.unreadable(path, err)
			return
		}
		s.links = append(s.links, entry{kind: link, path: path, data: []byte(target), link: target})
	case !info.Mode().IsRegular():
		s.noFile(path)
	default:
		if e, ok := s.open(d, name, path, s.bytes); ok {
			s.bytes -= len(e.data)
			s.entries = append(s.entries, e)
		}
	}
}

// read returns a file, which may be reached by links in the project, and whether
// there is one. It takes no more than most bytes.
func (s *scanner) read(path string, most int) (entry, bool) {
	switch info, err := s.root.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return entry{}, false
	case err != nil:
		return entry{}, s.unreadable(path, err)
	case !info.Mode().IsRegular(): // opening it could do something
		return entry{}, s.noFile(path)
	}
	return s.open(s.root, path, path, most)
}

// open is read for a name below root that has just been seen to be a file. Should
// it be something else by now, opening it does not block.
func (s *scanner) open(root *os.Root, name, path string, most int) (entry, bool) {
	e := entry{path: path, kind: plainFile}
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return e, false
	}
	if err != nil {
		return e, s.unreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return e, s.noFile(path)
	}
	var content bytes.Buffer
	content.Grow(int(min(info.Size(), int64(most))) + bytes.MinRead)
	if _, err := content.ReadFrom(io.LimitReader(f, int64(most)+1)); err != nil {
		return e, s.unreadable(path, err)
	}
	if e.data = content.Bytes(); len(e.data) > most {
		s.failed(path, fmt.Sprintf("goes beyond the %d KiB that can be judged", limit(path)>>10), "Make it smaller")
		return e, false
	}
	if info.Mode()&0o111 != 0 {
		e.kind = executable
	}
	return e, true
}

// limit returns the most bytes of a file at path, of all tools together.
func limit(path string) int {
	if strings.HasPrefix(path, toolsPath+"/") {
		return maxBytes
	}
	return maxSettings
}

// noFile notes that something stands where a file must be. It returns false.
func (s *scanner) noFile(path string) bool {
	s.failed(path, "is neither a file nor a link to a file of the project", "Remove it, or put a file in its place")
	return false
}

// unreadable notes why path cannot be read. It returns false.
func (s *scanner) unreadable(path string, err error) bool {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		s.failed(path, "may not be read", "Make it readable, or remove it")
	case escapes(err):
		s.failed(s.wayOut(path), "leads out of the project", "Put a copy of what it points to in its place, or remove it")
	default:
		s.failed(path, "cannot be read: "+err.Error(), "Repair or remove it")
	}
	return false
}

// escapes reports whether an error of an os.Root says that a path leads out of it.
func escapes(err error) bool { return err != nil && strings.Contains(err.Error(), "escapes") }

// wayOut returns how much of a path it takes to lead out of the project. What lies
// behind that is not looked at, and may not be there.
func (s *scanner) wayOut(path string) string {
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		if _, err := s.root.Stat(path[:i]); escapes(err) {
			return path[:i]
		}
	}
	return path
}

// maxHops bounds the links that lead to links.
const maxHops = 40

// follow turns each link among the tools into an entry: a link where it stays
// among them, else the file that it leads to.
func (s *scanner) follow() {
	t := newTree(s.entries, s.links)
	for _, l := range s.links {
		switch place := t.resolve(l); {
		case s.problem != "":
			return
		case place == inside:
			s.entries = append(s.entries, l)
		case place == outside:
			e, ok := s.read(l.path, s.bytes)
			if !ok {
				continue
			}
			s.bytes -= len(e.data)
			e.link = l.link
			s.entries = append(s.entries, e)
		}
	}
}

// tree is what lies below the directory of tools, as it was read.
type tree map[string]*entry // nil for a directory

func newTree(entries, links []entry) tree {
	t := tree{toolsPath: nil}
	for _, all := range [][]entry{entries, links} {
		for i := range all {
			p := all[i].path
			if !strings.HasPrefix(p, toolsPath+"/") {
				continue
			}
			t[p] = &all[i]
			for dir := path.Dir(p); dir != toolsPath; dir = path.Dir(dir) {
				t[dir] = nil
			}
		}
	}
	return t
}

// place says where a link leads.
type place int

const (
	nowhere place = iota
	inside        // to something among the tools, by way of nothing else
	outside
)

// resolve follows a link as the kernel will do in the sealed copy.
func (t tree) resolve(l entry) place {
	at, hops := path.Dir(l.path), 0
	ahead := parts(l.data)
	for len(ahead) > 0 {
		name := ahead[0]
		ahead = ahead[1:]
		switch name {
		case "", ".":
			continue
		case "/":
			return outside
		case "..":
			if at == toolsPath {
				return outside
			}
			at = path.Dir(at)
			continue
		}
		next := at + "/" + name
		e, found := t[next]
		switch {
		case !found:
			return nowhere
		case e == nil:
			at = next
		case e.kind == link:
			if hops++; hops > maxHops {
				return nowhere
			}
			ahead = append(parts(e.data), ahead...)
		case len(ahead) > 0:
			return nowhere // a file is no directory
		default:
			return inside
		}
	}
	return inside
}

// parts splits where a link points to. The first part of an absolute path is "/".
func parts(target []byte) []string {
	all := strings.Split(string(target), "/")
	if all[0] == "" {
		all[0] = "/"
	}
	return all
}
