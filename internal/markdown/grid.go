package markdown

import (
	"slices"
	"sort"
)

// minColumn is how wide a column of a table is at least, if its cells are. Where there
// is less room the table is no grid, but a list.
const minColumn = 6

// gap is how wide what stands between two columns is.
const gap = 3

// grid is how wide the columns of a table are.
type grid struct {
	whole    []int // as wide as their widest cells
	words    []int // as wide as the widest words in them that are not long
	widths   []int // as they are drawn
	narrowed bool  // cells may have to be broken
	listed   bool  // there is no room for columns: each row is a list of its cells
}

// widen makes room for the cells of a row, and reports whether that changed anything.
// What it had before stays as it was, for Tail goes on from it, too.
func (g *grid) widen(cells []string) (changed bool) {
	for j, c := range cells {
		whole, word := measure(c)
		if j < len(g.whole) && whole <= g.whole[j] && word <= g.words[j] {
			continue
		}
		if !changed {
			more := make([]int, max(0, len(cells)-len(g.whole)))
			g.whole, g.words = slices.Concat(g.whole, more), slices.Concat(g.words, more)
			changed = true
		}
		g.whole[j], g.words[j] = max(g.whole[j], whole), max(g.words[j], word)
	}
	return changed
}

// settle decides how wide the columns are drawn in so much room.
func (g *grid) settle(room int) {
	room -= gap * (len(g.whole) - 1)
	g.widths, g.narrowed = g.whole, sum(g.whole) > room
	if g.narrowed {
		g.widths = share(g.whole, g.words, room)
		g.listed = g.widths == nil
	}
}

// share returns how wide columns are in too little room for all: none is wider than
// another but for a word that is not long, or because the other needs less. It returns nil if
// there is not even minColumn for each.
func share(whole, words []int, room int) []int {
	least := make([]int, len(whole))
	for j := range whole {
		least[j] = min(whole[j], minColumn)
	}
	if sum(least) > room {
		return nil
	}
	unbroken := make([]int, len(whole))
	for j := range whole {
		unbroken[j] = max(least[j], words[j])
	}
	if sum(unbroken) <= room {
		least = unbroken
	}
	widths := make([]int, len(whole))
	upTo := func(most int) int {
		for j := range widths {
			widths[j] = max(least[j], min(whole[j], most))
		}
		return sum(widths)
	}
	most := sort.Search(room+1, func(most int) bool { return upTo(most) > room }) - 1
	left := room - upTo(most)
	for j := range widths {
		if left > 0 && widths[j] == most && most < whole[j] {
			widths[j]++
			left--
		}
	}
	return widths
}

func sum(all []int) int {
	n := 0
	for _, a := range all {
		n += a
	}
	return n
}
