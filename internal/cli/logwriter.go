package cli

import (
	"bufio"
	"errors"
	"slices"
	"strings"

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
	only    string     // the interaction to print; "" for all
	seen    []string   // names of side interactions, where only one is printed
}

func (a *app) newLogWriter(id ikigai.ID, o logOptions) *logWriter {
	style := a.style(a.Out)
	style.Verbose, style.Compact = o.verbose, o.compact
	style.More = "ikigai log " + string(id)
	return &logWriter{
		out: bufio.NewWriterSize(a.Out, 64<<10), json: o.json, only: o.interaction,
		page: render.Page{Style: style}, fold: transcript.Transcript{Folded: !o.verbose && o.interaction == ""},
	}
}

// add prints the session's next event.
func (w *logWriter) add(e ikigai.Event) error {
	if session.EndsReply(e) {
		w.replied = e.Seq
	}
	if !w.wants(e) {
		return nil
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

// wants reports whether an event is of the interaction to print.
func (w *logWriter) wants(e ikigai.Event) bool {
	if w.only != "" && e.Kind == ikigai.KindInteraction {
		w.seen = append(w.seen, e.Interaction)
	}
	return w.only == "" || w.only == e.Interaction
}

// maxNames is how many names of side interactions a person is told.
const maxNames = 10

// missing returns an error if there is no interaction of the name that was asked
// for.
func (w *logWriter) missing() error {
	if w.only == "" || w.only == ikigai.Main || slices.Contains(w.seen, w.only) {
		return nil
	}
	do := "It has none but main"
	if n := len(w.seen); n > 0 {
		do = "Its last ones are " + strings.Join(w.seen[max(0, n-maxNames):], ", ")
	}
	return usage("The session has no interaction "+w.only, do)
}

// end prints what has no end: calls without a result, and unfinished, what was
// shown of a reply that is in no event.
func (w *logWriter) end(unfinished []transcript.Block) error {
	if err := w.missing(); err != nil {
		return err
	}
	if w.json {
		return w.flush() // both are in no event
	}
	if w.only != "" && w.only != ikigai.Main {
		unfinished = nil // it is of the main interaction
	}
	err := errors.Join(w.show(w.fold.Open()...), w.show(unfinished...))
	_, _ = w.out.WriteString(w.page.End()) // flush tells of what failed
	return errors.Join(err, w.flush())
}
