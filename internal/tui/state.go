package tui

import (
	"time"

	"ikigai/internal/render"
	"ikigai/internal/tui/editor"
)

// state is all that is shown. It holds nothing of what is printed already.
type state struct {
	live   render.Live // which writes whole lines
	out    []byte      // to be printed
	lost   bool        // the beginning of out was let go
	blank  bool        // the line that was printed last is empty
	echoed bool        // it is a command that was typed
	// apart says that what was printed last does not belong to the session, or stands
	// in the midst of a reply that it does not belong to.
	apart bool

	asides []string // lines to be told where they part nothing

	width, height int
	now           time.Time // of the view

	input      *editor.Editor
	instead    bool // it holds the last statement, to be said in another way
	completing completing
	calls      []*call
	atEnd      []string // IDs of the calls that were printed last, whole, and nothing after them
	work       work
	waiting    []Input
	status     Status
	title      string // of the terminal, as it was set
	asked      []*asked
	overlays   []*opened
	paged      bool // the alternate screen is shown
	away       int  // how many have been given the terminal
	help       bool // the keys are shown
	fresh      bool // nothing has happened yet
	hint       hint

	keyAt         time.Time // of the last key
	escapedAt     time.Time // Escape had nothing to stop, or has stopped something
	interruptedAt time.Time // Ctrl-C had nothing to stop
}

// hint is a line below the input that goes away by itself.
type hint struct {
	text  string
	until time.Time
}

func newState(c Config) state {
	c.Style.Markdown, c.Style.FoldSaid = true, true
	return state{
		fresh: true,
		live:  render.Live{Style: c.Style},
		input: editor.New(editor.Config{
			Vi: c.Vi, ASCII: c.Style.ASCII, Color: c.Style.Color, History: c.History, Image: c.Image,
		}),
	}
}
