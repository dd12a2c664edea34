package trust

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of what is read of a project. What goes beyond them is never trusted.
const (
	maxFiles    = 4096     // files, links and directories among the tools
	maxDepth    = 16       // directories in each other
	maxBytes    = 32 << 20 // of all tools
	maxTexts    = 8 << 20  // of all instructions and skills
	maxSettings = 256 << 10
	maxNesting  = 4096 // objects and lists of one file of settings: reading deep ones takes much memory
)

// Kind says what an Item is.
type Kind string

// Kinds of items, in the order in which people are told of them. Whatever else of
// a project will act one day needs a kind here, a reader in Scan, and a word in
// Item.String.
const (
	KindSettings     Kind = "settings"     // .ikigai/config.json
	KindServers      Kind = "servers"      // .mcp.json, as other agents have it
	KindInstructions Kind = "instructions" // a text that models are to follow
	KindSkill        Kind = "skill"        // a SKILL.md, which they may read
	KindCommand      Kind = "command"      // a text that a person says by a name
	KindTool         Kind = "tool"         // an executable in .ikigai/tools itself that is not hidden
	KindBeside       Kind = "file"         // anything else there: a tool may read or run it
)

// kinds are all kinds, in their order.
var kinds = []Kind{KindSettings, KindServers, KindInstructions, KindSkill, KindCommand, KindTool, KindBeside}

// sources are where a project keeps what could act, and how each is read.
var sources = []struct {
	path string
	read func(*scanner, string)
}{
	{settingsPath, (*scanner).file},
	{serversPath, (*scanner).file},
	{toolsPath, (*scanner).tools},
}

const (
	ikigaiDir    = ".ikigai"
	settingsPath = ikigaiDir + "/config.json"
	toolsPath    = ikigaiDir + "/tools"
	serversPath  = ".mcp.json"
)

// Project is what a directory brings that could act, as it was at one moment. It
// does not change with the directory.
type Project struct {
	Dir   string // absolute, without symbolic links
	Items []Item // by kind and path; none where nothing could act

	// Problem says, as two sentences for a person, why nothing of it can be
	// trusted. It is "" in the usual case.
	Problem string

	// Passed says, as two sentences for a person each, which of the texts are
	// passed over, and why. It keeps nobody from trusting the rest.
	Passed []string

	entries []entry // by path
}

// Item is one file that could act.
type Item struct {
	Kind   Kind
	Path   string // from the project's directory, with slashes; any bytes but NUL
	Size   int64
	SHA256 string   // of path, kind and content, hexadecimal
	Does   []string // what settings and servers say, a line each
	Link   string   // where it points to, if it is a symbolic link
}

// String returns the item in a few words, such as "tool deploy". It may hold
// whatever a file's name can hold.
func (i Item) String() string {
	switch i.Kind {
	case KindTool:
		return "tool " + i.Name()
	case KindSettings:
		return "settings " + i.Path
	case KindServers:
		return "MCP servers " + i.Path
	case KindInstructions:
		return "instructions " + i.Path
	case KindSkill:
		return "skill " + i.Name()
	case KindCommand:
		return "command " + i.Path
	}
	return "file " + i.Path
}

// Name returns the last part of the item's path, of a skill the directory that it
// is.
func (i Item) Name() string {
	if i.Kind == KindSkill {
		return path.Base(path.Dir(i.Path))
	}
	return path.Base(i.Path)
}

// entry is a file or link with its bytes. Directories are no entries: those that
// hold something follow from the paths, the others do nothing.
type entry struct {
	kind entryKind
	path string // from the project's directory, with slashes
	data []byte // the content, or where the link points to
	link string // of a file that was reached by a link: where that points to
	text Kind   // of a text; "" of all else

	sum [sha256.Size]byte // of all that counts; no two entries share one
}

type entryKind byte

const (
	plainFile  entryKind = 'f'
	executable entryKind = 'x'
	link       entryKind = 'l'
)

// hashed returns e with its sum.
func (e entry) hashed() entry {
	h := sha256.New()
	h.Write([]byte{byte(e.kind)})
	h.Write(binary.AppendUvarint(nil, uint64(len(e.path))))
	h.Write([]byte(e.path))
	h.Write(e.data)
	h.Sum(e.sum[:0])
	return e
}

// hashOf covers entries in the order of their paths. purpose keeps hashes of
// different things apart.
func hashOf(purpose string, entries []entry) string {
	h := sha256.New()
	h.Write([]byte("ikigai trust 1 " + purpose + "\n"))
	for _, e := range entries {
		h.Write(e.sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Scan reads what lies in dir and could act. Of a directory with nothing of the
// kind it costs two looks. The error is one of the file system: dir itself cannot
// be read.
//
// mine is the path of a file that is the person's own wherever it lies, such as
// their settings; it is passed over. It may be "". texts are what models are to
// read of the project, where that is known.
func Scan(dir, mine string, texts Texts) (*Project, error) {
	if texts.none() && !exists(filepath.Join(dir, ikigaiDir)) && !exists(filepath.Join(dir, serversPath)) {
		return &Project{Dir: dir}, nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	s := &scanner{root: root, dir: real, bytes: maxBytes, files: maxFiles}
	for _, source := range sources {
		if mine == "" || mine != filepath.Join(dir, source.path) && mine != filepath.Join(real, source.path) {
			source.read(s, source.path)
		}
	}
	passed := s.texts(texts)
	p := s.project()
	p.Passed = passed
	return p, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Empty reports whether there is nothing that could act.
func (p *Project) Empty() bool { return len(p.Items) == 0 && p.Problem == "" }

// SHA256 returns the hash of all that could act, hexadecimal. It is the same as
// that of another project only where all paths, kinds and contents are the same.
func (p *Project) SHA256() string { return hashOf("project", p.entries) }

// Config returns the project's settings, nil if it has none.
func (p *Project) Config() []byte { return p.content(settingsPath) }

// MCP returns the project's .mcp.json, nil if it has none.
func (p *Project) MCP() []byte { return p.content(serversPath) }

// ConfigPath and MCPPath return where these lie.
func (p *Project) ConfigPath() string { return filepath.Join(p.Dir, settingsPath) }
func (p *Project) MCPPath() string    { return filepath.Join(p.Dir, serversPath) }

// Content returns what an item holds, as it was hashed; nil for a symbolic link.
func (p *Project) Content(i Item) []byte {
	if i.Link != "" {
		return nil
	}
	return p.content(i.Path)
}

func (p *Project) content(path string) []byte {
	i, found := p.find(path)
	if !found {
		return nil
	}
	return bytes.Clone(p.entries[i].data)
}

// find returns the place of an entry.
func (p *Project) find(path string) (int, bool) {
	return slices.BinarySearchFunc(p.entries, path, func(e entry, path string) int { return cmp.Compare(e.path, path) })
}

// project puts together what was read.
func (s *scanner) project() *Project {
	slices.SortFunc(s.entries, func(a, b entry) int { return cmp.Compare(a.path, b.path) })
	p := &Project{Dir: s.dir, Problem: s.problem, entries: s.entries}
	for i, e := range s.entries {
		p.entries[i] = e.hashed()
		p.Items = append(p.Items, p.entries[i].item())
	}
	// Nobody is shown thousands of files: what they may hide stands before them.
	slices.SortStableFunc(p.Items, func(a, b Item) int {
		return cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind))
	})
	return p
}

func (e entry) item() Item {
	i := Item{Kind: KindBeside, Path: e.path, Size: int64(len(e.data)), SHA256: hex.EncodeToString(e.sum[:]), Link: e.link}
	switch below, among := strings.CutPrefix(e.path, toolsPath+"/"); {
	case e.path == settingsPath:
		i.Kind, i.Does = KindSettings, settingsDo(e.data)
	case e.path == serversPath:
		i.Kind, i.Does = KindServers, settingsDo(e.data)
	case e.text != "":
		i.Kind = e.text
	case among && e.kind != plainFile && !strings.Contains(below, "/") && below[0] != '.':
		i.Kind = KindTool
	}
	if e.kind == link {
		i.Link, i.Size = string(e.data), 0
	}
	return i
}

// failed notes why the project cannot be trusted. The first reason stays.
func (s *scanner) failed(path, what, do string) {
	if s.problem == "" {
		s.problem = fmt.Sprintf("%s %s. %s.", filepath.Join(s.dir, path), what, do)
	}
}
