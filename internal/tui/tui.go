// Package tui is the interactive front: where a person types, and a session is
// shown while it happens, in the terminal's own screen. What is finished is
// printed once, so that the terminal's scrollback, search and copy work; below
// it stands a short live region. Longer things open on the alternate screen and
// leave no trace.
//
// It knows blocks and keys. What is done about what the person types is the
// business of its Host.
package tui

import (
	"context"
	"io"
	"time"

	"ikigai/internal/render"
	"ikigai/internal/tui/editor"
)

// Config says what a Front works with.
type Config struct {
	Terminal Terminal
	Style    render.Style // its Width follows the terminal's
	Host     Host
	History  History // of what was typed; nil keeps none beyond this run

	Vi          bool          // keys of vi in the input; else those of emacs
	Plain       bool          // a line at a time and nothing that moves, for screen readers and dumb terminals
	In          io.Reader     // with Plain: the terminal, instead of Terminal, which tells its size alone
	Out         io.Writer     // likewise
	NotifyAfter time.Duration // a turn that took longer rings when it ends or asks, a question when it has waited longer; 0 never rings
	Redact      func(string) string
	// Image reports whether path is that of an image to send along, when one was
	// pasted or completed. Nil: there are none.
	Image func(path string) bool
	// Edit has the person edit a text elsewhere, while the Front has given the
	// terminal away, and returns what came of it. Nil: there is no such place.
	Edit func(text string) (string, error)
}

// History is what was typed before, the oldest first.
type History interface {
	Entries() []string
	Add(text string)
}

// Host does what the person asks for. Its methods are called on the Front's own
// goroutine and return at once, but for Complete.
type Host interface {
	// Submit takes what the person has sent off: a statement, or a command that
	// begins with "/" or "!".
	Submit(Input)
	// Stop stops what is under way: a turn, a command. It reports whether there
	// was anything.
	Stop() bool
	// Cancel stops one tool call.
	Cancel(callID string)
	// TakeBack gives up what was sent off last and has not begun (see
	// Front.Waiting), to be said in another way. It is false if there is nothing.
	TakeBack() (Input, bool)
	// EditLast has the last statement put into the input, with Front.EditInput, to
	// be said in another way.
	EditLast()
	// ShowAll opens all of the session in a pager, nothing folded.
	ShowAll()
	// Complete returns what the text before the cursor could go on with. It is
	// called beside the Front's goroutine, for one text at a time, and ctx ends
	// when the person has typed on.
	Complete(ctx context.Context, before string) Completions
	// Leave is told that the person, or their terminal, is gone: the Front is about
	// to return from Run.
	Leave()
}

// Input is what the person has sent off.
type Input struct {
	Text  string
	Files []string // that go with it: paths of images and documents
	Queue bool     // while a turn is under way: it is a statement of its own after that, and does not steer it
	// Instead tells that it takes the place of the last statement, which EditInput
	// had put into the input.
	Instead bool
}

// Completions are what a text could go on with, and Completion is one of them.
type (
	Completions = editor.Completions
	Completion  = editor.Completion
)

// Status is what the status line tells. What is empty is left out.
type Status struct {
	Model     string // with its level
	Context   int64  // tokens that the conversation takes, estimated
	Of        int64  // that it may take; 0 where nobody knows
	Cost      string // of the session, as people read it
	Turn, Max int    // rounds of the statement, and how many it may take
	Goal      string
	Objective string
	OK, Bad   int    // calls of tools that succeeded and failed
	Store     string // how events are kept, where that is not as usual: "journal", "memory only"
	Mode      string // how tools are approved, where that is not "never"
	Title     string // of the session, for the terminal's title
}

// Item is one of a list to pick from.
type Item struct {
	Label string
	About string // behind it, dim
}

// Pick is a list that the person picks from.
type Pick struct {
	Title   string
	Items   []Item
	At      int                       // that is chosen in the beginning
	Preview func(i, width int) string // of an item, styled text; called beside the Front's goroutine. It may be nil
	// Search returns the items, by index and the best first, for what was typed.
	// Nil finds those whose label or about has it. It is called beside the Front's
	// goroutine.
	Search func(ctx context.Context, typed string) []int
}

// Question is asked in the live region, and answered by a key while nothing is
// typed.
type Question struct {
	Text    string // styled, what it is about; printed above
	Prompt  string // one line
	Choices []Choice

	// Call is the ID of the call that is asked about, "" for none. Where that stands
	// right above, Rest, which is what it does not show, is printed instead of Text.
	Call, Rest string
	// Named tells that Prompt says which call it is, if several stand there.
	Named bool
}

// Choice is an answer to a Question.
type Choice struct {
	Key   rune   // lower case
	Label string // such as "yes, once"
	// Words lets the person say something with it, which begins as With.
	Words bool
	With  string
	// Allows tells that something is done which what was typed for something else
	// must not choose: the key has to stand alone.
	Allows bool
}

// Answer is how a Question was answered.
type Answer struct {
	Choice int    // of the Choices; -1 if the person went away from it, which stops what is under way
	Words  string // if the choice asked for some
}
