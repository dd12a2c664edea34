package cli

import (
	"context"
)

func readCommands() []slash {
	return []slash{
		{name: "cost", about: "what the session has cost, by purpose", tells: always, run: (*front).showCost},
		{name: "context", about: "what the model is sent, part by part with its size",
			more:  "That is the system prompt, instructions, skills, tools, a summary, and each statement with all that was done for it; what was trimmed is told, too.",
			tells: always, run: (*front).showContext},
		{name: "goal", args: "[TEXT]", about: "what the session is for and how far it has come; or make TEXT its goal",
			more:  "A goal that you set no model replaces, until /clear.",
			tells: ifBare, run: (*front).showGoalOrSet},
	}
}

func (f *front) showCost(ctx context.Context, _ string) error {
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	var sum purposes
	if err := fold(f.events(ctx, w), sum.add); err != nil {
		return err
	}
	f.print(f.style(f.Out).Purposes(sum.list()))
	return nil
}

func (f *front) showContext(ctx context.Context, _ string) error {
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	s := newSending(w.session.ID())
	if err := fold(f.events(ctx, w), s.Add); err != nil {
		return err
	}
	if s.prompt.text == "" { // nothing has been said
		at := f.whereabouts()
		s = f.sendingOf(at.dir, f.systemIn(at.dir, f.knowledgeOf(at.project), f.notice), w.kit)
	}
	s.model = f.modelOf(w)
	for _, line := range f.outdated(s.prompt.told) {
		f.notice(line)
	}
	f.ui.Page(ctx, "context", f.style(f.Out).Context(f.sentTable(s)), false)
	return nil
}

func (f *front) showGoalOrSet(ctx context.Context, text string) error {
	if text != "" {
		return f.setGoalTo(ctx, text)
	}
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	c := newCourse()
	if err := fold(f.events(ctx, w), c.Add); err != nil {
		return err
	}
	f.print(c.text(f.style(f.Out)))
	return nil
}

// setGoalTo makes a text the goal of the session, which may be under way.
func (f *front) setGoalTo(ctx context.Context, text string) error {
	event, err := goalEvent(text)
	if err != nil {
		return err
	}
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	if !f.view.any() {
		f.mu.Lock()
		f.options.before = append(f.options.before, event)
		f.mu.Unlock()
		f.tells("The goal of the session, once you have said something: " + event.Content)
		return nil
	}
	f.echo()
	w.agent.Aside(event)
	_, err = w.session.Record(ctx) // as which it is shown
	return err
}
