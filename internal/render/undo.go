package render

import (
	"ikigai"
	"ikigai/internal/transcript"
)

// undo shows which files are as they were before, and which were left.
func (s Style) undo(b transcript.Block) string {
	d, ok := b.Body.(ikigai.UndoData)
	if !ok || b.Text == "" {
		return s.other(b)
	}
	text := s.prose(s.paint(faint, "undo  "), "      ", plain, line(b.Text))
	if d.Reason != "" {
		text += s.behind("  ", "  ", faint, line(d.Reason))
	}
	for _, path := range d.Files {
		text += s.behind("  ", "  ", plain, line(path))
	}
	for _, left := range d.Left {
		text += s.prose("  "+s.paint(warn, s.glyph(alertMark))+" ", "    ", plain, line(left.Path)+": "+line(left.Reason))
	}
	return text
}
