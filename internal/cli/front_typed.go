package cli

import (
	"path/filepath"

	"ikigai/internal/tui"
	"ikigai/internal/tui/editor"
)

// typed is what the person has typed, in all sessions. Why it cannot be kept is told
// once.
type typed struct {
	*editor.File
	tell func(string)
	told bool
}

// Add implements tui.History.
func (t *typed) Add(text string) {
	t.File.Add(text)
	if err := t.Err(); err != nil && !t.told {
		t.told = true
		t.tell("What you type cannot be kept for other sessions: " + err.Error() + ". Make room for it, or repair that file.")
	}
}

// history returns what the person has typed before. The error is that it cannot be
// read.
func (f *front) history() (tui.History, error) {
	h, err := editor.OpenHistory(filepath.Join(f.settings.DataDir, "history.jsonl"))
	return &typed{File: h, tell: f.notice}, err
}
