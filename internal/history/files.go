package history

import (
	"bytes"
	"slices"
	"sort"
	"sync"

	"ikigai"
)

// Files is what the model of an interaction knows of files: the content that it
// read or left last, as a projection of the log. It may be used by several
// goroutines at once. Make one with NewFiles.
type Files struct {
	interaction string

	mu    sync.Mutex
	steps []fileStep        // all that was ever known, in order, on whatever branch
	at    int               // the last step of the conversation as it is; -1 if there is none
	now   map[string]string // path to hash: what the steps up to at make
}

// fileStep is one file of a result, or a turn that the conversation took: a
// rewind, or a clear.
type fileStep struct {
	seq    ikigai.Seq
	before int // the step that the conversation went on from, or -1
	path   string
	sha256 string
	clear  bool
}

// NewFiles returns what is known of files before the first event of an
// interaction.
func NewFiles(interaction string) *Files {
	return &Files{interaction: interaction, at: -1, now: map[string]string{}}
}

// Known returns the hash, in hexadecimal, of the content of the file at path,
// an absolute one, as the model read or left it last, and false if it did
// neither.
func (f *Files) Known(path string) (sha256 string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sha256, ok = f.now[path]
	return sha256, ok
}

// Add takes in the next event of the session. After a rewind the model knows
// what it knew then; after a clear it knows nothing.
func (f *Files) Add(e ikigai.Event) {
	if e.Interaction != f.interaction {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e.Kind {
	case ikigai.KindToolResult:
		f.addResult(e)
	case ikigai.KindRewind:
		f.rewind(e)
	case ikigai.KindClear:
		f.add(fileStep{seq: e.Seq, clear: true})
	}
}

func (f *Files) addResult(e ikigai.Event) {
	if !bytes.Contains(e.Data, []byte(`"sha256":`)) {
		return // most results are long, and of no file
	}
	var d struct {
		Resources []ikigai.Resource `json:"resources"`
	}
	if e.DecodeData(&d) != nil {
		return
	}
	for _, r := range d.Resources {
		if r.SHA256 != "" {
			f.add(fileStep{seq: e.Seq, path: r.URI, sha256: r.SHA256})
		}
	}
}

func (f *Files) add(s fileStep) {
	s.before = f.at
	f.steps = append(f.steps, s)
	f.at = len(f.steps) - 1
	f.take(s)
}

func (f *Files) take(s fileStep) {
	switch {
	case s.clear:
		clear(f.now)
	case s.path != "":
		f.now[s.path] = s.sha256
	}
}

// rewind goes back to what was known right after an earlier event, on whatever
// branch that stands. The rewind is a step, too: a later one may go back to what
// follows it.
func (f *Files) rewind(e ikigai.Event) {
	var d ikigai.RewindData
	if e.DecodeData(&d) != nil || d.To < 1 || d.To >= e.Seq {
		return
	}
	f.at = sort.Search(len(f.steps), func(i int) bool { return f.steps[i].seq > d.To }) - 1
	clear(f.now)
	var way []fileStep
	for i := f.at; i >= 0; i = f.steps[i].before {
		way = append(way, f.steps[i])
	}
	for _, s := range slices.Backward(way) {
		f.take(s)
	}
	f.add(fileStep{seq: e.Seq})
}
