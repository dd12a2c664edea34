package overlay

import "ikigai/internal/tty"

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
type Picker struct{}

// NewPicker returns a Picker.
func NewPicker(c PickerConfig) *Picker { return &Picker{} }

// Handle takes in a key. It reports whether the person has picked an item or
// gone away.
func (p *Picker) Handle(k tty.Key) (done bool) { return true }

// Picked returns the item that was picked, by its index, or -1 if none was.
func (p *Picker) Picked() int { return -1 }

// Typed returns what the list is to be narrowed by.
func (p *Picker) Typed() string { return "" }

// Found tells which items were found for what was typed, the best first. It is
// ignored if something else is typed by now. With Config.Outside it is to be called
// whenever Typed has changed.
func (p *Picker) Found(typed string, items []int) {}

// WantsPreview returns the item whose preview View lacks, and for how many columns
// and rows it is wanted. It is to be asked after each View.
func (p *Picker) WantsPreview() (item, width, height int, ok bool) { return 0, 0, 0, false }

// SetPreview sets the preview of an item.
func (p *Picker) SetPreview(item int, text string) {}

// View returns the screen.
func (p *Picker) View(width, height int) (lines []string, row, col int) { return nil, -1, 0 }
