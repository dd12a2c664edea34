package knowledge

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// instructionNames are the names of files with instructions. The first that a
// directory has is read, the others of it are not.
var instructionNames = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"}

// holders are the directories that hold skills, the last of them the first to be
// heard.
var holders = []string{".claude", ".agents", ".ikigai"}

const (
	skillsName = "skills"
	skillFile  = "SKILL.md"
)

// maxSkills bounds the entries that are read of a directory of skills.
const maxSkills = 256

// Place is where a project keeps instructions and skills. Paths are below Top, with
// slashes, the nearest to the working directory last.
type Place struct {
	Top          string // the directory of the repository, or the working directory
	Instructions []string
	Skills       []string // files that may not be there
	Commands     []string // that a person has kept
}

// Find looks for what counts in dir, an absolute path without symbolic links. own
// is the directory of what is the person's alone; nothing there is a project's.
// Nothing is read, no tree is walked, and nothing but directories above dir and the
// few that can hold skills is looked at.
func Find(dir, own string) Place {
	p := Place{Top: Repository(dir)}
	if p.Top == "" {
		p.Top = dir
	}
	for _, at := range way(p.Top, dir) {
		if at == own {
			continue
		}
		if name := instructionsIn(at); name != "" {
			p.Instructions = append(p.Instructions, p.below(filepath.Join(at, name)))
		}
	}
	for _, at := range slices.Compact([]string{p.Top, dir}) {
		p.Commands = append(p.Commands, p.commandsIn(filepath.Join(at, ".ikigai", commandsName))...)
		for _, holder := range holders {
			if there(filepath.Join(at, holder)) {
				p.Skills = append(p.Skills, p.skillsIn(filepath.Join(at, holder, skillsName))...)
			}
		}
	}
	return p
}

// Repository returns the nearest directory, dir or one above it, that has a .git,
// and "" if there is none.
func Repository(dir string) string {
	for {
		if there(filepath.Join(dir, ".git")) {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}

// way returns the directories from top down to dir.
func way(top, dir string) []string {
	all := []string{dir}
	for dir != top {
		dir = filepath.Dir(dir)
		all = append(all, dir)
	}
	slices.Reverse(all)
	return all
}

// instructionsIn returns the name of the file with the instructions of a directory,
// "" if it has none.
func instructionsIn(dir string) string {
	for _, name := range instructionNames {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return name
		}
	}
	return ""
}

// skillsIn returns where the skills in a directory may be, by name. It follows no
// link out of the project.
func (p Place) skillsIn(dir string) []string {
	root, err := os.OpenRoot(p.Top)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	below := p.below(dir)
	f, err := root.Open(below)
	if err != nil {
		return nil
	}
	defer f.Close()
	var all []string
	for _, name := range skillNames(f) {
		all = append(all, below+"/"+name+"/"+skillFile)
	}
	return all
}

// skillNames returns the names of what may be skills in a directory.
func skillNames(dir *os.File) []string {
	entries, _ := dir.ReadDir(maxSkills) // what cannot be read holds no skill
	var names []string
	for _, e := range entries {
		if (e.IsDir() || e.Type()&fs.ModeSymlink != 0) && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

// below returns a path as one below Top.
func (p Place) below(path string) string {
	return filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(path, p.Top), string(filepath.Separator)))
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
