package editor

import "sort"

// row is a part of the text that takes one row of the screen.
type row struct {
	from, to int  // bytes of the text
	last     bool // its line ends with it
}

// rowsOf returns the rows of the line that begins at start, and which of them has
// pos.
func (e *Editor) rowsOf(text string, start, pos int) (rows []row, at int) {
	end := lineEnd(text, start)
	begins := e.rows(text[start:end])
	at = max(0, sort.SearchInts(begins, pos-start+1)-1)
	rows = make([]row, len(begins))
	for i, b := range begins {
		rows[i] = row{from: start + b, to: end, last: i == len(begins)-1}
		if !rows[i].last {
			rows[i].to = start + begins[i+1]
		}
	}
	return rows, at
}

// around returns the rows of text around pos, n at most, which of them has pos,
// and whether there are others before and behind them.
func (e *Editor) around(text string, pos, n int) (rows []row, at int, above, below bool) {
	start := lineStart(text, pos)
	rows, at = e.rowsOf(text, start, pos)
	first := start
	for at < n && first > 0 {
		first = lineStart(text, first-1)
		before, _ := e.rowsOf(text, first, first)
		rows, at = append(before, rows...), at+len(before)
	}
	for len(rows)-at <= n && rows[len(rows)-1].to < len(text) {
		next := rows[len(rows)-1].to + 1
		behind, _ := e.rowsOf(text, next, next)
		rows = append(rows, behind...)
	}
	if len(rows) <= n {
		return rows, at, false, false
	}
	top := min(max(0, at-n/2), len(rows)-n)
	above = top > 0 || first > 0
	below = top+n < len(rows) || rows[len(rows)-1].to < len(text)
	return rows[top : top+n], at - top, above, below
}

// column returns the column of pos in its row.
func (e *Editor) column(text string, r row, pos int) int {
	col := 0
	for i := r.from; i < pos; {
		c := e.cell(text[i:r.to])
		i += c.size
		col += c.width
	}
	return min(col, e.screen.columns)
}

// moveRow moves the cursor a row up or down, as near to its column as there is
// text. It is false if there is no such row.
func (e *Editor) moveRow(by int) bool {
	rows, at := e.rowsOf(e.text, lineStart(e.text, e.cursor), e.cursor)
	if e.goal < 0 {
		e.goal = e.column(e.text, rows[at], e.cursor)
	}
	e.now = vertical
	to := row{}
	switch end := rows[len(rows)-1].to; {
	case at+by >= 0 && at+by < len(rows):
		to = rows[at+by]
	case by < 0 && rows[0].from > 0:
		above, _ := e.rowsOf(e.text, lineStart(e.text, rows[0].from-1), 0)
		to = above[len(above)-1]
	case by > 0 && end < len(e.text):
		below, _ := e.rowsOf(e.text, end+1, end+1)
		to = below[0]
	default:
		return false
	}
	e.cursor = e.atColumn(to, e.goal)
	return true
}

// atColumn returns the byte that stands at a column of a row, or the last one
// before it.
func (e *Editor) atColumn(r row, column int) int {
	col := 0
	for i := r.from; i < r.to; {
		c := e.cell(e.text[i:r.to])
		if col+c.width > column || !r.last && i+c.size >= r.to {
			return i
		}
		i += c.size
		col += c.width
	}
	return r.to
}
