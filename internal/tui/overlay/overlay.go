// Package overlay has what opens over or beside the input of the front for a
// while: a pager, a list to pick from, a question, a list of completions.
//
// Each is a state and what shows it: Handle takes a key in, View returns lines for
// a screen of that many columns and rows, no line wider and no more of them, and
// where the cursor stands; a row of -1 means nowhere. They draw nothing, start
// nothing and wait for nothing, and belong to one goroutine at a time.
//
// Text that is given to them holds SGR sequences at most, whose effect ends with
// the line, and has been cleaned of what others wrote; other control characters
// are left out, and tabs become spaces.
package overlay

// Look says how things are marked.
type Look struct {
	Color bool // style text; else reverse video alone tells what is chosen or found
	ASCII bool // use no mark beyond ASCII
}
