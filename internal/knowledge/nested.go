package knowledge

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"ikigai"
)

// applies ends the line that tells of instructions.
const applies = " applies here: read it."

// Nested tells the model of an interaction where a directory that it has come to has
// instructions of its own: once each, and their path alone. What it was told is a
// projection of the log. Make one with NewNested; it may be used by several goroutines
// at once.
type Nested struct {
	interaction, dir string

	mu   sync.Mutex
	told map[string]bool // by path below dir
}

// NewNested returns the projection before the first event of an interaction in the
// directory dir, an absolute path. In dir itself and above it nothing is told: those
// instructions stand in the system prompt.
func NewNested(interaction, dir string) *Nested {
	return &Nested{interaction: interaction, dir: dir, told: map[string]bool{}}
}

// Add takes in the next event of the session. What is no longer sent, since the
// conversation went back, began anew or was summed up, may be told again.
func (n *Nested) Add(e ikigai.Event) {
	if e.Interaction != n.interaction {
		return
	}
	switch e.Kind {
	case ikigai.KindToolResult:
		n.addResult(e)
	case ikigai.KindRewind, ikigai.KindClear:
		n.forget()
	case ikigai.KindProjection:
		var d ikigai.ProjectionData
		if e.DecodeData(&d) == nil && d.Summary != nil {
			n.forget()
		}
	}
}

func (n *Nested) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.told)
}

func (n *Nested) addResult(e ikigai.Event) {
	if !bytes.Contains(e.Data, []byte(".md")) {
		return // most results are long, and of no such file
	}
	var d ikigai.ToolResultData
	if e.DecodeData(&d) != nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for line := range strings.Lines(d.Note) {
		if where, ok := strings.CutSuffix(strings.TrimRight(line, "\n"), applies); ok {
			name, in, _ := strings.Cut(where, " in ")
			n.told[filepath.Join(in, name)] = true
		}
	}
	for _, r := range d.Resources {
		if below, err := filepath.Rel(n.dir, r.URI); err == nil && slices.Contains(instructionNames, filepath.Base(below)) {
			n.told[below] = true
		}
	}
}

// mostTold bounds the files of which a model is told with one result: a search finds
// something in any number of directories. It is told of the others when it comes to
// them again.
const mostTold = 5

// Note returns what the model is to be told with a result that has come to
// resources, "" if nothing: a line for each file with instructions in a directory of
// theirs, the outermost first, and no more than mostTold.
func (n *Nested) Note(resources []ikigai.Resource) string {
	names := n.names(resources)
	n.mu.Lock()
	defer n.mu.Unlock()
	var lines []string
	for _, r := range resources {
		for _, below := range n.above(r) {
			if len(lines) < mostTold {
				lines = append(lines, n.in(below, names[below], r.URI)...)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// names returns the names of the files with instructions in the directories that
// resources lie in, "" where there is none. The disk is asked without the lock: where it
// hangs, Add, and with it the session, does not.
func (n *Nested) names(resources []ikigai.Resource) map[string]string {
	names := map[string]string{}
	for _, r := range resources {
		for _, below := range n.above(r) {
			if _, ok := names[below]; !ok {
				names[below] = instructionsIn(filepath.Join(n.dir, below))
			}
		}
	}
	return names
}

// above returns the directories below dir that a resource lies in, the outermost first.
func (n *Nested) above(r ikigai.Resource) (all []string) {
	below, err := filepath.Rel(n.dir, filepath.Dir(r.URI))
	if !filepath.IsAbs(r.URI) || err != nil || below == "." || !filepath.IsLocal(below) {
		return nil
	}
	for i, c := range []byte(below + "/") {
		if c == '/' {
			all = append(all, below[:i])
		}
	}
	return all
}

// in returns the line that tells of the instructions in a directory below dir, by the
// name of their file, if there are any and the model has not come for them.
func (n *Nested) in(below, name, came string) []string {
	path := filepath.Join(below, name)
	if name == "" || n.told[path] || strings.ContainsFunc(path, unicode.IsControl) {
		return nil
	}
	n.told[path] = true
	if came == filepath.Join(n.dir, path) {
		return nil // it is just reading them
	}
	return []string{name + " in " + below + applies}
}
