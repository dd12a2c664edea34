package session

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"ikigai"
)

// partial is the file that keeps what a person was shown of a reply that is
// not finished. It is written before the text is painted and never synced: it
// outlives the process, not the machine. Its lines are JSON, a first one with
// the place in the session, then pieces of text.
//
// Nothing depends on it but the text of a reply after a crash, so errors in
// writing it are not told.
type partial struct {
	path string
	file *os.File
	live bool // the file holds the text of the reply under way
}

// shown is a line of the file, and all of them joined.
type shown struct {
	After    ikigai.Seq `json:"after,omitempty"` // of the first line: the session's last event on a disk when the reply began
	Text     string     `json:"text,omitempty"`
	Thinking string     `json:"thinking,omitempty"`
}

func (s shown) empty() bool { return s.Text == "" && s.Thinking == "" }

// add keeps a piece of the reply that came when the session's last event on a
// disk was after.
func (p *partial) add(after ikigai.Seq, piece shown) {
	if p.path == "" || !p.ready() {
		return
	}
	var lines []byte
	if !p.live {
		p.live = true
		if p.file.Truncate(0) != nil {
			return
		}
		_, _ = p.file.Seek(0, 0)
		lines = appendLine(lines, shown{After: after})
	}
	_, _ = p.file.Write(appendLine(lines, piece))
}

// ready opens the file at first use.
func (p *partial) ready() bool {
	if p.file != nil {
		return true
	}
	if os.MkdirAll(filepath.Dir(p.path), 0o700) != nil {
		return false
	}
	f, err := os.OpenFile(p.path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	p.file = f
	return true
}

// end tells that the reply is recorded. The text goes when the next reply
// begins: until then its place says that it is out of date.
func (p *partial) end() { p.live = false }

// clear removes the file.
func (p *partial) clear() {
	if p.file != nil {
		_ = p.file.Close()
		p.file = nil
	}
	p.live = false
	if p.path != "" {
		_ = os.Remove(p.path)
	}
}

// Unfinished returns what the file at path, the Partial of a session's Config,
// holds of a reply that is in no event of that session. replied is the last
// event of it that EndsReply.
func Unfinished(path string, replied ikigai.Seq) (text, thinking string) {
	if all := readPartial(path); all.After >= replied {
		return all.Text, all.Thinking
	}
	return "", ""
}

// EndsReply reports whether an event records what was shown of a reply, so that
// what the file holds from before it is out of date.
func EndsReply(e ikigai.Event) bool {
	switch e.Kind {
	case ikigai.KindAssistant, ikigai.KindToolCall, ikigai.KindInterrupted, ikigai.KindUsage:
		return e.Interaction == ikigai.Main
	}
	return false
}

// readPartial returns what the file holds. A torn last line is left out.
func readPartial(path string) shown {
	f, err := os.Open(path)
	if err != nil {
		return shown{}
	}
	defer f.Close()
	var all shown
	var text, thinking strings.Builder
	for r := bufio.NewReader(f); ; {
		raw, err := r.ReadBytes('\n')
		var line shown
		if err != nil || json.Unmarshal(raw, &line) != nil {
			break
		}
		all.After = max(all.After, line.After)
		text.WriteString(line.Text)
		thinking.WriteString(line.Thinking)
	}
	all.Text, all.Thinking = text.String(), thinking.String()
	return all
}

func appendLine(b []byte, line shown) []byte {
	raw, err := json.Marshal(line)
	if err != nil {
		return b
	}
	return append(append(b, raw...), '\n')
}
