package tui

import "ikigai/internal/tty"

// Terminal is what a Front draws on and gets its keys from. A *tty.Terminal is
// one.
type Terminal interface {
	// Start takes the terminal: each key as it is typed, pastes as one.
	Start() error
	// Stop clears the live region and gives the terminal back as it was. Start may
	// be called again.
	Stop() error
	// Keys has what is typed, in the pieces in which it came. It is closed when
	// the terminal is gone.
	Keys() <-chan []tty.Key
	// Resized tells that Size has changed.
	Resized() <-chan struct{}
	// Size is in columns and rows.
	Size() (width, height int)
	// Paint prints whole lines where the live region begins, and draws the live
	// region below them. What has not changed of it is not written again.
	Paint(printed string, live tty.Live)
	// Page draws lines on the alternate screen, with the cursor at row and col, or
	// without one if row is negative. Nil goes back to the normal screen; until
	// then Paint must not be called.
	Page(lines []string, row, col int)
	// Title sets the title of the terminal's window, and Ring rings its bell and has
	// the terminal tell the person something, if it can.
	Title(text string)
	Ring(text string)
}
