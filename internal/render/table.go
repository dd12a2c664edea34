package render

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ikigai"
)

// minColumn is the width that columns keep on the narrowest terminal.
const minColumn = 8

// Table returns rows below a head, in columns as wide as their widest cell
// takes on a terminal. If s has a width, the widest columns but the first,
// which names the row, are cut until the table fits in. A cell is one line; cells missing at the end of a row are
// empty.
func (s Style) Table(head []string, rows [][]string) string {
	lines := make([][]string, 0, len(rows)+1)
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		cells := make([]string, len(head))
		for i := range min(len(head), len(row)) {
			cells[i] = strings.ReplaceAll(line(row[i]), "\t", " ")
			widths[i] = max(widths[i], ansi.StringWidth(cells[i]))
		}
		lines = append(lines, cells)
	}
	if s.Width > 0 {
		shrink(widths, s.Width-columnGap*(len(head)-1))
	}
	var b strings.Builder
	for i, cells := range lines {
		how := plain
		if i == 0 {
			how = bold
		}
		b.WriteString(s.paint(how, s.row(cells, widths)) + "\n")
	}
	return b.String()
}

const columnGap = 2

// shrink makes the widest of the columns narrower, the first excepted, until
// all take no more than total.
func shrink(widths []int, total int) {
	sum := 0
	for _, w := range widths {
		sum += w
	}
	for ; len(widths) > 1 && sum > total; sum-- {
		widest := 1
		for i, w := range widths {
			if i > 0 && w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= minColumn {
			return
		}
		widths[widest]--
	}
}

func (s Style) row(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells {
		cell = s.cut(cell, widths[i])
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+columnGap))
	}
	return strings.TrimRight(b.String(), " ")
}

// cut shortens a cell to a width, paths at the front: their end tells them
// apart.
func (s Style) cut(cell string, width int) string {
	over := ansi.StringWidth(cell) - width
	if over <= 0 {
		return cell
	}
	mark := s.glyph(ellipsis)
	if strings.HasPrefix(cell, "/") {
		return ansi.TruncateLeft(cell, over+ansi.StringWidth(mark), mark)
	}
	return ansi.Truncate(cell, width, mark)
}

// Sessions returns the list of sessions as a table. On a terminal IDs are cut
// to what still tells them apart.
func (s Style) Sessions(list []ikigai.SessionInfo, now time.Time) string {
	length := idLength(list)
	rows := make([][]string, len(list))
	for i, info := range list {
		id := string(info.ID)
		if s.Width > 0 {
			id = id[:min(length, len(id))]
		}
		rows[i] = []string{
			id, s.Ago(now, info.Updated.Time()), strconv.Itoa(info.Statements), info.Dir, info.Title,
		}
	}
	return s.Table([]string{"SESSION", "CHANGED", "STATEMENTS", "DIRECTORY", "TITLE"}, rows)
}

// idLength returns how many characters tell the IDs of list apart: at least
// those that hold the time, so that the next session does not share them.
func idLength(list []ikigai.SessionInfo) int {
	const timePart = len("01234567-89ab")
	for n := timePart; ; n++ {
		seen := make(map[string]bool, len(list))
		longest := 0
		for _, info := range list {
			id := string(info.ID)
			longest = max(longest, len(id))
			seen[id[:min(n, len(id))]] = true
		}
		if len(seen) == len(list) || n >= longest {
			return n
		}
	}
}
