package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ikigai/internal/safetext"
)

// safe returns what others wrote as part of a line.
func safe(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(safetext.Terminal(text))
}

// ended returns text with a newline at its end.
func ended(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// cut cuts a line to a width.
func (s *state) cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(text, width, s.glyph("…", "."))
}

// glyph returns a mark, or its stand-in where only ASCII can be shown.
func (s *state) glyph(mark, ascii string) string {
	if s.live.Style.ASCII {
		return ascii
	}
	return mark
}

// rows returns the rows that a line takes of the screen at least.
func rows(line string, width int) int {
	return 1 + max(0, ansi.StringWidth(line)-1)/max(1, width)
}

// wrapped breaks lines that are wider than the screen. A style goes on in the
// next row.
func wrapped(text string, width int) (lines []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		style := ""
		for _, row := range strings.Split(ansi.Hardwrap(line, max(1, width), true), "\n") {
			row = style + row
			if style = styleAfter("", row); style != "" {
				row += "\x1b[0m"
			}
			lines = append(lines, row)
		}
	}
	return lines
}

// styleAfter returns the SGR sequences that hold behind a row that began with
// style.
func styleAfter(style, row string) string {
	for {
		i := strings.Index(row, "\x1b[")
		if i < 0 {
			return style
		}
		row = row[i:]
		end := strings.IndexByte(row, 'm')
		if end < 0 {
			return style
		}
		if sequence := row[:end+1]; sequence == "\x1b[0m" || sequence == "\x1b[m" {
			style = ""
		} else {
			style += sequence
		}
		row = row[end+1:]
	}
}
