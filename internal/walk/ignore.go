package walk

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// rules are the lines of one .gitignore file (or .git/info/exclude), and after
// them those of the directories above.
type rules struct {
	above *rules
	dir   string // where the paths of the rules begin: "" or "a/b/"
	list  []rule
}

// rule is one line: a pattern and what it says.
type rule struct {
	again    bool   // a line with "!": what it matches is not ignored after all
	dirsOnly bool   // a line with "/" at its end
	anywhere bool   // no "/" elsewhere: the pattern is for names, at any depth
	prefix   string // what stands before the first wildcard of a pattern for paths
	segments []segment
}

// ignored reports whether the path, relative to the top of the repository, is
// ignored. The directories that it lies in are not looked at: whoever walks
// does not enter those that are ignored.
func (r *rules) ignored(path, name string, isDir bool) bool {
	for ; r != nil; r = r.above {
		inner := path[len(r.dir):]
		for i := len(r.list) - 1; i >= 0; i-- {
			if r.list[i].match(inner, name, isDir) {
				return !r.list[i].again
			}
		}
	}
	return false
}

func (r *rule) match(path, name string, isDir bool) bool {
	if r.dirsOnly && !isDir {
		return false
	}
	if r.anywhere {
		return r.segments[0].match(name)
	}
	rest, ok := strings.CutPrefix(path, r.prefix)
	if !ok || len(r.segments) == 0 {
		return ok && rest == ""
	}
	return matchPath(r.segments, rest)
}

// with returns r with the rules of a file before it, r itself if the file has
// none.
func (r *rules) with(file, dir string) *rules {
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return r
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return r
	}
	list := parseRules(text)
	if len(list) == 0 {
		return r
	}
	return &rules{above: r, dir: dir, list: list}
}

// maxRules bounds the size of a file of rules.
const maxRules = 1 << 20

func parseRules(text []byte) []rule {
	text = bytes.TrimPrefix(text[:min(len(text), maxRules)], []byte("\uFEFF"))
	var list []rule
	for line := range strings.SplitSeq(string(text), "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r")); ok {
			list = append(list, r)
		}
	}
	return list
}

// parseRule returns the rule of a line, and false if the line is empty, a
// comment, or can match nothing.
func parseRule(line string) (rule, bool) {
	if strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	var r rule
	line = trimSpaces(line)
	line, r.again = strings.CutPrefix(line, "!")
	line, r.dirsOnly = strings.CutSuffix(line, "/")
	r.anywhere = !strings.Contains(line, "/")
	if line = strings.TrimPrefix(line, "/"); line == "" {
		return rule{}, false
	}
	var ok bool
	if r.anywhere {
		if r.segments, ok = parsePath(line); ok {
			r.segments[0].deep = false // "**" without a slash is "*"
		}
		return r, ok
	}
	// Git compares what stands before the first wildcard and takes the rest as
	// a pattern of its own. So a "**" that follows letters spans directories,
	// too, if it comes first.
	wild := strings.IndexAny(line, `*?[\`)
	if wild < 0 {
		r.prefix = line
		return r, true
	}
	r.prefix = line[:wild]
	r.segments, ok = parsePath(line[wild:])
	return r, ok
}

// trimSpaces removes the spaces at the end of a line that are not escaped.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// excludeFile returns the path of the info/exclude of the repository whose top
// is dir, "" if dir is no top.
func excludeFile(dir string) string {
	git := filepath.Join(dir, ".git")
	info, err := os.Lstat(git)
	if err != nil {
		return ""
	}
	if !info.IsDir() { // of a work tree or a submodule: a file that names the place
		git = pointer(git, "gitdir: ", dir)
		if common := pointer(filepath.Join(git, "commondir"), "", git); common != "" {
			git = common
		}
	}
	return filepath.Join(git, "info", "exclude")
}

// pointer reads a file of one line that names a path after prefix.
func pointer(file, prefix, dir string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return path
}
