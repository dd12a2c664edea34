package cli

import (
	"context"
	"iter"
	"strings"

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

// echo tells which command it is that shows something, once.
func (f *front) echo() {
	if line := f.command.Swap(nil); line != nil {
		f.ui.Echo(clipped(f.redact(*line)))
	}
}

// harmless returns what others wrote as a terminal may be given it, without keys.
func (f *front) harmless(text string) string { return safetext.Terminal(f.redact(text)) }

// events yields the events of the session that is open, up to the last one.
func (f *front) events(ctx context.Context, w *work) iter.Seq2[ikigai.Event, error] {
	_, _ = w.session.Record(ctx) // what is queued; an error is that the session is closed
	return f.allEvents(ctx, w.store, w.session.ID())
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
