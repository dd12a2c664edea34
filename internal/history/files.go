package history

import (
	"sync"

	"ikigai"
)

// Files is what the model of an interaction knows of files: the content that it
// read or left last, as a projection of the log. It may be used by several
// goroutines at once. Make one with NewFiles.
type Files struct {
	interaction string

	mu    sync.Mutex
	trail trail[knownFile]
	now   map[string]string // path to hash: what the trail makes
}

// knownFile is a file of a result whose content is known.
type knownFile struct{ path, sha256 string }

// NewFiles returns what is known of files before the first event of an
// interaction.
func NewFiles(interaction string) *Files {
	return &Files{interaction: interaction, now: map[string]string{}}
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
	if e.Kind == ikigai.KindToolResult {
		for _, r := range resourcesOf(e) {
			if r.SHA256 != "" {
				file := knownFile{r.URI, r.SHA256}
				f.trail.add(e.Seq, file)
				f.now[file.path] = file.sha256
			}
		}
		return
	}
	if f.trail.turn(e) {
		clear(f.now)
		for _, file := range f.trail.way() {
			f.now[file.path] = file.sha256
		}
	}
}
