package render

import (
	"strings"

	"ikigai/internal/safetext"
)

// Diff returns hunks of a unified difference as a person is shown them.
func (s Style) Diff(hunks string) string { return s.diff(ended(safetext.Terminal(hunks))) }

// Patch returns a patch of several files as a person is shown it.
func (s Style) Patch(patch string) string {
	var b strings.Builder
	inHunks := false
	for line := range strings.Lines(safetext.Terminal(patch)) {
		line = strings.TrimSuffix(line, "\n")
		how := plain
		switch {
		case strings.HasPrefix(line, "diff "):
			inHunks, how = false, strong
		case strings.HasPrefix(line, "@"):
			inHunks, how = true, faint
		case !inHunks:
			how = faint
		case strings.HasPrefix(line, "+"):
			how = added
		case strings.HasPrefix(line, "-"):
			how = removed
		}
		b.WriteString(s.paint(how, line) + "\n")
	}
	return b.String()
}
