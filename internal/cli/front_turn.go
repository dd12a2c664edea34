package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/tui"
)

// answer takes a statement to its answer. What cannot be said is given back.
func (f *front) answer(ctx context.Context, in tui.Input) {
	w, err := f.opened(ctx)
	if err == nil {
		err = f.askable(ctx)
	} else {
		f.mu.Lock()
		f.unsaid = append(f.unsaid, in.Text)
		f.mu.Unlock()
	}
	var statement ikigai.Event
	if err == nil {
		statement, err = f.compose(in.Text, slices.Concat(f.options.files, in.Files), f.options.which.id != "")
	}
	if err != nil {
		f.notice(told(err))
		f.ui.SetInput(in.Text)
		return
	}
	f.ui.Busy("waiting for the model")
	w.refresh(ctx)
	w.session.Queue(f.firsts(in.Instead)...)
	outcome, err := w.agent.Run(ctx, statement)
	f.tellOutcome(w, outcome, err)
}

// askable returns nil if the model can be asked, which is found out anew where it
// could not: a key may have come since.
func (f *front) askable(ctx context.Context) error {
	f.mu.Lock()
	unasked := f.unasked
	f.mu.Unlock()
	if unasked == nil {
		return nil
	}
	return f.useModel(ctx, "")
}

// useModel has another model asked from here on, by its name as the setting model
// has it; "" is the one of the settings. It is for commands, while no turn is
// under way.
func (f *front) useModel(ctx context.Context, name string) error {
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	f.looking.Lock() // a command may be changing the theme
	settings := *f.settings
	f.looking.Unlock()
	if name != "" {
		settings.Model = name
	}
	e, err := settings.Resolve(ctx, f.keys())
	if err != nil {
		return typedModel(err, name)
	}
	f.hidden.add(e.Key)
	f.tellOfLevel(e)
	w.goOnWith(e)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unasked = nil
	a := w.agent
	a.Model, a.ModelName, a.Level, a.NoFormat = f.model(e), e.Name, e.Level, e.Known.NoFormat
	a.Context, a.UsualOutput = f.contextOf(e), outputOf(e)
	f.showStatus()
	return nil
}

// typedModel returns why a model is not known, of one that was typed and stands in
// no setting.
func typedModel(err error, name string) error {
	e, ok := err.(*ikigai.Error)
	if !ok || name == "" {
		return err
	}
	typed := *e
	if _, name, found := strings.Cut(e.What, ": no vendor "); found {
		typed.What = "No vendor " + name
	}
	return &typed
}

// firsts returns what is recorded before the next statement, which may be the first
// or, instead, take the place of the last one.
func (f *front) firsts(instead bool) []ikigai.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	events := f.options.before
	if instead && f.instead > 0 {
		to := f.instead - 1
		events = append(events, ikigai.NewEvent(ikigai.KindRewind, fmt.Sprintf("to event %d", to), ikigai.RewindData{To: to}))
	}
	events = append(events, f.heard...)
	f.options.before, f.options.files, f.instead, f.heard = nil, nil, 0, nil
	return events
}

// steer returns what the person has said since, for the turn under way.
func (f *front) steer() []ikigai.Event {
	f.mu.Lock()
	var taken []tui.Input
	f.waiting = slices.DeleteFunc(f.waiting, func(in tui.Input) bool {
		if in.Queue || isCommand(in.Text) {
			return false
		}
		taken = append(taken, in)
		return true
	})
	f.ui.Waiting(slices.Clone(f.waiting))
	events := f.heard
	f.heard = nil
	f.mu.Unlock()
	for _, in := range taken {
		e, err := f.compose(in.Text, in.Files, false)
		if err != nil {
			f.notice(told(err))
			f.ui.SetInput(in.Text)
			continue
		}
		events = append(events, steering(e))
	}
	return events
}

// steering returns a statement as one that joins the statement under way.
func steering(e ikigai.Event) ikigai.Event {
	var d ikigai.MessageData
	_ = e.DecodeData(&d) // it was just made
	d.By = ikigai.BySteer
	said := ikigai.NewEvent(ikigai.KindUser, e.Content, d)
	said.Blobs = e.Blobs
	return said
}

// tellOutcome tells how a statement ended, where the log does not.
func (f *front) tellOutcome(w *work, o agent.Outcome, err error) {
	switch {
	case err != nil && !f.view.errorShown():
		f.notice(told(err))
	case err == nil && o.LimitReached:
		f.notice(fmt.Sprintf("The limit of %d tool turns was reached. Raise max_tool_turns, or say how to go on.", w.agent.MaxToolTurns))
	}
}

// allowVolatile asks whether tools may change things although no disk takes what
// is recorded.
func (f *front) allowVolatile(ctx context.Context) bool {
	answer := f.ui.Ask(ctx, tui.Question{
		Text:    "No disk takes what happens now: it is lost when the program ends.\n",
		Prompt:  "Let tools change things all the same?",
		Choices: []tui.Choice{{Key: 'y', Label: "yes, for this statement", Allows: true}, {Key: 'n', Label: "no, only let them read"}},
	})
	return answer.Choice == 0
}
