package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/session"
)

func (a *app) markCommand() *cobra.Command {
	return a.withSession(&cobra.Command{
		Use:   "mark [ID] NAME",
		Short: "Give this place in a session a name to come back to",
		Long: `Give the place that a session has reached a name: the last session of this
directory, or the one whose ID begins with ID. A name that is given again moves.`,
		Example: `  ikigai sessions mark before-refactoring
  ikigai sessions rewind --to before-refactoring`,
		Args: between(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.change(cmd.Context(), named(args[:len(args)-1]), markAs(args[len(args)-1]))
		},
	})
}

// markAs gives the place that a session has reached a name.
func markAs(name string) step {
	return func(id ikigai.ID, t *timeline) (ikigai.Event, string, error) {
		if _, isNumber := eventNumber(name); isNumber || strings.TrimSpace(name) != name || strings.ContainsAny(name, "\n\r\t") {
			return ikigai.Event{}, "", usage(fmt.Sprintf("%q cannot be the name of a mark", name), "Give it a name on one line that is no number")
		}
		said := fmt.Sprintf("This place in %s, after event %d, is marked %q.", id, t.head(), name)
		return ikigai.NewEvent(ikigai.KindMark, name, nil), said, nil
	}
}

func (a *app) rewindCommand() *cobra.Command {
	var to string
	var back int
	cmd := a.withSession(&cobra.Command{
		Use:   "rewind [ID] (--to PLACE | --back N)",
		Short: "Go on from an earlier place of a session",
		Long: `Take the conversation of a session back to an earlier place: the last session
of this directory, or the one whose ID begins with ID. What came after that place
is no longer sent to the model; it stays in the log, and a rewind to a later event
brings it back. Files are not changed.`,
		Example: `  ikigai sessions rewind --back 1
  ikigai sessions rewind --to before-refactoring
  ikigai sessions rewind 01a1f9ef --to 17`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" && back <= 0 {
				return usage("It is not said where to go back to", "Give --to with the number of an event or a mark, or --back with a number of statements")
			}
			return a.change(cmd.Context(), named(args), withWayBack(rewind(to, back)))
		},
	})
	cmd.Flags().StringVar(&to, "to", "", "right after `PLACE`: the number of an event as `ikigai log -v` shows it, or a mark")
	cmd.Flags().IntVar(&back, "back", 0, "before the last `N` statements of the conversation")
	cmd.MarkFlagsMutuallyExclusive("to", "back")
	return cmd
}

// rewind takes the conversation back to a place or, where none is named, before
// its last statements.
func rewind(to string, back int) step {
	return func(id ikigai.ID, t *timeline) (e ikigai.Event, said string, err error) {
		var d ikigai.RewindData
		if to != "" {
			d.To, d.Mark, err = t.place(to)
		} else {
			d.To, err = t.back(back)
		}
		if err != nil {
			return e, "", err
		}
		said, where := rewound(id, t, d)
		return ikigai.NewEvent(ikigai.KindRewind, "to "+where, d), said, nil
	}
}

// rewound tells what a rewind does, and where it leads.
func rewound(id ikigai.ID, t *timeline, d ikigai.RewindData) (said, where string) {
	where = fmt.Sprintf("event %d", d.To)
	if d.Mark != "" {
		where += fmt.Sprintf(", the mark %q", d.Mark)
	}
	said = fmt.Sprintf("The conversation of %s goes on from %s.", id, where)
	dropped := t.dropped(d.To)
	switch len(dropped) {
	case 0:
		said += " No statement is taken back.\n"
	case 1:
		said += "\n1 statement is no longer part of it, with what came of it:\n"
	default:
		said += fmt.Sprintf("\n%s are no longer part of it, with what came of them:\n", render.Count(len(dropped), "statement"))
	}
	for _, statement := range dropped {
		said += "  " + statement + "\n"
	}
	return said, where
}

// withWayBack is a step that also tells how to come back to where the conversation
// is.
func withWayBack(do step) step {
	return func(id ikigai.ID, t *timeline) (ikigai.Event, string, error) {
		e, said, err := do(id, t)
		return e, said + fmt.Sprintf("The log keeps everything; `ikigai sessions rewind %s --to %d` undoes this.", id, t.head()), err
	}
}

// clearAll begins the conversation anew.
func clearAll(id ikigai.ID, _ *timeline) (ikigai.Event, string, error) {
	return ikigai.NewEvent(ikigai.KindClear, "", nil), fmt.Sprintf("The conversation of %s begins anew.\n", id), nil
}

func (a *app) clearCommand() *cobra.Command {
	return a.withSession(&cobra.Command{
		Use:   "clear [ID]",
		Short: "Begin the conversation of a session anew",
		Long: `Begin the conversation of a session anew: the last session of this directory,
or the one whose ID begins with ID. Nothing from before is sent to the model any
more; all of it stays in the log.`,
		Example: `  ikigai sessions clear`,
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.change(cmd.Context(), named(args), withWayBack(clearAll))
		},
	})
}

func (a *app) forkCommand() *cobra.Command {
	var at string
	cmd := a.withSession(&cobra.Command{
		Use:   "fork [ID]",
		Short: "Begin a copy of a session that goes its own way",
		Long: `Begin a copy of a session, the last of this directory or the one whose ID begins
with ID, and print its ID. The past is shared, not copied. The session may be open.`,
		Example: `  ikigai sessions fork
  ikigai run --resume $(ikigai sessions fork 01a1f9ef --at 17) "Try it another way"`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.fork(cmd.Context(), named(args), at) },
	})
	cmd.Flags().StringVar(&at, "at", "", "after `PLACE`: the number of an event, or a mark; the end, if it is left out")
	return cmd
}

// withSession completes the first argument of a command that works on a session.
func (a *app) withSession(cmd *cobra.Command) *cobra.Command {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.completeSessions(cmd), cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// step makes of the past of a session the event that is recorded next, and what
// the person is told of it.
type step func(ikigai.ID, *timeline) (ikigai.Event, string, error)

// change opens a session, records the event that do makes, and tells the person
// what do says.
func (a *app) change(ctx context.Context, w which, do step) error {
	store, found, err := a.openToRead(ctx, w)
	if err != nil {
		return err
	}
	defer store.Close()
	grant, giveBack, err := acquire(ctx, store, found.ID)
	if err != nil {
		return busy(found.ID, err)
	}
	said, err := a.record(ctx, store, grant, do)
	if err := errors.Join(err, giveBack()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.Out, safetext.Terminal(said))
	return err
}

// record restores the session of grant and records what do makes of its past.
func (a *app) record(ctx context.Context, store ikigai.Store, grant ikigai.Grant, do step) (string, error) {
	at, past := a.places(), &timeline{}
	s, err := session.Restore(ctx, session.Config{
		Store: store, Grant: grant, Journals: at.journals(), Partial: at.partial(grant.Session),
		Projections: []session.Projection{past}, Notice: a.notice,
	})
	if err != nil {
		return "", err
	}
	defer s.Close()
	e, said, err := do(grant.Session, past)
	if err != nil {
		return "", err
	}
	return said, recordKept(ctx, s, e)
}

// recordKept records an event of the person's. That it is in memory alone is an
// error.
func recordKept(ctx context.Context, s *session.Session, e ikigai.Event) error {
	durability, err := s.Record(ctx, e)
	if err == nil && durability == ikigai.Volatile {
		err = &ikigai.Error{Kind: ikigai.ErrorStore, What: "Nothing on this machine takes the event", Do: "Free some space and run `ikigai doctor`"}
	}
	return err
}

func (a *app) fork(ctx context.Context, w which, at string) error {
	store, parent, err := a.openToRead(ctx, w)
	if err != nil {
		return err
	}
	defer store.Close()
	base, err := forkPlace(ctx, store, parent, at)
	if err != nil {
		return err
	}
	grant, giveBack, err := store.Acquire(ctx, session.NewID())
	if err != nil {
		return err
	}
	err = store.Fork(ctx, grant, parent.ID, base)
	if err == nil {
		_, err = a.record(ctx, store, grant, func(ikigai.ID, *timeline) (ikigai.Event, string, error) { return forkEvent(parent.ID, base), "", nil })
	}
	if err := errors.Join(err, giveBack()); err != nil {
		return err
	}
	a.notice(fmt.Sprintf("It shares what session %s was until event %d. Go on with `ikigai run --resume %s PROMPT`.", parent.ID, base, grant.Session))
	_, err = fmt.Fprintln(a.Out, grant.Session)
	return err
}
