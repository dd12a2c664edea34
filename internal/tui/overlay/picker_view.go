package overlay

import (
	"fmt"
	"strings"
)

// Where the preview stands.
const (
	besideFrom = 100 // columns from which on it stands to the right of the list
	belowFrom  = 20  // rows from which on, else, it stands below it
)

// preview is what is known of the preview of an item.
type preview struct {
	item       int // whose it is; -1 without one
	text       string
	width      int // that it was made for
	room, rows int // columns and rows that the last View had for one
}

// WantsPreview returns the item whose preview View lacks, and for how many columns
// and rows it is wanted. It is to be asked after each View.
func (p *Picker) WantsPreview() (item, width, height int, ok bool) {
	v, item := &p.preview, p.Chosen()
	if item < 0 || v.room <= 0 || v.rows <= 0 || v.item == item && v.width == v.room {
		return 0, 0, 0, false
	}
	return item, v.room, v.rows, true
}

// SetPreview sets the preview of an item, made for that many columns.
func (p *Picker) SetPreview(item, width int, text string) {
	p.preview.item, p.preview.width, p.preview.text = item, width, text
}

// Asks has View tell whether a question waits to be answered that the Picker hides.
func (p *Picker) Asks(waits bool) { p.asks = waits }

// View returns the screen: title, what is typed, the list and what the keys do.
func (p *Picker) View(width, height int) (lines []string, row, col int) {
	p.preview.room, p.preview.rows = 0, 0
	if width <= 0 || height <= 0 {
		return nil, -1, 0
	}
	look := p.c.Look
	typed, col := p.field.view(max(1, width-3))
	input := look.cut(look.mark("› ", "> ")+typed, width)
	row = 0
	if height >= 3 {
		lines = append(lines, p.head(width))
		row = 1
	}
	lines = append(lines, input)
	room := height - len(lines)
	foot := height >= 6 || height >= 3 && p.asks
	if foot {
		room--
	}
	lines = append(lines, p.body(width, room)...)
	if foot {
		for len(lines) < height-1 {
			lines = append(lines, "")
		}
		lines = append(lines, p.foot(width))
	}
	return lines, row, min(col+2, width-1)
}

// head returns the title, and how many items there are.
func (p *Picker) head(width int) string {
	look := p.c.Look
	count := fmt.Sprint(len(p.c.Items))
	switch {
	case len(p.found) == mostFound && !p.c.Outside && p.field.text != "":
		count = fmt.Sprintf("%d best of %d", mostFound, len(p.c.Items))
	case len(p.found) < len(p.c.Items):
		count = fmt.Sprintf("%d of %d", len(p.found), len(p.c.Items))
	}
	room := width - len(count) - 2
	if room < 8 {
		return look.paint(bold, look.cut(p.c.Title, width))
	}
	title := look.cut(p.c.Title, room)
	return look.paint(bold, title) + "  " + look.paint(dim, count)
}

// foot returns what the keys do, or that something else waits for one.
func (p *Picker) foot(width int) string {
	if p.asks {
		return p.c.Look.bar("ikigai asks: Esc to answer", width)
	}
	keys := strings.Join([]string{"Enter picks", "Esc leaves", "typing narrows"}, p.c.Look.mark(" · ", " - "))
	return p.c.Look.paint(dim, p.c.Look.cut(keys, width))
}

// body returns the list, and the preview beside or below it, in that many rows at
// most.
func (p *Picker) body(width, rows int) []string {
	v := &p.preview
	switch {
	case !p.c.Preview || len(p.found) == 0 || rows < 3:
		return p.list(width, rows)
	case width >= besideFrom:
		left := min(width/2, 80)
		v.room, v.rows = width-left-3, rows
		return p.beside(p.list(left, rows), left)
	case rows >= belowFrom-3:
		list := p.list(width, min(len(p.found), rows/2))
		v.room, v.rows = width, rows-len(list)-1
		return append(append(list, ""), p.shown()...)
	}
	return p.list(width, rows)
}

// beside returns the preview to the right of the list, which is left columns wide.
func (p *Picker) beside(list []string, left int) []string {
	look := p.c.Look
	shown := p.shown()
	lines := make([]string, max(len(list), len(shown)))
	for i := range lines {
		if i < len(list) {
			lines[i] = list[i]
		}
		lines[i] = pad(lines[i], left) + " " + look.paint(dim, look.mark("│", "|"))
		if i < len(shown) {
			lines[i] += " " + shown[i]
		}
	}
	return lines
}

// shown returns the lines of the preview, cut to the room there is.
func (p *Picker) shown() []string {
	v := &p.preview
	if v.item != p.Chosen() || v.text == "" {
		return nil
	}
	var lines []string
	for line := range strings.Lines(v.text) {
		if len(lines) == v.rows {
			break
		}
		lines = append(lines, p.c.Look.cut(strings.TrimSuffix(line, "\n"), v.room))
	}
	return lines
}

// list returns the rows of the list around the chosen item.
func (p *Picker) list(width, rows int) []string {
	p.page = max(1, rows)
	if rows <= 0 {
		return nil
	}
	if len(p.found) == 0 {
		return []string{p.c.Look.paint(dim, p.c.Look.cut("  "+p.nothing(), width))}
	}
	p.first = window(p.first, p.at, rows, len(p.found))
	last := min(p.first+rows, len(p.found))
	shown := make([]Item, 0, rows)
	for _, i := range p.found[p.first:last] {
		shown = append(shown, p.c.Items[i])
	}
	labels := labelColumns(shown, width)
	lines := make([]string, 0, rows)
	for i, it := range shown {
		lines = append(lines, p.c.Look.item(it, p.first+i == p.at, width, labels))
	}
	return lines
}

func (p *Picker) nothing() string {
	if p.field.text == "" {
		return "There is nothing to pick from."
	}
	return "Nothing is found for this."
}
