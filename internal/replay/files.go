package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"ikigai"
)

// judgeFiles compares the files that a call has changed with what they were
// after it when it was recorded.
func (p *player) judgeFiles(was ikigai.Event, result ikigai.ToolResultData) {
	want := map[string]ikigai.FileState{}
	for _, r := range result.Resources {
		if r.Changed && r.SHA256 != "" {
			want[r.URI] = ikigai.FileState{Exists: true, SHA256: r.SHA256}
		}
	}
	for _, e := range p.tape.events[p.tape.next:p.tape.end] {
		var d ikigai.ChangeData
		if e.Kind == ikigai.KindChange && e.DecodeData(&d) == nil && d.CallID == result.ToolCallID && d.After != nil {
			want[d.Path] = *d.After
		}
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		then := want[path]
		if then.Exists && then.SHA256 == "" {
			continue // a link, or what was not read
		}
		p.report.Files++
		if now := p.hash(path); now != then.SHA256 {
			p.note(was.Seq, Difference{What: "file", Place: path, Was: stateText(then.SHA256), Is: stateText(now)})
		}
	}
}

// hash returns the SHA-256 of a file of the session, "" if it is not there.
func (p *player) hash(path string) string {
	if below, err := filepath.Rel(p.sessionDir(), path); err == nil && filepath.IsLocal(below) {
		path = filepath.Join(p.Dir, below)
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "unreadable"
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// sessionDir returns the directory in which the session was recorded.
func (p *player) sessionDir() string {
	var d ikigai.SessionData
	if len(p.Events) > 0 {
		_ = p.Events[0].DecodeData(&d) // what is damaged names none
	}
	return d.Dir
}

func stateText(sha256 string) string {
	if sha256 == "" {
		return "not there"
	}
	return "SHA-256 " + sha256
}
