// Package editor is the input of the interactive front: what a person types
// until they send it off. It is a state machine over keys that shows itself as
// lines; nothing in it waits, and only OpenHistory touches a file.
//
// The text is UTF-8 of any number of lines. The cursor stands between grapheme
// clusters. A long paste and an image stand in it as a chip, which counts as one
// character: it is moved over and deleted as a whole, and Alt-O (Ctrl-X Ctrl-O,
// in vi's normal mode zo) turns the one at the cursor into its text.
//
// Keys are those of readline, or of vi. Besides:
//
//   - Enter sends; Alt-Enter, Shift-Enter, Ctrl-J, or \ before Enter at the end of
//     a line make a new line.
//   - Tab asks for completions, or queues while something is under way. @ at the
//     beginning of a word, and / at the beginning of the text, ask as one types. In
//     the list, Up and Down, Ctrl-P and Ctrl-N, and Shift-Tab choose, Tab and Enter
//     take, and Esc closes.
//   - Up in the first row and Down in the last one go through the history, Ctrl-R
//     searches it: Ctrl-R and Ctrl-S go on to what is older and newer, Enter sends
//     what is found, Esc, Tab and the arrows take it to be edited, Ctrl-G and Ctrl-C give it up.
//   - Ctrl-C clears the text; undo brings it back.
package editor

import "ikigai/internal/tty"

// Config says what an Editor works with.
type Config struct {
	Vi      bool // keys of vi; else those of emacs, as readline has them
	ASCII   bool // marks of the editor's own are ASCII
	Color   bool // chips and what is chosen are styled
	History History
	// Image reports whether path, as a terminal pasted it but for quotes, is that
	// of an image to send along. Nil: there are none.
	Image func(path string) bool
}

// History is what was sent before, the oldest first. Nil keeps what this run
// sends.
type History interface {
	Entries() []string
	Add(text string)
}

// Event is what came of a key.
type Event int

// Events.
const (
	Nothing       Event = iota // the key is none of the editor's
	Changed                    // what View shows may have changed
	Submit                     // send off what Take returns
	Queue                      // the same, as a statement of its own after what is under way
	EditElsewhere              // edit Text in another program, and Set what comes of it
	Complete                   // Changed, and Completions for Before are wanted
)

// Completions are what a text could go on with.
type Completions struct {
	From  int // byte of Before from which on an item takes its place
	Items []Completion
}

// Completion is one of them.
type Completion struct {
	Text  string // that takes the place
	About string // what it is, in few words; "" where that is plain
	More  bool   // it is not the end of a word, such as a directory: no space follows
}

// Editor is the text that is being typed. It is for one goroutine.
type Editor struct{}

// New returns an empty Editor.
func New(c Config) *Editor { panic("not built") }

// Handle does what a key asks for.
func (e *Editor) Handle(k tty.Key) Event { panic("not built") }

// View returns the rows to show, at most maxRows and each narrower than width:
// as much of the text as fits around the cursor, and a list of completions or
// what is searched for below it. The cursor stands at row and col. Up and Down
// go by the rows of the last View.
func (e *Editor) View(width, maxRows int) (lines []string, row, col int) { panic("not built") }

// Text returns the text with what long pastes hold.
func (e *Editor) Text() string { panic("not built") }

// Empty reports whether there is no text.
func (e *Editor) Empty() bool { panic("not built") }

// Set puts text in place of all there is, as an undoable step, with the cursor at its
// end.
func (e *Editor) Set(text string) { panic("not built") }

// Take returns the text and the images in it, in their order, remembers it in
// the history and leaves the Editor empty.
func (e *Editor) Take() (text string, images []string) { panic("not built") }

// Before returns the text before the cursor. A chip in it is one character of a
// private use area.
func (e *Editor) Before() string { panic("not built") }

// Completed takes in the completions for a text before the cursor. They are
// dropped if that is no longer what stands there; it reports whether View
// changes.
func (e *Editor) Completed(before string, c Completions) bool { panic("not built") }

// Replace puts text in place of what stands from byte from of Before to the
// cursor.
func (e *Editor) Replace(from int, text string) { panic("not built") }

// Busy says whether something is under way, so that Tab queues and Ctrl-X is
// none of the editor's.
func (e *Editor) Busy(busy bool) { panic("not built") }

// Mode tells the mode of vi's keys, "insert" or "normal"; "" without them.
func (e *Editor) Mode() string { panic("not built") }

// File is a history in a file.
type File struct{}

// OpenHistory returns the history in the file at path, which is made with the
// first entry, for its owner alone. Several processes may use one file at once;
// each sees what was there when it opened it, and what it added. The file is kept
// below 4 MiB, and long entries are not written to it.
//
// If the file cannot be read, the history is usable without it and comes with
// the error.
func OpenHistory(path string) (*File, error) { panic("not built") }

// Entries returns what was sent, the oldest first.
func (h *File) Entries() []string { panic("not built") }

// Add adds an entry. One that equals the last is not added.
func (h *File) Add(text string) { panic("not built") }

// Err returns why an entry could not be written, if one could not.
func (h *File) Err() error { panic("not built") }
