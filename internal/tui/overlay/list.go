package overlay

import (
	"fmt"

	"ikigai/internal/tty"
)

const mostListed = 8 // rows of a List

// List shows what a text could go on with, below the input, of which one is
// chosen.
type List struct {
	look  Look
	items []Item
	at    int // the chosen one
	first int // that is shown
	page  int // rows of the last View
}

// NewList returns a List with the first item chosen.
func NewList(look Look, items []Item) *List {
	return &List{look: look, items: items, page: mostListed}
}

// Handle takes in a key. It reports whether it was one of the List's, which only
// moves what is chosen (up, down, by pages): what takes it and what closes the
// list is the caller's.
func (l *List) Handle(k tty.Key) (taken bool) {
	switch {
	case k.Is(tty.KeyUp, 0), k.Ctrl('p'), k.Is(tty.KeyTab, tty.Shift):
		l.Prev()
	case k.Is(tty.KeyDown, 0), k.Ctrl('n'):
		l.Next()
	case k.Is(tty.KeyPageUp, 0):
		l.at = max(0, l.at-l.page)
	case k.Is(tty.KeyPageDown, 0):
		l.at = max(0, min(l.at+l.page, len(l.items)-1))
	default:
		return false
	}
	return true
}

// Next chooses the next item, the first after the last.
func (l *List) Next() {
	if l.at++; l.at >= len(l.items) {
		l.at = 0
	}
}

// Prev chooses the item before, the last before the first.
func (l *List) Prev() {
	if l.at--; l.at < 0 {
		l.at = max(0, len(l.items)-1)
	}
}

// Chosen returns the item that is chosen, by its index, or -1 if there is none.
func (l *List) Chosen() int {
	if len(l.items) == 0 {
		return -1
	}
	return l.at
}

// View returns at most 8 lines. The cursor is never in it.
func (l *List) View(width, height int) (lines []string, row, col int) {
	rows := min(mostListed, height, len(l.items))
	if rows <= 0 || width <= 0 {
		return nil, -1, 0
	}
	more := rows < len(l.items) && rows > 2
	if more {
		rows--
	}
	l.page = rows
	l.first = window(l.first, l.at, rows, len(l.items))
	shown := l.items[l.first:min(l.first+rows, len(l.items))]
	labels := labelColumns(shown, width)
	for i, it := range shown {
		lines = append(lines, l.look.item(it, l.first+i == l.at, width, labels))
	}
	if more {
		count := fmt.Sprintf("  %d of %d", l.at+1, len(l.items))
		lines = append(lines, l.look.paint(dim, l.look.cut(count, width)))
	}
	return lines, -1, 0
}

// labelColumns returns how many columns the labels take, so that what is said
// about the items stands in one column: two fifths of the width at most.
func labelColumns(items []Item, columns int) int {
	widest := 0
	for _, it := range items {
		widest = max(widest, width(it.Label))
	}
	return min(widest, columns*2/5)
}

// window returns the first of rows items out of n that are shown, near to first,
// so that the one at at is among them.
func window(first, at, rows, n int) int {
	first = max(at-rows+1, min(first, at))
	return max(0, min(first, n-rows))
}

// item returns an item as a row of a list, its label taking labels columns at
// least.
func (l Look) item(it Item, chosen bool, columns, labels int) string {
	mark := "  "
	if chosen {
		mark = l.mark("› ", "> ")
	}
	label := l.cut(mark+it.Label, columns)
	room := columns - max(width(label), labels+2) - 2
	if it.About == "" || room < 2 {
		return l.chosen(chosen, label)
	}
	label = pad(label, labels+2) + "  "
	about := l.cut(it.About, room)
	if chosen {
		return l.chosen(true, label+about)
	}
	return label + l.paint(dim, about)
}

func (l Look) chosen(chosen bool, text string) string {
	if !chosen {
		return text
	}
	return reverse + unstyled(text) + reset
}
