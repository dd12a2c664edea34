package webpage

import (
	"slices"
	"strconv"
	"strings"
)

// table is a table whose rows are being read. One that holds more than words
// is layout: its cells are blocks like others.
type table struct {
	rows   [][]string
	at     int // column of the cell that is open
	inCell bool
	layout bool
	down   []int // by column: rows that the cell above still covers
	size   int   // bytes of rows
}

const (
	maxSpan  = 50      // columns, or rows, that a cell covers
	maxCell  = 2 << 10 // bytes of a cell of a table of words
	maxTable = 4 << 20 // bytes of such a table
)

// inCell reports whether a cell of a table of words is open.
func (r *reader) inCell() bool {
	return len(r.tables) > 0 && r.tables[len(r.tables)-1].inCell && !r.tables[len(r.tables)-1].layout
}

// leaveCells makes a layout of the table whose cell holds more than words.
func (r *reader) leaveCells() {
	if !r.inCell() {
		return
	}
	t := r.tables[len(r.tables)-1]
	words := r.take()
	r.giveUp(t)
	if words != "" {
		r.add(words)
	}
}

// giveUp writes the rows of a table as lines.
func (r *reader) giveUp(t *table) {
	t.layout = true
	for _, row := range t.rows {
		row = slices.DeleteFunc(row, func(cell string) bool { return cell == "" })
		if len(row) > 0 {
			r.add(strings.Join(row, " "))
		}
	}
	t.rows = nil
}

// beginTable begins a table or a part of it.
func (r *reader) beginTable(t token) {
	if t.name == "table" {
		r.leaveCells()
		r.tables = append(r.tables, &table{})
		return
	}
	if len(r.tables) == 0 {
		return
	}
	in := r.tables[len(r.tables)-1]
	switch {
	case in.layout:
		r.space = true
	case t.name == "tr":
		if r.endCell(in); !in.layout {
			in.rows = append(in.rows, nil)
		}
	case t.name == "td" || t.name == "th":
		if r.endCell(in); in.layout {
			return
		}
		r.flush()
		if len(in.rows) == 0 {
			in.rows = append(in.rows, nil)
		}
		in.cover(number(t.attr("colspan")), number(t.attr("rowspan")))
		in.inCell = true
	}
}

// number returns the columns or rows that a cell covers.
func number(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxSpan)
}

// cover makes room in the last row for a cell that covers so many columns and
// rows.
func (t *table) cover(columns, rows int) {
	row := &t.rows[len(t.rows)-1]
	t.skip(row)
	t.at = len(*row)
	for range columns {
		for len(t.down) <= len(*row) {
			t.down = append(t.down, 0)
		}
		t.down[len(*row)] = rows - 1
		*row = append(*row, "")
	}
	t.size += columns
}

// skip adds the cells that those above cover.
func (t *table) skip(row *[]string) {
	for len(*row) < len(t.down) && t.down[len(*row)] > 0 {
		t.down[len(*row)]--
		*row = append(*row, "")
		t.size++
	}
}

// finishTable ends a table or a part of it.
func (r *reader) finishTable(name string) {
	if len(r.tables) == 0 {
		return
	}
	t := r.tables[len(r.tables)-1]
	switch {
	case name == "table":
		r.tables = r.tables[:len(r.tables)-1]
		if !t.layout {
			r.writeTable(t)
		}
	case t.layout:
		r.space = true
	case name == "td" || name == "th":
		r.endCell(t)
	}
}

// endCell ends the cell that is open, if one is: a page need not say where.
func (r *reader) endCell(t *table) {
	if !t.inCell {
		return
	}
	text := strings.ReplaceAll(r.take(), "\n", " ")
	t.inCell = false
	t.rows[len(t.rows)-1][t.at] = text
	if t.size += len(text); len(text) > maxCell || t.size > maxTable {
		r.giveUp(t)
	}
}

// writeTable writes a table of words as a block. What has one row or one column
// is a list of lines.
func (r *reader) writeTable(t *table) {
	columns := 0
	t.rows = slices.DeleteFunc(t.rows, func(row []string) bool {
		return !slices.ContainsFunc(row, func(cell string) bool { return cell != "" })
	})
	for _, row := range t.rows {
		columns = max(columns, len(row))
	}
	if len(t.rows) < 2 || columns < 2 {
		r.giveUp(t)
		return
	}
	var b strings.Builder
	head := append(t.rows[0], make([]string, columns-len(t.rows[0]))...)
	writeRow(&b, head)
	b.WriteString("\n|" + strings.Repeat(" --- |", columns))
	for _, row := range t.rows[1:] {
		b.WriteByte('\n')
		writeRow(&b, row)
	}
	r.add(b.String())
}

func writeRow(b *strings.Builder, row []string) {
	b.WriteByte('|')
	for _, cell := range row {
		b.WriteString(" " + strings.ReplaceAll(cell, "|", `\|`) + " |")
	}
}
