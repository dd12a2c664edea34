package exttool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// file is an executable in a directory of tools.
type file struct {
	dir   Dir
	path  string // to run
	shown string // for people
	name  string // of the tool, by the name of the file; "" where that does not tell
	stamp stamp
	key   string // of its content, once that is known
}

// scan returns the executables of all directories, in their order, and what is
// wrong with others.
func scan(dirs []Dir) (files []file, problems []Problem) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, Problem{dir.shown(), "The directory cannot be read: " + cause(err).Error(), "Check its owner and mode"})
		}
		for _, entry := range entries {
			name := entry.Name()
			if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || entry.IsDir() {
				continue
			}
			f := file{dir: dir, path: filepath.Join(dir.Path, name), shown: filepath.Join(dir.shown(), name)}
			if problem := f.look(); problem != nil {
				problems = append(problems, *problem)
			} else if f.stamp != (stamp{}) {
				files = append(files, f)
			}
		}
	}
	return files, problems
}

// look sets the stamp of f if it is an executable. What is none lies beside the
// tools and concerns nobody, unless it was meant to be one.
func (f *file) look() *Problem {
	s, mode, err := stampOf(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isLink(f.path):
		return &Problem{f.shown, "There is no such file", "Check the path"}
	case err != nil:
		return &Problem{f.shown, "The file cannot be looked at: " + cause(err).Error(), "Repair the link, or remove it"}
	case mode&unix.S_IFMT != unix.S_IFREG:
		return nil
	case mode&0o111 == 0:
		if isProgram(f.path) {
			return &Problem{f.shown, "The file is not executable", "Make it so with `chmod +x " + f.shown + "`, or move it elsewhere"}
		}
		return nil
	}
	f.stamp = s
	if !f.dir.Toolbox {
		f.name = FileTool(f.path)
	}
	return nil
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// isProgram reports whether a file begins like one that can be run.
func isProgram(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var begin [4]byte
	n, _ := f.Read(begin[:])
	return strings.HasPrefix(string(begin[:n]), "#!") || string(begin[:n]) == "\x7fELF"
}

// FileTool returns the folded name that a tool must have in a file of this path.
func FileTool(path string) string {
	base := filepath.Base(path)
	ext := filepath.Ext(base)
	if slices.Contains([]string{".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".exe"}, ext) {
		base = strings.TrimSuffix(base, ext)
	}
	return Fold(base)
}

// Fold returns the form that the names of one tool have in common: - and _ are
// the same.
func Fold(name string) string { return strings.ReplaceAll(name, "-", "_") }
