package cli

import (
	"context"
	"fmt"
	"slices"

	"ikigai/internal/tui"
)

func placeCommands() []slash {
	return []slash{
		{name: "mark", args: "NAME", about: "give this place a name to come back to",
			more: "A name that is given again moves. /rewind NAME and /fork NAME go back to it.",
			run: func(f *front, ctx context.Context, args string) error {
				if args == "" {
					return usage("The mark has no name", "Give it one, as in /mark before-refactoring")
				}
				return f.recordStep(ctx, markAs(args), false)
			}},
		{name: "rewind", args: "[PLACE]", about: "go on from an earlier place; files stay as they are",
			more:     "PLACE is a mark, or an event, such as #17, as /log -v shows it: the conversation goes on right after it. Without one, choose the statement before which it goes on. What came later stays in the log; /undo takes back files.",
			complete: completePlaces,
			run: func(f *front, ctx context.Context, args string) error {
				place, ok, err := f.place(ctx, args, "Go on from before which statement?", false)
				if !ok {
					return err
				}
				return f.recordStep(ctx, rewind(place, 0), true)
			}},
		{name: "fork", args: "[PLACE]", about: "go on in a copy of the session, from here or an earlier place",
			more:     "PLACE is as for /rewind; without one, choose. The session stays as it is, and /sessions leads back to it.",
			complete: completePlaces,
			run: func(f *front, ctx context.Context, args string) error {
				place, ok, err := f.place(ctx, args, "Go on in a copy from before which statement?", true)
				if !ok {
					return err
				}
				return f.goOnInFork(ctx, place)
			}},
		{name: "clear", about: "begin the conversation anew; the log keeps what was",
			more: "The model is sent nothing from before any more, and files stay as they are. /rewind brings the conversation back.",
			run: func(f *front, ctx context.Context, _ string) error {
				return f.recordStep(ctx, clearAll, true)
			}},
	}
}

// recordStep records what do makes of the session's past, and tells it. It can be taken
// back by a rewind if back is set.
func (f *front) recordStep(ctx context.Context, do step, back bool) error {
	w, err := f.changing(ctx)
	if err != nil {
		return err
	}
	past, err := f.timeline(ctx, w)
	if err != nil {
		return err
	}
	e, said, err := do(w.session.ID(), past)
	if err != nil {
		return err
	}
	if back {
		said += fmt.Sprintf("The log keeps everything; /rewind #%d undoes this.", past.head())
	}
	f.echo()
	if err := recordKept(ctx, w.session, e); err != nil {
		return err
	}
	f.tells(said)
	return nil
}

// goOnInFork goes on in a copy of the session that ends at a place; "" is here.
func (f *front) goOnInFork(ctx context.Context, place string) error {
	w, err := f.changing(ctx)
	if err != nil {
		return err
	}
	past, err := f.timeline(ctx, w)
	if err == nil && place != "" {
		_, _, err = past.place(place)
	}
	if err != nil {
		return err
	}
	from := w.session.ID()
	if err := f.reopen(ctx, which{id: string(from), fork: true, at: place}); err != nil {
		return err
	}
	f.tells(fmt.Sprintf("This is a copy now. /resume %s goes back to the session that it was made of.", from))
	return nil
}

// place returns the place that the person has typed. Without one they choose the
// statement before which a conversation goes on, the last one first; where here is
// set, also the place where it is. It returns the place as it would be typed, and
// false if they choose none.
func (f *front) place(ctx context.Context, typed, title string, here bool) (place string, ok bool, err error) {
	if typed != "" {
		return typed, true, nil
	}
	w, err := f.changing(ctx)
	if err != nil {
		return "", false, err
	}
	past, err := f.timeline(ctx, w)
	if err != nil {
		return "", false, err
	}
	pick, seqs, err := f.statementPick(ctx, w, past)
	if err != nil {
		return "", false, err
	}
	if len(seqs) == 0 {
		return "", false, usage("The conversation has no statement", "Say something first")
	}
	pick.Title = title
	var places []string
	for _, seq := range seqs {
		places = append(places, fmt.Sprintf("#%d", seq-1))
	}
	if here {
		pick = withHere(pick)
		places = slices.Insert(places, 0, "")
	}
	i := f.ui.Pick(ctx, pick)
	if i < 0 {
		return "", false, nil
	}
	return places[i], true, nil
}

// withHere returns pick with the place where the conversation is ahead of its items.
func withHere(pick tui.Pick) tui.Pick {
	preview := pick.Preview
	pick.Items = slices.Insert(pick.Items, 0, tui.Item{Label: "here", About: "after all that was said"})
	pick.Preview = func(i, width int) string {
		if i == 0 {
			return ""
		}
		return preview(i-1, width)
	}
	return pick
}

// completePlaces offers the marks of the session.
func completePlaces(ctx context.Context, f *front, _ string) []tui.Completion {
	w, err := f.opened(ctx)
	if err != nil {
		return nil
	}
	t, err := f.timeline(ctx, w)
	if err != nil {
		return nil
	}
	var items []tui.Completion
	for _, name := range t.names() {
		items = append(items, tui.Completion{Text: name, About: fmt.Sprintf("after event %d", t.marks[name])})
	}
	return items
}
