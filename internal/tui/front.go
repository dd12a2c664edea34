package tui

import (
	"context"

	"ikigai"
	"ikigai/internal/transcript"
	"ikigai/internal/tui/overlay"
)

// Front is the interactive front. Its methods may be called from any goroutine,
// and return at once unless they say otherwise; those that wait must not be called
// on the Front's own. What they are given before Run is shown when it begins.
type Front struct {
	loop *loop
	box  *mailbox
}

// New returns a Front. Nothing is drawn before Run.
func New(c Config) *Front {
	box := newMailbox()
	return &Front{loop: newLoop(c, box), box: box}
}

// Run shows the front until Quit is called, the person leaves, the terminal is
// gone or ctx ends, and gives the terminal back as it was, also when it panics. It
// returns ErrGone if the terminal is gone.
func (f *Front) Run(ctx context.Context) error { return f.loop.run(ctx) }

// Quit has Run return. What came before is still printed.
func (f *Front) Quit() { f.box.post(func(l *loop) { l.over = true }) }

// Block shows a block of the session.
func (f *Front) Block(b transcript.Block) { f.box.post(func(l *loop) { l.block(b) }) }

// Past shows the end of what happened in a session before: as many of the last
// blocks as fill the screen, and above them how many events there are that are
// not shown, by the number of the first one that is. So blocks may be the last
// few hundred alone.
func (f *Front) Past(blocks []transcript.Block) { f.box.post(func(l *loop) { l.past(blocks) }) }

// Delta shows a piece of a reply as it comes.
func (f *Front) Delta(d ikigai.Delta) { f.box.delta(d) }

// Progress tells that a call runs, whose block came before, and shows what it
// prints.
func (f *Front) Progress(callID string, output []byte) { f.box.output(callID, output) }

// Notice tells the person something, in two sentences.
func (f *Front) Notice(text string) { f.box.post(func(l *loop) { l.notice(text) }) }

// Print prints lines below what was printed so far. The text is styled already and
// holds nothing of others that has not been cleaned.
func (f *Front) Print(text string) { f.box.post(func(l *loop) { l.tell(text) }) }

// Aside tells the person in a line what has happened by the way, once that parts
// neither a reply nor a call from its result.
func (f *Front) Aside(line string) {
	f.box.post(func(l *loop) {
		l.asides = append(l.asides, line)
		l.tellAsides()
	})
}

// Echo tells on the screen which command it is that prints what follows.
func (f *Front) Echo(line string) { f.box.post(func(l *loop) { l.echo(line) }) }

// Busy tells that something is under way that Stop stops, such as a turn, and what:
// "waiting for the model". The time counts from the first Busy after Idle.
func (f *Front) Busy(what string) { f.box.post(func(l *loop) { l.begins(what) }) }

// Idle tells that nothing is under way any more.
func (f *Front) Idle() { f.box.post((*loop).ends) }

// Waiting shows what was sent off and has not begun yet, in order.
func (f *Front) Waiting(inputs []Input) { f.box.post(func(l *loop) { l.waiting = inputs }) }

// Status sets what the status line tells.
func (f *Front) Status(s Status) { f.box.post(func(l *loop) { l.told(s) }) }

// SetInput puts text into the input, if nothing stands there.
func (f *Front) SetInput(text string) { f.box.post(func(l *loop) { l.setInput(text) }) }

// EditInput is SetInput for the last statement: what is sent off takes its place,
// unless the input was empty in between.
func (f *Front) EditInput(text string) { f.box.post(func(l *loop) { l.instead = l.setInput(text) }) }

// Page shows text, styled, in a pager until the person closes it, from its end if
// end is set. It waits for that.
func (f *Front) Page(ctx context.Context, title, text string, end bool) {
	if f.loop.plain != nil {
		f.pageInLines(title, text)
		return
	}
	f.show(ctx, func(l *loop) *opened {
		return &opened{widget: overlay.NewPager(l.look(), safe(title), text, end)}
	})
}

// Pick has the person pick an item, and waits for it. It returns -1 if they pick
// none.
func (f *Front) Pick(ctx context.Context, p Pick) int {
	if f.loop.plain != nil {
		return f.pickInLines(ctx, p)
	}
	var list *picking
	if !f.show(ctx, func(l *loop) *opened {
		list = newPicking(ctx, l.look(), p)
		return &opened{widget: list, pick: list}
	}) {
		return -1
	}
	return list.Picked()
}

// Ask asks the person, and waits for the answer. Questions wait for one another.
func (f *Front) Ask(ctx context.Context, q Question) Answer {
	a := newAsked(q)
	if !f.box.post(func(l *loop) { l.ask(a) }) {
		return Answer{Choice: -1}
	}
	select {
	case answer := <-a.answer:
		return answer
	case <-ctx.Done():
		f.box.post(func(l *loop) { l.withdraw(a) })
	case <-f.loop.gone:
	}
	return Answer{Choice: -1}
}

// Away gives the terminal away while run runs, as it was before Run, and waits.
func (f *Front) Away(run func() error) error {
	given := make(chan error, 1)
	if !f.box.post(func(l *loop) { l.giveAway(given) }) {
		return ErrGone
	}
	select {
	case err := <-given:
		if err != nil {
			return err
		}
	case <-f.loop.gone:
		return ErrGone
	}
	defer f.box.post((*loop).takeBack)
	return run()
}

// Restyle changes how things look from here on.
func (f *Front) Restyle(theme string, compact bool) {
	f.box.post(func(l *loop) { l.restyle(theme, compact) })
}
