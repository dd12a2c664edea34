package cli

import (
	"context"
	"strings"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/session"
	"ikigai/internal/transcript"
)

// showAll shows all of the session in a pager, nothing folded.
func (f *front) showAll(ctx context.Context) error { return f.showLog(ctx, false) }

// showLog is showAll; if verbose is set, each event has its number, and what the
// model was sent is shown, too.
func (f *front) showLog(ctx context.Context, verbose bool) error {
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	style := f.frontStyle()
	style.Compact, style.Verbose = false, verbose
	page, fold := render.Page{Style: style}, transcript.Transcript{Folded: !verbose}
	var text strings.Builder
	var replied ikigai.Seq // see unfinished
	show := func(blocks []transcript.Block) {
		for _, b := range blocks {
			b.Text = here(b)
			text.WriteString(page.Block(b))
		}
	}
	for e, err := range f.events(ctx, w) {
		if err != nil {
			return err
		}
		if session.EndsReply(e) {
			replied = e.Seq
		}
		show(fold.Add(e))
	}
	show(f.unfinished(w.session.ID(), replied))
	f.ui.Page(ctx, "session "+string(w.session.ID()), text.String()+page.End(), true)
	return nil
}

// editLast puts the last statement into the input. What is said next takes its
// place.
func (f *front) editLast(ctx context.Context) error {
	if err := f.idle(ctx); err != nil {
		return err
	}
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	last, text, err := f.lastStatement(ctx, w)
	if err != nil || last == 0 {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.work != w { // another session was opened meanwhile
		return nil
	}
	f.instead = last
	f.ui.EditInput(text)
	return nil
}

// lastStatement returns the last statement of the conversation; 0 if there is none.
func (f *front) lastStatement(ctx context.Context, w *work) (ikigai.Seq, string, error) {
	var past timeline
	texts := map[ikigai.Seq]string{}
	for e, err := range f.events(ctx, w) {
		if err != nil {
			return 0, "", err
		}
		if past.Add(e); e.IsStatement() {
			texts[e.Seq] = e.Content
		}
	}
	for m := past.now(); m != nil; m = m.before {
		if m.statement != "" {
			return m.seq, texts[m.seq], nil
		}
	}
	return 0, "", nil
}
