package editor

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// SGR sequences of the package.
const (
	reset   = "\x1b[0m"
	dim     = "\x1b[2m"
	reverse = "\x1b[7m"
)

func (e *Editor) paint(how, text string) string {
	if !e.config.Color || text == "" {
		return text
	}
	return how + text + reset
}

// mark returns mark, or its stand-in where only ASCII can be shown.
func (e *Editor) mark(mark, ascii string) string {
	if e.config.ASCII {
		return ascii
	}
	return mark
}

const (
	indent     = 2  // columns before the text
	mostListed = 8  // rows of completions
	narrowest  = 10 // columns, of what has room for an indent
)

// View returns the rows to show, at most maxRows and each narrower than width:
// as much of the text as fits around the cursor, and a list of completions or
// what is searched for below it. The cursor stands at row and col. Up and Down
// go by the rows of the last View.
func (e *Editor) View(width, maxRows int) (lines []string, row, col int) {
	before := indent
	if width < narrowest {
		before = 0
	}
	if columns := max(1, width-1-before); columns != e.screen.columns {
		e.screen = screen{columns: columns}
	}
	below := e.belowText(width, maxRows-1)
	text, pos, from, to := e.text, e.cursor, 0, 0
	if e.search.on {
		text, pos, from, to = e.search.text, e.search.found, e.search.found, e.search.found+len(e.search.query)
	} else if e.vi.visual {
		from, to = e.selection()
	}
	rows, at, above, more := e.around(text, pos, max(1, maxRows-len(below)))
	for i, r := range rows {
		line := e.rowText(text, r, from, min(to, len(text)))
		if before > 0 {
			line = e.margin(i == 0, i == len(rows)-1, above, more) + line
		}
		lines = append(lines, line)
	}
	row, col = at, before+e.column(text, rows[at], pos)
	if e.search.on && len(below) > 0 {
		row, col = len(lines), ansi.StringWidth(below[0])
	}
	return append(lines, below...), row, col
}

// margin returns what stands before a row of the text.
func (e *Editor) margin(first, last, above, below bool) string {
	switch {
	case first && above:
		return e.paint(dim, e.mark("↑ ", "^ "))
	case first:
		return e.mark("› ", "> ")
	case last && below:
		return e.paint(dim, e.mark("↓ ", "v "))
	}
	return "  "
}

// rowText returns a row as it is shown, with what stands between from and to
// marked.
func (e *Editor) rowText(text string, r row, from, to int) string {
	var b strings.Builder
	col, style := 0, ""
	for i := r.from; i < r.to; {
		c := e.cell(text[i:r.to])
		if col+c.width > e.screen.columns {
			break // the space that does not fit in
		}
		how := ""
		switch {
		case i >= from && i < to:
			how = reverse
		case strings.HasPrefix(text[i:], chipLead):
			how = dim
		}
		if how != style && e.config.Color {
			if style != "" {
				b.WriteString(reset)
			}
			b.WriteString(how)
			style = how
		}
		b.WriteString(c.show)
		i += c.size
		col += c.width
	}
	if style != "" {
		b.WriteString(reset)
	}
	return b.String()
}

// belowText returns what stands below the text, most rows at most.
func (e *Editor) belowText(width, most int) []string {
	switch {
	case most <= 0:
		return nil
	case e.search.on:
		return []string{e.searchRow(width)}
	case e.list.open():
		return e.listed(width, min(most, mostListed))
	}
	return nil
}

func (e *Editor) searchRow(width int) string {
	label := "search: "
	if e.search.failing {
		label = "not found: "
	}
	room := max(0, width-1)
	label = ansi.Truncate(label, room, "")
	return e.paint(dim, label) + ending(e.search.query, room-len(label))
}

// ending returns as much of the end of s as fits into that many columns.
func ending(s string, columns int) string {
	from := len(s)
	for from > 0 {
		at := previous(s, from)
		if columns -= ansi.StringWidth(s[at:from]); columns < 0 {
			break
		}
		from = at
	}
	return s[from:]
}

// listed returns as many completions as fit in, and how many others there are.
func (e *Editor) listed(width, most int) []string {
	others := len(e.list.items) - (most - 1)
	if others <= 1 || most < 3 {
		return e.listRows(width, most)
	}
	row := fmt.Sprintf("  %s %d more", e.mark("…", "..."), others)
	return append(e.listRows(width, most-1), e.paint(dim, ansi.Truncate(row, max(0, width-1), "")))
}

// listRows returns the completions around the one that is chosen.
func (e *Editor) listRows(width, most int) []string {
	l := &e.list
	top := min(max(0, l.chosen-most/2), max(0, len(l.items)-most))
	items := l.items[top:min(len(l.items), top+most)]
	widest := 0
	for _, item := range items {
		widest = max(widest, ansi.StringWidth(oneLine(item.Text)))
	}
	widest = min(widest, max(8, width/2))
	rows := make([]string, len(items))
	for i, item := range items {
		text := oneLine(item.Text)
		about := ""
		if item.About != "" {
			pad := max(0, widest-ansi.StringWidth(text))
			about = strings.Repeat(" ", pad+2) + oneLine(item.About)
		}
		cut := e.mark("…", "~")
		room := max(0, width-1-indent)
		text = ansi.Truncate(text, room, cut)
		about = ansi.Truncate(about, max(0, room-ansi.StringWidth(text)), cut)
		if top+i == l.chosen {
			rows[i] = ansi.Truncate(e.mark("› ", "> "), max(0, width-1), "") + e.paint(reverse, text) + e.paint(dim, about)
		} else {
			rows[i] = ansi.Truncate("  ", max(0, width-1), "") + text + e.paint(dim, about)
		}
	}
	return rows
}

// oneLine returns text of others as it fits into a row.
func oneLine(text string) string {
	return strings.NewReplacer("\n", "␊", "\t", " ").Replace(clean(text))
}
