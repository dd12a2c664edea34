package cli

import (
	"bufio"
	"errors"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/session"
	"ikigai/internal/transcript"
)

// logWriter prints events: as a page for people or as lines of JSON.
type logWriter struct {
	out     *bufio.Writer
	json    bool
	page    render.Page
	fold    transcript.Transcript
	replied ikigai.Seq // the last event that ends what was shown of a reply
}

func (a *app) newLogWriter(id ikigai.ID, o logOptions) *logWriter {
	style := a.style(a.Out)
	style.Verbose, style.Compact = o.verbose, o.compact
	style.More = "ikigai log " + string(id)
	return &logWriter{out: bufio.NewWriterSize(a.Out, 64<<10), json: o.json, page: render.Page{Style: style}}
}

// add prints the session's next event.
func (w *logWriter) add(e ikigai.Event) error {
	if session.EndsReply(e) {
		w.replied = e.Seq
	}
	if w.json {
		_, err := w.out.Write(transcript.JSONLine(e))
		return err
	}
	return w.show(w.fold.Add(e)...)
}

func (w *logWriter) show(blocks ...transcript.Block) error {
	for _, b := range blocks {
		if _, err := w.out.WriteString(w.page.Block(b)); err != nil {
			return err
		}
	}
	return nil
}

// flush prints what was not printed yet.
func (w *logWriter) flush() error { return w.out.Flush() }

// end prints what has no end: calls without a result, and unfinished, what was
// shown of a reply that is in no event.
func (w *logWriter) end(unfinished []transcript.Block) error {
	if w.json {
		return w.flush() // both are in no event
	}
	return errors.Join(w.show(w.fold.Open()...), w.show(unfinished...), w.flush())
}
