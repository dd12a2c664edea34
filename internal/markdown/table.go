package markdown

import (
	"slices"
	"strings"
)

// What is held of a table at most. The columns of one that grows over it are as
// wide as they were by then.
const (
	maxTableRows  = 200
	maxTableBytes = 32 << 10
)

// table is a table under way; it is open if it has columns.
type table struct {
	align  []align // of the columns
	rows   []line  // the head's first, then the line below it
	size   int     // of them, in bytes
	widths []int   // once it has grown over what is held: the columns that all further rows have
	raw    bool    // likewise: rows stay as they were written
}

type align uint8

const (
	left align = iota
	centre
	right
)

func (t table) open() bool { return t.align != nil }

// takes reports whether l is a further row.
func (t table) takes(l line) bool {
	return !l.hasItem() && l.quotes() == t.rows[0].quotes() && strings.Contains(l.text, "|")
}

// beginTable reports whether two lines begin a table, and enters it.
func (w *writer) beginTable(head, below line) bool {
	if !strings.Contains(below.text, "|") || !strings.Contains(head.text, "|") {
		return false
	}
	columns := cells(below.text)
	if len(columns) != len(cells(head.text)) {
		return false
	}
	aligns := make([]align, len(columns))
	for i, c := range columns {
		dashes := strings.TrimSuffix(strings.TrimPrefix(c, ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return false
		}
		switch {
		case !strings.HasSuffix(c, ":"):
		case strings.HasPrefix(c, ":"):
			aligns[i] = centre
		default:
			aligns[i] = right
		}
	}
	w.table = table{align: aligns, rows: []line{head, below}, size: len(head.source) + len(below.source)}
	return true
}

// addRow takes in a further row.
func (w *writer) addRow(l line) {
	t := &w.table
	if t.widths != nil || t.raw {
		w.row(l, w.cellsOf(l, 2), 2)
		return
	}
	t.rows = append(t.rows, l)
	t.size += len(l.source)
	if len(t.rows) > maxTableRows || t.size > maxTableBytes {
		w.drawTable()
	}
}

// endTable draws a table that has ended.
func (w *writer) endTable() {
	if !w.table.open() {
		return
	}
	if w.table.widths == nil && !w.table.raw {
		w.drawTable()
	}
	w.table = table{}
}

// drawTable draws the rows that were held, and fixes how wide columns are.
func (w *writer) drawTable() {
	t := &w.table
	rows := make([][]string, len(t.rows))
	widths := make([]int, len(t.align))
	for i, l := range t.rows {
		if i == 1 {
			continue
		}
		rows[i] = w.cellsOf(l, i)
		for len(widths) < len(rows[i]) {
			widths = append(widths, 0)
		}
		for j, c := range rows[i] {
			widths[j] = max(widths[j], width(c))
		}
	}
	if t.widths = widths; !w.fits() {
		t.widths, t.raw = nil, true
	}
	for i, l := range t.rows {
		w.row(l, rows[i], i)
	}
	t.rows = t.rows[:1]
}

// fits reports whether the table is narrower than the terminal.
func (w *writer) fits() bool {
	first := w.table.rows[0]
	w.prefix(first.marks)
	all := width(w.taken()) + width(first.indent) + 3*(len(w.table.widths)-1)
	for _, n := range w.table.widths {
		all += n
	}
	return w.style.Width <= 0 || all < w.style.Width
}

// cellsOf returns the cells of row i as they look.
func (w *writer) cellsOf(l line, i int) []string {
	all := cells(l.text)
	if w.looks == nil {
		return all
	}
	for j, c := range all {
		w.spans(strings.ReplaceAll(c, `\|`, "|"), rowRole(i))
		all[j] = w.taken()
	}
	return all
}

// row draws row i of the table.
func (w *writer) row(l line, cells []string, i int) {
	switch {
	case w.table.raw && i == 1:
		w.draw(l, func() { w.put(l.text, Faint) })
		return
	case w.table.raw:
		w.draw(l, func() { w.spans(l.text, rowRole(i)) })
		return
	}
	w.prefix(l.marks)
	w.put(l.indent)
	if i == 1 {
		w.rule()
	} else {
		w.aligned(cells)
	}
	w.lines = append(w.lines, strings.TrimRight(w.taken(), " "))
}

func rowRole(i int) Role {
	if i == 0 {
		return Strong
	}
	return Plain
}

// rule draws the line below the head.
func (w *writer) rule() {
	var b strings.Builder
	for j, n := range w.table.widths {
		if j > 0 {
			b.WriteString(w.glyph("─┼─", "-|-"))
		}
		b.WriteString(strings.Repeat(w.glyph("─", "-"), n))
	}
	w.put(b.String(), Faint)
}

// aligned draws cells side by side.
func (w *writer) aligned(cells []string) {
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
}

// cells returns the cells of a row.
func cells(text string) []string {
	text = strings.ReplaceAll(text, "\t", " ")
	text = strings.TrimPrefix(text, "|")
	var all []string
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '|':
			all = append(all, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	if from < len(text) && strings.TrimSpace(text[from:]) != "" || len(all) == 0 {
		all = append(all, strings.TrimSpace(text[from:]))
	}
	return slices.Clip(all)
}
