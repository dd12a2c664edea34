// Package editor is the input of the interactive front: what a person types
// until they send it off. It is a state machine over keys that shows itself as
// lines; nothing in it waits, and only OpenHistory touches a file.
//
// The text is UTF-8 of any number of lines. The cursor stands between grapheme
// clusters. A long paste and an image stand in it as a chip, which counts as one
// character: it is moved over and deleted as a whole, and Alt-O, Ctrl-X O, or zo in
// vi's normal mode turns the one at the cursor into its text.
//
// Keys are those of readline, or of vi. Besides:
//
//   - Enter sends; Alt-Enter, Shift-Enter, Ctrl-J, or \ before Enter at the end of
//     a line make a new line.
//   - Tab asks for completions, or queues while something is under way. @ at the
//     beginning of a word, and / at the beginning of the text, ask as one types. In
//     the list, Up and Down, Ctrl-P and Ctrl-N, and Shift-Tab choose, Tab and Enter
//     take (Enter only what is chosen, which an argument of a command, or a file that
//     does not begin with what was typed, is not by itself), and Esc closes (and leaves
//     vi's insert mode).
//   - Up in the first row and Down in the last one go through the history, Ctrl-R
//     searches it: Ctrl-R and Ctrl-S go on to what is older and newer, Enter sends
//     what is found, Esc, Tab and the arrows take it to be edited, Ctrl-G and Ctrl-C
//     give it up.
//   - Ctrl-C clears the text; undo (Ctrl-_, Ctrl-X Ctrl-U, u) brings it back, and redo
//     (Ctrl-X Ctrl-R, in vi's normal mode Ctrl-R) takes it away again.
//   - Ctrl-G, Ctrl-X Ctrl-E edit the text in another program.
package editor

import "strings"

// Config says what an Editor works with.
type Config struct {
	Vi      bool // keys of vi; else those of emacs, as readline has them
	ASCII   bool // marks of the editor's own are ASCII
	Color   bool // chips and what is chosen are styled
	History History
	// Image reports whether path, as a terminal pasted it but for quotes or as a
	// Completion has it, is that of an image to send along. Nil: there are none.
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
	Path  string // of the file that it names, which goes along with a statement if it is an image; may be ""
}

// Editor is the text that is being typed. It is for one goroutine.
type Editor struct {
	config Config
	text   string // with a character for each chip
	cursor int    // byte of text, between clusters
	goal   int    // column that Up and Down keep to; -1 if there is none
	busy   bool

	before, now command // what the last key did, and what this one does
	prefix      bool    // Ctrl-X was typed

	chips   []chip
	sent    map[string]chip // images that were sent, by label
	changes changes
	ring    ring
	past    past
	search  search
	list    list
	vi      vi
	screen  screen
}

// command is what a key did, as far as the next one needs to know.
type command int

const (
	something command = iota
	typing
	killing
	yanking
	vertical
)

// New returns an empty Editor.
func New(c Config) *Editor {
	if c.History == nil {
		c.History = &memory{}
	}
	return &Editor{config: c, goal: -1, screen: screen{columns: 77}}
}

// Text returns the text with what long pastes hold.
func (e *Editor) Text() string { return e.expand(e.text, (*chip).sent) }

// Empty reports whether nothing is typed: there is no text, and the history is not
// searched.
func (e *Editor) Empty() bool { return e.text == "" && !e.search.on }

// Set puts text in place of all there is, as a step that can be undone, with the
// cursor at its end. Labels of images that are in the text, or were sent before,
// stand for the images again, and a chip for what is far too long to be edited.
func (e *Editor) Set(text string) {
	e.close()
	e.changes.next()
	e.replaceAll(e.folded(e.withImages(clean(text))))
	e.changes.next()
}

// replaceAll is edit for all of the text.
func (e *Editor) replaceAll(text string) {
	e.edit(0, len(e.text), text)
}

// withImages returns text with the chips of images for their labels.
func (e *Editor) withImages(text string) string {
	for _, c := range chipsIn(e.text) {
		if at := e.chipAt(c); at.path != "" {
			text = strings.Replace(text, at.label, c, 1)
		}
	}
	for label, image := range e.sent {
		if before, after, found := strings.Cut(text, label); found {
			if c, ok := e.newChip(image); ok {
				text = before + c + after
			}
		}
	}
	return text
}

// mostSent bounds how many images are remembered.
const mostSent = 100

// Take returns the text and the images in it, in their order, remembers it in
// the history and leaves the Editor empty.
func (e *Editor) Take() (text string, images []string) {
	text = e.Text()
	for _, c := range chipsIn(e.text) {
		if at := e.chipAt(c); at.path != "" {
			images = append(images, at.path)
			if len(e.sent) >= mostSent || e.sent == nil {
				e.sent = make(map[string]chip)
			}
			e.sent[at.label] = *at
		}
	}
	if strings.TrimSpace(text) != "" {
		e.config.History.Add(e.expand(e.text, (*chip).spelled))
	}
	e.close()
	e.text, e.cursor, e.goal = "", 0, -1
	e.changes, e.past, e.before = changes{}, past{}, something
	e.viReset()
	e.freeChips()
	e.screen.long = nil
	return text, images
}

// Before returns the text before the cursor. A chip in it is one character of a
// private use area.
func (e *Editor) Before() string { return e.text[:e.cursor] }

// Replace puts text in place of what stands from byte from of Before to the
// cursor.
func (e *Editor) Replace(from int, text string) {
	e.changes.next()
	e.edit(alignBack(e.text, min(max(from, 0), e.cursor)), e.cursor, clean(text))
	e.changes.next()
}

// Busy says whether something is under way, so that Tab queues.
func (e *Editor) Busy(busy bool) { e.busy = busy }

// Mode tells the mode of vi's keys: "insert", "normal" or "visual"; "" without
// them.
func (e *Editor) Mode() string {
	switch {
	case !e.config.Vi:
		return ""
	case e.vi.visual:
		return "visual"
	case e.vi.normal:
		return "normal"
	}
	return "insert"
}

// close leaves what stands below the text, and what a key has begun.
func (e *Editor) close() {
	e.search = search{}
	e.list = list{}
	e.prefix = false
}
