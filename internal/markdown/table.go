package markdown

import (
	"math"
	"slices"
	"strings"
)

// What is held of a table at most. A table that grows over it is drawn as its rows
// come, and its columns get wider where a row needs it.
const (
	maxTableRows  = 200
	maxTableBytes = 32 << 10
)

// maxPrefix bounds how wide what stands before each line of a table is.
const maxPrefix = 40

// table is a table under way; it is open if it has columns.
type table struct {
	align  []align  // of the columns
	prefix string   // of each line: the quotes that the table is in, and its indent
	rows   []line   // the head's first, then the line below it
	size   int      // of them, in bytes
	drawn  bool     // further rows are drawn as they come
	begun  bool     // a row below the head is drawn
	heads  []string // the cells of the head; cut to maxHead once they were shown whole
	grid
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
	w.table = table{align: aligns, prefix: w.tablePrefix(head), rows: []line{head, below}, size: len(head.source) + len(below.source)}
	return true
}

// tablePrefix returns what stands before each line of a table with that head.
func (w *writer) tablePrefix(head line) string {
	w.prefix(head.marks)
	prefix := strings.ReplaceAll(w.taken()+head.indent, "\t", "    ")
	if width(prefix) > maxPrefix {
		return ""
	}
	return prefix
}

// addRow takes in a further row.
func (w *writer) addRow(l line) {
	t := &w.table
	if t.drawn {
		w.row(w.cellsOf(l, Plain))
		return
	}
	t.rows = append(t.rows, l)
	t.size += len(l.source)
	if len(t.rows) > maxTableRows || t.size > maxTableBytes {
		w.drawTable()
		t.drawn, t.rows = true, []line{t.rows[0]}
	}
}

// endTable draws a table that has ended.
func (w *writer) endTable() {
	if !w.table.open() {
		return
	}
	if !w.table.drawn {
		w.drawTable()
	}
	w.table = table{}
}

// drawTable draws the rows that were held.
func (w *writer) drawTable() {
	t := &w.table
	t.heads = w.cellsOf(t.rows[0], Strong)
	t.widen(t.heads)
	rows := make([][]string, len(t.rows)-2)
	for i, l := range t.rows[2:] {
		rows[i] = w.cellsOf(l, Plain)
		t.widen(rows[i])
	}
	t.settle(w.tableRoom())
	switch {
	case !t.listed:
		w.aligned(t.heads)
		w.rule()
	case len(rows) == 0:
		w.entry(nil)
	}
	for _, cells := range rows {
		w.row(cells)
	}
}

// tableRoom returns how wide the table may be.
func (w *writer) tableRoom() int {
	if w.style.Width <= 0 {
		return math.MaxInt
	}
	return w.style.Width - 1 - width(w.table.prefix)
}

// cellsOf returns the cells of a row as they look.
func (w *writer) cellsOf(l line, base Role) []string {
	all := cells(l.text)
	if w.looks == nil {
		return all
	}
	for j, c := range all {
		w.spans(strings.ReplaceAll(c, `\|`, "|"), base)
		all[j] = w.taken()
	}
	return all
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
