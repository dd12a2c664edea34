package render

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ikigai"
)

// Columns of text of up to keptColumn are cut last, and wider ones to minColumn at
// first; no text is cut to less than narrowColumn. Where nothing is cut, the cells of
// a column are made as wide as the widest up to paddedColumn: a long text would put as
// many blanks in each row.
const (
	narrowColumn = 6
	minColumn    = 8
	keptColumn   = 12
	paddedColumn = 200
	columnGap    = 2
)

// Table returns rows below a head, in columns as wide as their widest cell
// takes on a terminal, numbers at the right. If s has a width, the widest
// columns of text are cut until the table fits in, the first, which names the row,
// after the others. Numbers are never cut: where there is no room for all, columns
// are left out, which a mark behind the head tells. A cell is one line; cells missing
// at the end of a row are empty.
func (s Style) Table(head []string, rows [][]string) string {
	t := newTable(head, rows)
	whole := true
	if s.Width > 0 {
		whole = t.fit(s.Width)
	} else {
		t.unpad()
	}
	var b strings.Builder
	for i, cells := range t.lines {
		how := plain
		if i == 0 {
			how = strong
		}
		row := s.row(cells, t.columns)
		if i == 0 && !whole {
			row = strings.TrimRight(row, " ") + " " + s.glyph(ellipsis)
		}
		if s.Width > 0 {
			row = ansi.Truncate(strings.TrimRight(row, " "), s.Width, s.glyph(ellipsis))
		}
		b.WriteString(s.paint(how, strings.TrimRight(row, " ")) + "\n")
	}
	return b.String()
}

// table is the cells of a table, the head's first, as they can be shown.
type table struct {
	lines   [][]string
	columns []column
}

type column struct {
	width, least int
	right        bool // its cells are numbers
}

func newTable(head []string, rows [][]string) *table {
	t := &table{columns: make([]column, len(head))}
	for _, row := range append([][]string{head}, rows...) {
		cells := make([]string, len(head))
		for i := range min(len(head), len(row)) {
			cells[i] = strings.ReplaceAll(line(row[i]), "\t", " ")
		}
		t.lines = append(t.lines, cells)
	}
	for i := range t.columns {
		c := &t.columns[i]
		c.right = len(rows) > 0
		for n, cells := range t.lines {
			c.width = max(c.width, ansi.StringWidth(cells[i]))
			c.right = c.right && (n == 0 || isNumber(cells[i]))
		}
		c.least = c.width
		if i > 0 && c.width > keptColumn && !c.right {
			c.least = minColumn
		}
	}
	return t
}

// isNumber reports whether a cell is a number, an amount or a size.
func isNumber(cell string) bool {
	for _, unit := range []string{" B", " KB", " MB", " GB", " TB"} {
		if before, ok := strings.CutSuffix(cell, unit); ok {
			cell = before
		}
	}
	cell = strings.TrimPrefix(strings.TrimPrefix(cell, "<"), "$")
	return cell != "" && strings.Trim(strings.TrimPrefix(cell, "-"), "0123456789,.") == ""
}

// least returns the width below which a table is not cut column by column.
func (t *table) least() int {
	sum := columnGap * (len(t.columns) - 1)
	for _, c := range t.columns {
		sum += c.least
	}
	return sum
}

// fit makes the table take no more than width, as far as that can be. It returns
// false if columns were left out.
func (t *table) fit(width int) (whole bool) {
	whole = true
	for t.narrowest() > width && t.leaveOut() {
		if whole {
			width -= markWidth
		}
		whole = false
	}
	if t.least() > width {
		room := t.narrowest() <= width
		for i := range t.columns {
			c := &t.columns[i]
			if c.least = c.narrow(); !room && !c.right {
				c.least = 1 // numbers are still whole
			}
		}
	}
	t.shrink(width)
	return whole
}

// markWidth is what the mark behind the head takes.
const markWidth = 2

// narrow returns the width below which the column tells nothing.
func (c column) narrow() int {
	if c.right {
		return c.width
	}
	return min(c.width, narrowColumn)
}

// narrowest returns the width below which columns must be left out.
func (t *table) narrowest() int {
	sum := columnGap * (len(t.columns) - 1)
	for _, c := range t.columns {
		sum += c.narrow()
	}
	return sum
}

// leaveOut leaves out the column that counts least, and returns false if there is
// none: of numbers the first, since sums stand at the end, but for the last of them;
// then of texts the last.
func (t *table) leaveOut() bool {
	numbers, texts := []int{}, []int{}
	for i, c := range t.columns[1:] {
		if c.right {
			numbers = append(numbers, i+1)
		} else {
			texts = append(texts, i+1)
		}
	}
	var out int
	switch {
	case len(numbers) > 1:
		out = numbers[0]
	case len(texts) > 0 && len(numbers)+len(texts) > 1:
		out = texts[len(texts)-1]
	default:
		return false
	}
	t.columns = slices.Delete(t.columns, out, out+1)
	for n := range t.lines {
		t.lines[n] = slices.Delete(t.lines[n], out, out+1)
	}
	return true
}

// shrink makes the widest columns narrower until the table takes no more than
// width, as far as that can be.
func (t *table) shrink(width int) {
	sum := columnGap * (len(t.columns) - 1)
	for _, c := range t.columns {
		sum += c.width
	}
	for ; sum > width; sum-- {
		var widest *column
		for i := range t.columns {
			c := &t.columns[i]
			if c.width > c.least && (widest == nil || c.width >= widest.width) {
				widest = c
			}
		}
		if widest == nil {
			return
		}
		widest.width--
	}
}

// unpad bounds the width of columns.
func (t *table) unpad() {
	for i := range t.columns {
		t.columns[i].width = min(t.columns[i].width, paddedColumn)
	}
}

func (s Style) row(cells []string, columns []column) string {
	var b strings.Builder
	for i, cell := range cells {
		if s.Width > 0 {
			cell = s.cut(cell, columns[i].width)
		}
		space := strings.Repeat(" ", max(0, columns[i].width-ansi.StringWidth(cell)))
		if columns[i].right {
			cell, space = space, cell
		}
		b.WriteString(cell + space + strings.Repeat(" ", columnGap))
	}
	return b.String()
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

// titleColumn is how wide the titles of sessions shall be at least before
// columns of numbers take their place.
const titleColumn = 24

// Sessions returns the list of sessions, which is sorted by order, as a table:
// with their directories if they have several, and with what they cost if that
// is known of any. On a terminal IDs are cut to what still tells them apart,
// and columns that have no place in its width are left out.
func (s Style) Sessions(list []ikigai.SessionInfo, order ikigai.SessionOrder, now time.Time) string {
	length := idLength(list)
	head := []string{"SESSION", "CHANGED", "CREATED", "STATEMENTS", "EVENTS", "SIZE", "COST", "DIRECTORY", "TITLE"}
	rows := make([][]string, len(list))
	dirs, cost := map[string]bool{}, false
	for i, info := range list {
		id := string(info.ID)
		if s.Width > 0 {
			id = id[:min(length, len(id))]
		}
		rows[i] = []string{
			id, s.Ago(now, info.Updated.Time()), s.Ago(now, info.Created.Time()), strconv.Itoa(info.Statements),
			number(int64(info.Events)), Bytes(info.Size), Dollars(info.Cost), info.Dir, s.title(info),
		}
		dirs[info.Dir] = true
		cost = cost || info.Cost > 0
	}
	leave := map[string]bool{
		"CHANGED": order == ikigai.ByCreated, "CREATED": order != ikigai.ByCreated, "EVENTS": order != ikigai.ByEvents,
		"DIRECTORY": len(dirs) <= 1, "COST": !cost,
	}
	for _, name := range slices.Clone(head) {
		if leave[name] {
			head, rows = without(name, head, rows)
		}
	}
	for _, c := range []struct {
		name  string
		title int // room for titles that it gives way to
	}{{"STATEMENTS", titleColumn}, {"SIZE", titleColumn}, {"COST", titleColumn}, {"EVENTS", minColumn},
		{"DIRECTORY", minColumn}, {"CHANGED", minColumn}, {"CREATED", minColumn}} {
		if s.Width > 0 && newTable(head, rows).least()-minColumn+c.title > s.Width {
			head, rows = without(c.name, head, rows)
		}
	}
	return s.Table(head, rows)
}

// title returns what a session is about, with a mark if it is a fork.
func (s Style) title(info ikigai.SessionInfo) string {
	if info.Parent == "" {
		return info.Title
	}
	return s.glyph(forkMark) + " " + info.Title
}

// lighter returns a table without as many of the named columns, in that order, as it
// takes to show the others.
func (s Style) lighter(head []string, rows [][]string, names ...string) ([]string, [][]string) {
	for _, name := range names {
		if s.Width > 0 && newTable(head, rows).least() > s.Width {
			head, rows = without(name, head, rows)
		}
	}
	return head, rows
}

// without returns a table without the column of that name.
func without(name string, head []string, rows [][]string) ([]string, [][]string) {
	i := slices.Index(head, name)
	if i < 0 {
		return head, rows
	}
	for n, row := range rows {
		rows[n] = slices.Delete(row, i, i+1)
	}
	return slices.Delete(head, i, i+1), rows
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
