package overlay

import "ikigai/internal/tty"

// List shows what a text could go on with, below the input, of which one is
// chosen.
type List struct{}

// NewList returns a List with the first item chosen.
func NewList(look Look, items []Item) *List { return &List{} }

// Handle takes in a key. It reports whether it was one of the List's, which only
// moves what is chosen (up, down, by pages): what takes it and what closes the
// list is the caller's.
func (l *List) Handle(k tty.Key) (taken bool) { return false }

// Next chooses the next item, the first after the last; Prev the one before.
func (l *List) Next() {}
func (l *List) Prev() {}

// Chosen returns the item that is chosen, by its index, or -1 if there is none.
func (l *List) Chosen() int { return -1 }

// View returns at most 8 lines. The cursor is never in it.
func (l *List) View(width, height int) (lines []string, row, col int) { return nil, -1, 0 }
