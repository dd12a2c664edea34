package knowledge

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxFile bounds what is read of a file of the person's. A longer one is told of and
// passed over.
const maxFile = 256 << 10

// Own reads what the person keeps in dir for all projects: AGENTS.md, and skills. What
// cannot be read is told in two sentences each.
func Own(dir string) (files Files, problems []string) {
	read := func(path string) []File {
		content, err := readFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return nil
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s cannot be read: %v. Repair it or remove it.", path, cause(err)))
			return nil
		}
		return []File{{Path: path, Content: content}}
	}
	files.Instructions = read(filepath.Join(dir, instructionNames[0]))
	files.Own = len(files.Instructions)
	skills := filepath.Join(dir, skillsName)
	f, err := os.Open(skills)
	if err != nil {
		return files, problems
	}
	defer f.Close()
	for _, name := range skillNames(f) {
		files.Skills = append(files.Skills, read(filepath.Join(skills, name, skillFile))...)
	}
	return files, problems
}

// Now says in a few words how a file is other than it was when it was told of; "" if
// it is the same.
func (t Told) Now() string {
	content, err := readFile(t.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is gone"
	case err != nil || sum(File{Content: content}) != t.SHA256:
		return "has changed"
	}
	return ""
}

// readFile reads a file that is not too large. Opening what is none does not block.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = fmt.Errorf("it has more than %d KiB", maxFile>>10)
	}
	return content, err
}

// cause returns what is wrong with a file without its path.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
