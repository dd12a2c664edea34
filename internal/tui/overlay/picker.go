package overlay

import (
	"slices"

	"ikigai/internal/fuzzy"
	"ikigai/internal/tty"
)

// PickerConfig says what a Picker shows.
type PickerConfig struct {
	Look    Look
	Title   string
	Items   []Item
	At      int  // the item that is chosen in the beginning
	Outside bool // what is found for what was typed is told by Found; else the Picker finds it
	Preview bool // there is a preview of items, told by SetPreview
}

// Item is one of a list.
type Item struct {
	Label string
	About string // behind it, dim; may be ""
}

// Picker is a list to pick from, which is narrowed by typing.
type Picker struct {
	c      PickerConfig
	field  field
	texts  []string // of the items, to be found by; nil before the first search
	found  []int    // items, the best first
	at     int      // of found: the one that is chosen
	moved  bool     // the person has chosen it with the keys
	first  int      // of found: the one that stands first on the screen
	page   int      // rows of the list in the last View
	picked int
	asks   bool // a question waits behind it

	preview preview
}

// NewPicker returns a Picker.
func NewPicker(c PickerConfig) *Picker {
	p := &Picker{c: c, picked: -1, page: 10, preview: preview{item: -1}}
	p.found = all(len(c.Items))
	p.at = max(0, min(c.At, len(c.Items)-1))
	return p
}

func all(n int) []int {
	found := make([]int, n)
	for i := range found {
		found[i] = i
	}
	return found
}

// Handle takes in a key. It reports whether the person has picked an item or
// gone away.
func (p *Picker) Handle(k tty.Key) (done bool) {
	switch {
	case k.Is(tty.KeyEscape, 0), k.Ctrl('c'), k.Ctrl('g'):
		return true
	case k.Is(tty.KeyEnter, 0):
		p.picked = p.Chosen()
		return p.picked >= 0
	case k.Is(tty.KeyUp, 0), k.Ctrl('p'), k.Is(tty.KeyTab, tty.Shift):
		p.move(-1)
	case k.Is(tty.KeyDown, 0), k.Ctrl('n'), k.Is(tty.KeyTab, 0):
		p.move(1)
	case k.Is(tty.KeyPageUp, 0), k.Alt('v'):
		p.move(-max(1, p.page-1))
	case k.Is(tty.KeyPageDown, 0), k.Ctrl('v'):
		p.move(max(1, p.page-1))
	case k.Is(tty.KeyHome, 0) && p.field.text == "", k.Alt('<'):
		p.move(-len(p.found))
	case k.Is(tty.KeyEnd, 0) && p.field.text == "", k.Alt('>'):
		p.move(len(p.found))
	default:
		p.narrow(k)
	}
	return false
}

// move chooses the item that stands n rows further down.
func (p *Picker) move(n int) {
	p.at = max(0, min(p.at+n, len(p.found)-1))
	p.moved = true
}

// narrow takes in a key of what is typed.
func (p *Picker) narrow(k tty.Key) {
	before := p.field.text
	if !p.field.handle(k) || p.field.text == before {
		return
	}
	p.moved = false
	switch {
	case p.c.Outside:
	case p.field.text == "":
		p.take(all(len(p.c.Items)))
	default:
		p.take(p.search())
	}
}

// mostFound is how many items are found at most. Nobody reads on so far, and to
// rank more takes long.
const mostFound = 500

// search returns the items that are found for what is typed, the best first.
func (p *Picker) search() []int {
	if p.texts == nil {
		p.texts = make([]string, len(p.c.Items))
		for i, it := range p.c.Items {
			p.texts[i] = it.Label
			if it.About != "" {
				p.texts[i] += " " + it.About
			}
		}
	}
	return fuzzy.Rank(p.field.text, p.texts, mostFound)
}

// Found tells which items were found for what was typed, the best first. It is
// ignored if something else is typed by now. With PickerConfig.Outside it is to be
// called whenever Typed has changed.
func (p *Picker) Found(typed string, items []int) {
	if typed != p.field.text {
		return
	}
	p.take(slices.DeleteFunc(slices.Clone(items), func(i int) bool { return i < 0 || i >= len(p.c.Items) }))
}

// take shows what was found. An item that the person went to since they typed
// stays chosen as long as it is found, and so does any when nothing is typed any
// more.
func (p *Picker) take(found []int) {
	at := 0
	if p.moved || p.field.text == "" {
		at = max(0, slices.Index(found, p.Chosen()))
	}
	p.moved = p.moved && at < len(found) && found[at] == p.Chosen()
	p.found, p.at, p.first = found, at, 0
}

// Typed returns what the list is to be narrowed by.
func (p *Picker) Typed() string { return p.field.text }

// Chosen returns the item that Enter would pick, by its index, or -1 if there is
// none.
func (p *Picker) Chosen() int {
	if len(p.found) == 0 {
		return -1
	}
	return p.found[p.at]
}

// Picked returns the item that was picked, by its index, or -1 if none was.
func (p *Picker) Picked() int { return p.picked }
