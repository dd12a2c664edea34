package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// maxHead bounds how wide the name of a column is that stands before each of its
// cells.
const maxHead = 40

// row draws a row below the head.
func (w *writer) row(cells []string) {
	t := &w.table
	if t.drawn && w.style.Width > 0 && !t.listed && t.widen(cells) {
		t.settle(w.tableRoom())
	}
	if t.listed {
		w.entry(cells)
	} else {
		if t.narrowed && t.begun {
			w.rule() // tells rows of several lines apart
		}
		w.aligned(cells)
	}
	if !t.begun {
		t.begun = true
		t.heads = cutAll(t.heads, w.glyph("…", "..."))
	}
}

// cutAll returns texts with what is wider than maxHead cut.
func cutAll(texts []string, end string) []string {
	short := make([]string, len(texts))
	for i, text := range texts {
		short[i] = ansi.Truncate(text, maxHead, end)
	}
	return short
}

// entry draws a row as a list of its cells, each behind the name of its column. The
// first row tells of all columns.
func (w *writer) entry(cells []string) {
	t := &w.table
	if t.begun {
		w.tableLine()
	}
	n := len(cells)
	if !t.begun {
		n = max(n, len(t.heads))
	}
	for j := range n {
		named := j < len(t.heads) && t.heads[j] != ""
		if named {
			w.out.WriteString(t.heads[j])
			w.put(":", Strong)
		}
		if j < len(cells) && cells[j] != "" {
			if named {
				w.put(" ")
			}
			w.out.WriteString(cells[j])
		} else if !named {
			continue
		}
		w.tableLine()
	}
}

// tableLine ends a line of the table.
func (w *writer) tableLine() {
	w.lines = append(w.lines, strings.TrimRight(w.table.prefix+w.taken(), " "))
}

// rule draws a line across the table.
func (w *writer) rule() {
	var b strings.Builder
	for j, n := range w.table.widths {
		if j > 0 {
			b.WriteString(w.glyph("─┼─", "-|-"))
		}
		b.WriteString(strings.Repeat(w.glyph("─", "-"), n))
	}
	w.put(b.String(), Faint)
	w.tableLine()
}

// aligned draws cells side by side, in as many lines as the longest needs.
func (w *writer) aligned(cells []string) {
	if !w.table.narrowed {
		w.abreast(cells)
		return
	}
	height, broken := 1, make([][]string, len(cells))
	for j, c := range cells {
		broken[j] = breakCell(c, w.table.widths[j])
		height = max(height, len(broken[j]))
	}
	for k := range height {
		parts := make([]string, len(cells))
		for j := range broken {
			if k < len(broken[j]) {
				parts[j] = broken[j][k]
			}
		}
		w.abreast(parts)
	}
}

// abreast draws cells side by side in one line.
func (w *writer) abreast(cells []string) {
	t := w.table
	for j, c := range cells {
		if j > 0 {
			w.put(" ")
			w.put(w.glyph("│", "|"), Faint)
			w.put(" ")
		}
		space, how := 0, left
		if j < len(t.widths) {
			space = max(0, t.widths[j]-width(c))
		}
		if j < len(t.align) {
			how = t.align[j]
		}
		before := 0
		switch how {
		case centre:
			before = space / 2
		case right:
			before = space
		}
		w.out.WriteString(strings.Repeat(" ", before) + c)
		if j < len(cells)-1 {
			w.out.WriteString(strings.Repeat(" ", space-before))
		}
	}
	w.tableLine()
}
