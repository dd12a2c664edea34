package cli

import (
	"io"
	"strings"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/session"
	"ikigai/internal/transcript"
)

// viewer is where a session is shown while it happens.
type viewer interface {
	session.Projection
	// begin tells that events are new from now on.
	begin()
	// recorded shows an event once it is in the log.
	recorded(ikigai.Event, ikigai.Durability)
	// shown shows a piece of a reply as it comes.
	shown(ikigai.Delta)
	// notice tells the person something that stopped nothing.
	notice(text string)
	// progress returns what shows what running tools print; nil where nobody looks.
	progress() func(callID string, p []byte)
	// approval returns what asks the person about a call; nil where nobody can be
	// asked.
	approval() approval
	// watch tells what is being waited for until stop is called, and finish ends
	// what is open on the screen.
	watch() (stop func())
	finish()
}

// view shows a session while it happens: the answer on standard output, all
// else on standard error, or every event as a line of JSON on standard output.
// It is a projection of the session, so that it goes on where the log ends.
type view struct {
	json       bool
	formed     bool // the answer must have a form: it is written once it has
	statements bool // show what the person said, too
	out, err   io.Writer
	redact     func(string) string // takes out what must not be shown
	ask        approval

	mu         sync.Mutex
	begun      bool // events are new from now on
	fold       transcript.Transcript
	failed     error                             // the first error in writing the answer
	errorShown bool                              // the statement has ended with an error, which was told
	blocks     map[ikigai.Seq][]transcript.Block // of events that are not yet recorded
	feedback   []transcript.Block                // that is not shown yet
	live       render.Live
	held       bool           // a question is open: nothing is written below it
	later      []render.Piece // what is written once it is answered

	waits waits
}

func (a *app) newView(json bool) *view {
	_, answersSeen := terminal(a.Out)
	v := &view{
		json: json, out: a.Out, err: a.Err, redact: a.redact,
		fold:   transcript.Transcript{Brief: true, Folded: true},
		blocks: map[ikigai.Seq][]transcript.Block{},
		live:   render.Live{Style: a.style(a.Err), Exact: !answersSeen, Terminal: a.overwrites(a.Err)},
	}
	v.ask = a.asker(v)
	return v
}

// approval implements viewer.
func (v *view) approval() approval { return v.ask }

// overwrites reports whether w is a terminal on which a line can be written
// over.
func (a *app) overwrites(w io.Writer) bool {
	_, isTerminal := terminal(w)
	return isTerminal && a.env("TERM") != "dumb"
}

// Add takes in the session's next event, old or new.
func (v *view) Add(e ikigai.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.begun {
		v.fold.Pass(e)
		return
	}
	blocks := v.fold.Add(e)
	if e.Kind == ikigai.KindFeedback {
		v.feedback = append(v.feedback, blocks...)
		return
	}
	v.blocks[e.Seq] = blocks
}

// begin tells that events are new from now on: those so far were shown when
// they happened.
func (v *view) begin() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.begun = true
}

// recorded shows an event once it is in the log.
func (v *view) recorded(e ikigai.Event, _ ikigai.Durability) {
	v.mu.Lock()
	defer v.mu.Unlock()
	blocks := v.blocks[e.Seq]
	delete(v.blocks, e.Seq)
	if e.Interaction == ikigai.Main && (e.Kind == ikigai.KindError || e.IsStatement()) {
		v.errorShown = e.Kind == ikigai.KindError
	}
	if v.json {
		v.answer(string(transcript.JSONLine(e)))
		return
	}
	if e.Kind == ikigai.KindFeedback {
		v.tellFeedback()
	}
	v.waits.awaits(e)
	for _, b := range blocks {
		if !v.statements && (b.Kind == ikigai.KindUser || b.Kind == ikigai.KindSession) {
			continue // the person has just typed it
		}
		if d, ok := b.Body.(ikigai.TrustData); ok && !d.Trusted && !v.statements {
			continue // they have just been told, or have said so themselves
		}
		if d, ok := b.Body.(transcript.Projection); ok && d.Reason == ikigai.FitPerson && !v.statements {
			continue // they wait for it, and are told on standard output
		}
		v.write(v.live.Block(b))
	}
}

// tellFeedback shows how the statement stands after a round of tools. It is
// recorded with the request that follows, of which the reply may come first.
func (v *view) tellFeedback() {
	for _, b := range v.feedback {
		v.write(v.live.Block(b))
	}
	v.feedback = nil
}

// shown shows a piece of a reply as it comes.
func (v *view) shown(d ikigai.Delta) {
	if v.json {
		if d.Retry != nil {
			v.notice(v.live.Style.Retry(*d.Retry))
		}
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tellFeedback()
	v.waits.arriving = d.Call != nil
	pieces := v.live.Delta(d)
	switch {
	case d.Retry != nil:
		v.waits.retries(*d.Retry)
	case len(pieces) > 0:
		v.waits.since = time.Now()
	}
	v.write(pieces)
}

// progress implements viewer.
func (v *view) progress() func(string, []byte) {
	if !v.live.Terminal {
		return nil
	}
	return v.prints
}

// notice tells the person something that stopped nothing.
func (v *view) notice(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	text = v.redact(text)
	if v.json {
		_, _ = io.WriteString(v.err, v.live.Style.Block(render.Notice(text)))
		return
	}
	v.write(v.live.Block(render.Notice(text)))
}

// finish ends a line that is still open. The person is told of no waiting until
// something happens.
func (v *view) finish() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.waits.quiet()
	v.write(v.live.End())
}

// result returns the first error in writing the answer, and whether the statement
// has ended with an error, which the person has then been shown.
func (v *view) result() (failed error, errorShown bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.failed, v.errorShown
}

// hold has what is to be shown wait for release: a question stands on the screen.
func (v *view) hold() {
	v.finish()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.held = true
}

func (v *view) release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	later := v.later
	v.held, v.later = false, nil
	v.write(later)
}

func (v *view) write(pieces []render.Piece) {
	if v.held {
		v.later = append(v.later, pieces...)
		return
	}
	for _, p := range pieces {
		switch {
		case !p.Answer:
			_, _ = io.WriteString(v.err, p.Text) // there is no place to tell of it
		case !v.formed:
			v.answer(p.Text)
		}
	}
}

// answer writes to standard output what the program was started for.
func (v *view) answer(text string) {
	if _, err := io.WriteString(v.out, text); err != nil && v.failed == nil {
		v.failed = err
	}
}

// style returns how blocks look on w.
func (a *app) style(w io.Writer) render.Style {
	width, isTerminal := terminal(w)
	style := render.Style{
		Width:    width,
		Color:    isTerminal && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb",
		Depth:    depth(a.env),
		ASCII:    !utf8Locale(a.env),
		Markdown: isTerminal,
	}
	if a.settings != nil {
		theme, _ := a.look()
		style.Theme = render.Theme(theme)
	}
	return style
}

// look returns the theme and the display that are in force.
func (a *app) look() (theme, display string) {
	a.looking.Lock()
	defer a.looking.Unlock()
	return a.settings.Terminal.Theme, a.settings.Terminal.Display
}

// depth returns how many colours the terminal says that it has.
func depth(env func(string) string) render.Depth {
	term := env("TERM")
	switch how := env("COLORTERM"); {
	case how == "truecolor", how == "24bit", strings.HasSuffix(term, "-direct"):
		return render.TrueColor
	case strings.Contains(term, "256color"):
		return render.Depth256
	}
	return render.Depth16
}

// utf8Locale reports whether the terminal takes UTF-8: unless the locale says
// otherwise, it does.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToUpper(env(name)); value != "" {
			return strings.Contains(value, "UTF-8") || strings.Contains(value, "UTF8") || strings.HasPrefix(value, "C.")
		}
	}
	return true
}
