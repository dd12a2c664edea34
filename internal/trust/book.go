package trust

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/wholefile"
)

// Book is a person's file of decisions. Several processes may use one at once.
type Book struct {
	path string
}

// Open returns the book at path. It is made with the first decision, for its
// owner alone.
func Open(path string) *Book { return &Book{path} }

// Path returns where the book lies.
func (b *Book) Path() string { return b.path }

// Decision is what a person has said of a project, as it was then.
type Decision struct {
	Dir     string
	SHA256  string // of the Project
	Trusted bool
	Time    ikigai.Micros
	Items   map[string]string // hashes by path
}

// Change is how an item differs from the one that was judged.
type Change struct {
	Path string
	How  string // "new", "changed" or "gone"
}

// Changes returns how p differs from what d judged, by path.
func (d Decision) Changes(p *Project) []Change {
	var all []Change
	now := map[string]bool{}
	for _, i := range p.Items {
		now[i.Path] = true
		switch before, known := d.Items[i.Path]; {
		case !known:
			all = append(all, Change{i.Path, "new"})
		case before != i.SHA256:
			all = append(all, Change{i.Path, "changed"})
		}
	}
	for path := range d.Items {
		if !now[path] {
			all = append(all, Change{path, "gone"})
		}
	}
	slices.SortFunc(all, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

// Holds reports whether d is about exactly what p is.
func (d Decision) Holds(p *Project) bool {
	return d.Dir == p.Dir && d.SHA256 == p.SHA256() && p.Problem == ""
}

// Trusted reports whether the person trusts exactly what p is. A book that cannot
// be read trusts nothing.
func (b *Book) Trusted(p *Project) bool {
	d, found, err := b.Last(p.Dir)
	return err == nil && found && d.Trusted && d.Holds(p)
}

// Last returns the last decision about a directory, and whether there is one.
// Without one it is the zero Decision.
func (b *Book) Last(dir string) (Decision, bool, error) {
	pages, err := b.read()
	if err != nil {
		return Decision{}, false, err
	}
	p, found := pages[encode(dir)]
	if !found {
		return Decision{}, false, nil
	}
	return p.decision(dir), true, nil
}

// Decide records what the person says of p as it is. It refuses to trust what
// has a problem.
func (b *Book) Decide(p *Project, trusted bool) error {
	if p.Problem != "" && trusted {
		return errors.New(p.Problem)
	}
	items := make(map[string]string, len(p.Items))
	for _, i := range p.Items {
		items[encode(i.Path)] = i.SHA256
	}
	return b.change(func(pages map[string]page) {
		pages[encode(p.Dir)] = page{SHA256: p.SHA256(), Trusted: trusted, Time: ikigai.MicrosOf(time.Now()), Items: items}
	})
}

// Forget removes the decision about a directory. That there is none is an
// fs.ErrNotExist.
func (b *Book) Forget(dir string) error {
	if _, found, err := b.Last(dir); err != nil {
		return err
	} else if !found {
		return fs.ErrNotExist
	}
	return b.change(func(pages map[string]page) { delete(pages, encode(dir)) })
}

// List returns all decisions, by directory.
func (b *Book) List() ([]Decision, error) {
	pages, err := b.read()
	var all []Decision
	for _, key := range slices.Sorted(maps.Keys(pages)) {
		all = append(all, pages[key].decision(decode(key)))
	}
	return all, err
}

// page is a Decision as the file has it, below the encoded directory.
type page struct {
	SHA256  string            `json:"sha256"`
	Trusted bool              `json:"trusted"`
	Time    ikigai.Micros     `json:"time"`
	Items   map[string]string `json:"items"` // by encoded path
}

func (p page) decision(dir string) Decision {
	d := Decision{Dir: dir, SHA256: p.SHA256, Trusted: p.Trusted, Time: p.Time, Items: make(map[string]string, len(p.Items))}
	for path, sum := range p.Items {
		d.Items[decode(path)] = sum
	}
	return d
}

// encode returns a path as JSON can hold it. JSON knows no bytes that are not
// UTF-8, and two paths must not become one.
func encode(path string) string {
	if utf8.ValidString(path) && path != "" && path[0] != '"' {
		return path
	}
	return strconv.QuoteToASCII(path)
}

func decode(text string) string {
	if path, err := strconv.Unquote(text); err == nil && text[0] == '"' {
		return path
	}
	return text
}

// maxBook bounds the file, in bytes.
const maxBook = 64 << 20

// file is the whole of the file.
type file struct {
	Version  int             `json:"version"`
	Projects map[string]page `json:"projects"`
}

const bookVersion = 1

// read returns the pages of the book, none if there is no file. Who else could
// have written it could have anything trusted: it is not read then.
func (b *Book) read() (map[string]page, error) {
	f, err := os.Open(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !own(info) || info.Mode().Perm()&0o022 != 0 || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s can be written by others than you", b.path)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxBook))
	if err != nil {
		return nil, err
	}
	var whole file
	if err := json.Unmarshal(raw, &whole); err != nil || whole.Version != bookVersion {
		return nil, fmt.Errorf("%s is no file of decisions of this version", b.path)
	}
	return whole.Projects, nil
}

// change reads, changes and writes the book while no other process does.
func (b *Book) change(how func(map[string]page)) error {
	dir := filepath.Dir(b.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	unlock, err := wholefile.Lock(b.path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	pages, err := b.read()
	if err != nil {
		return err
	}
	if pages == nil {
		pages = map[string]page{}
	}
	how(pages)
	raw, err := json.MarshalIndent(file{bookVersion, pages}, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Replace(b.path, append(raw, '\n'))
}
