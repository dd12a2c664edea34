package trust

import (
	"fmt"
	"os"
	"path/filepath"
)

// Texts are files of a project that models are to read: instructions, skills, and
// commands that say something in a person's place.
// They need not lie in the project's directory: Top is that directory or one above
// it, and their paths are below Top, with slashes. Files that are not there count
// for nothing.
type Texts struct {
	Top          string
	Instructions []string
	Skills       []string
	Commands     []string
}

func (t Texts) none() bool { return len(t.Instructions)+len(t.Skills)+len(t.Commands) == 0 }

// texts reads what models are to read. A text that cannot be read, or leads out of
// Top, is passed over, with the reason: it makes nothing else unfit to be trusted.
func (s *scanner) texts(t Texts) (passed []string) {
	if t.none() {
		return nil
	}
	root, err := os.OpenRoot(t.Top)
	if err != nil {
		return []string{"What lies in " + t.Top + " cannot be read: " + err.Error() + ". Make the directory readable."}
	}
	defer func() { _ = root.Close() }()
	left := maxTexts
	read := func(path string, kind Kind) {
		if left < 0 {
			return // it was said of the one before
		}
		reader := &scanner{root: root, dir: t.Top}
		e, ok := reader.read(path, maxSettings)
		if left -= len(e.data); left < 0 {
			reader.problem, ok = "", false
			reader.failed(path, fmt.Sprintf("and those after it go beyond the %d MiB that can be judged", maxTexts>>20), "Make them fewer")
		}
		if reader.problem != "" {
			passed = append(passed, reader.problem)
		}
		if ok {
			// Whether a text can be executed says nothing.
			e.kind, e.text, e.path = plainFile, kind, from(s.dir, filepath.Join(t.Top, path))
			s.entries = append(s.entries, e)
		}
	}
	for _, path := range t.Instructions {
		read(path, KindInstructions)
	}
	for _, path := range t.Skills {
		read(path, KindSkill)
	}
	for _, path := range t.Commands {
		read(path, KindCommand)
	}
	return passed
}

// from returns a path as one from a directory, with slashes.
func from(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// Text returns the content of a text by its path below top, as it was hashed, and
// false if there was none.
func (p *Project) Text(top, path string) ([]byte, bool) {
	i, found := p.find(from(p.Dir, filepath.Join(top, path)))
	if !found {
		return nil, false
	}
	return p.entries[i].data, true
}

// Covers reports whether p is nothing but texts, and d, which is about a directory
// around that of p, trusts each of them as it is now. So who trusts a repository is
// not asked again about its instructions in a directory below.
func (d Decision) Covers(p *Project) bool {
	if !d.Trusted || p.Problem != "" || len(p.entries) == 0 {
		return false
	}
	for _, e := range p.entries {
		e.path = from(d.Dir, filepath.Join(p.Dir, e.path))
		if e.text == "" || d.Items[e.path] != e.hashed().item().SHA256 {
			return false
		}
	}
	return true
}

// Around returns the nearest decision about a directory around that of p which
// Covers it, and whether there is one.
func (b *Book) Around(p *Project) (Decision, bool) {
	pages, err := b.read()
	if err != nil {
		return Decision{}, false
	}
	for dir := p.Dir; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		if page, found := pages[encode(dir)]; found {
			if d := page.decision(dir); d.Covers(p) {
				return d, true
			}
		}
	}
	return Decision{}, false
}
