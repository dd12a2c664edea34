package cli

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"ikigai"
	"ikigai/internal/safetext"
)

// tells prints what a command has to say, in sentences. What others wrote of it is
// made harmless, and keys are taken out.
func (f *front) tells(text string) {
	text = strings.TrimRight(f.harmless(text), "\n ")
	f.print(f.style(f.Out).Wrap(text, "") + "\n")
}

// print prints what a command has to show, styled and harmless.
func (f *front) print(text string) {
	f.echo()
	f.ui.Print(text)
}

// echo tells which commands they are that may be showing something, each once.
func (f *front) echo() {
	for _, line := range f.echoes.take() {
		f.ui.Echo(clipped(f.redact(line)))
	}
}

// echoes is the lines of commands under way that nothing was shown of, in order.
type echoes struct {
	mu    sync.Mutex
	lines []*string
}

// await adds a line until it is taken or done is called.
func (e *echoes) await(line string) (done func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, &line)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.lines = slices.DeleteFunc(e.lines, func(other *string) bool { return other == &line })
	}
}

// take takes all lines.
func (e *echoes) take() (all []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, line := range e.lines {
		all = append(all, *line)
	}
	e.lines = nil
	return all
}

// harmless returns what others wrote as a terminal may be given it, without keys.
func (f *front) harmless(text string) string { return safetext.Terminal(f.redact(text)) }

// events yields the events of the session that is open, up to the last one.
func (f *front) events(ctx context.Context, w *work) iter.Seq2[ikigai.Event, error] {
	return w.reads.Events(ctx, w.session.ID(), 0)
}

// timeline returns the places of the session that is open.
func (f *front) timeline(ctx context.Context, w *work) (*timeline, error) {
	t := &timeline{}
	return t, fold(f.events(ctx, w), t.Add)
}

// fold has take take in all events.
func fold(events iter.Seq2[ikigai.Event, error], take func(ikigai.Event)) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		take(e)
	}
	return nil
}

// spoken returns the session that is open, once something was said in it.
func (f *front) spoken(ctx context.Context) (*work, error) {
	w, err := f.opened(ctx)
	if err == nil && !f.view.any() {
		err = usage("Nothing has been said in this session yet", "Say something first")
	}
	return w, err
}

// changing is spoken for a command that changes the conversation: nothing else
// works in it then.
func (f *front) changing(ctx context.Context) (*work, error) {
	if err := f.idle(ctx); err != nil {
		return nil, err
	}
	return f.spoken(ctx)
}
