package tui

import (
	"context"

	"ikigai"
	"ikigai/internal/transcript"
)

// Front is the interactive front. Its methods may be called from any goroutine,
// and return at once unless they say otherwise.
type Front struct{}

// New returns a Front. Nothing is drawn before Run.
func New(c Config) *Front { panic("not built") }

// Run shows the front until Quit is called, the person leaves, the terminal is
// gone or ctx ends, and gives the terminal back as it was.
func (f *Front) Run(ctx context.Context) error { panic("not built") }

// Quit has Run return.
func (f *Front) Quit() { panic("not built") }

// Block shows a block of the session.
func (f *Front) Block(b transcript.Block) { panic("not built") }

// Past shows the end of what happened in a session before: as many of the last
// blocks as fill the screen, and above them how many events there are that are
// not shown, by the number of the first one that is. So blocks may be the last
// few hundred alone.
func (f *Front) Past(blocks []transcript.Block) { panic("not built") }

// Delta shows a piece of a reply as it comes.
func (f *Front) Delta(d ikigai.Delta) { panic("not built") }

// Progress shows what a running tool prints.
func (f *Front) Progress(callID string, output []byte) { panic("not built") }

// Notice tells the person something, in two sentences.
func (f *Front) Notice(text string) { panic("not built") }

// Print prints lines below what was printed so far. The text is styled already and
// holds nothing of others that has not been cleaned.
func (f *Front) Print(text string) { panic("not built") }

// Busy tells that something is under way that Stop stops, such as a turn, and what:
// "waiting for the model". The time counts from the first Busy after Idle.
func (f *Front) Busy(what string) { panic("not built") }

// Idle tells that nothing is under way any more.
func (f *Front) Idle() { panic("not built") }

// Waiting shows what was sent off and has not begun yet, in order.
func (f *Front) Waiting(inputs []Input) { panic("not built") }

// Status sets what the status line tells.
func (f *Front) Status(s Status) { panic("not built") }

// SetInput puts text into the input, if nothing stands there.
func (f *Front) SetInput(text string) { panic("not built") }

// Page shows text, styled, in a pager until the person closes it, from its end if
// end is set. It waits for that.
func (f *Front) Page(ctx context.Context, title, text string, end bool) { panic("not built") }

// Pick has the person pick an item, and waits for it. It returns -1 if they pick
// none.
func (f *Front) Pick(ctx context.Context, p Pick) int { panic("not built") }

// Ask asks the person, and waits for the answer. Questions wait for one another.
func (f *Front) Ask(ctx context.Context, q Question) Answer { panic("not built") }

// Away gives the terminal away while run runs, as it was before Run, and waits.
func (f *Front) Away(run func() error) error { panic("not built") }

// Restyle changes how things look from here on.
func (f *Front) Restyle(theme string, compact bool) { panic("not built") }
