package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// pathPattern is the pattern of the tools that change files.
type pathPattern []word

// parsePathPattern reads a pattern. do says what to do about one that is none.
func parsePathPattern(text string) (p pattern, do string) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "./")
	switch {
	case text == "":
		return nil, "Say which files, as in file_edit(src/*), or write the tool alone to allow all of them"
	case !utf8.ValidString(text) || strings.ContainsFunc(text, isControl):
		return nil, "Leave out what cannot be seen"
	case strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~"):
		return nil, "Write a path below this directory, such as src/*"
	}
	var names pathPattern
	for name := range strings.SplitSeq(text, "/") {
		w := word{}
		for _, r := range name {
			if r == '*' {
				r = anyRunes
			}
			w = append(w, r)
		}
		switch {
		case name == "" || name == "." || name == "..":
			return nil, "Write a path below this directory without //, . and .."
		case strings.Contains(name, "**") && name != "**":
			return nil, "Let ** stand for whole names, as in src/**/*.go"
		}
		names = append(names, w)
	}
	return names, ""
}

// fits implements pattern.
func (p pathPattern) fits(c ruledCall) bool {
	path, ok := c.path()
	if !ok {
		return false
	}
	return namesMatch(p, word([]rune(path)).names())
}

// path returns where below the directory the file really lies that a call would
// change; false if it does not lie there.
func (c ruledCall) path() (below string, ok bool) {
	in, ok := rawArgs[struct {
		Path string `json:"path"`
	}](c.args)
	if !ok || in.Path == "" || !utf8.ValidString(in.Path) || strings.ContainsRune(in.Path, 0) ||
		slices.Contains(strings.Split(in.Path, "/"), "..") {
		return "", false
	}
	full := in.Path
	if rest, inHome := strings.CutPrefix(full, "~/"); (inHome || full == "~") && c.home != "" {
		full = filepath.Join(c.home, rest)
	}
	if !filepath.IsAbs(full) {
		full = filepath.Join(c.dir, full)
	}
	real, err := realPath(filepath.Clean(full))
	if err != nil {
		return "", false
	}
	top, err := filepath.EvalSymlinks(c.dir)
	if err != nil {
		return "", false
	}
	below, err = filepath.Rel(top, real)
	return filepath.ToSlash(below), err == nil && filepath.IsLocal(below) && below != "."
}

// realPath returns path without symbolic links, also of a file that does not exist
// yet. A link to what does not exist is an error.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fs.ErrNotExist // of the link, which is there
	}
	dir := filepath.Dir(path)
	if dir == path {
		return "", err
	}
	if dir, err = realPath(dir); err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}
