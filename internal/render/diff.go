package render

import "ikigai/internal/safetext"

// Diff returns hunks of a unified difference as a person is shown them.
func (s Style) Diff(hunks string) string { return s.diff(ended(safetext.Terminal(hunks))) }
