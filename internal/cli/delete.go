package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
)

func (a *app) deleteCommand() *cobra.Command {
	var yes bool
	cmd := a.withSession(&cobra.Command{
		Use:   "delete ID",
		Short: "Remove a session and all its events for good",
		Long: `Remove the session whose ID begins with ID, with all its events and files. This
cannot be undone. It is refused while the session is open or has forks, which
share its events. Space is given back by ` + "`ikigai db vacuum`" + `.`,
		Example: `  ikigai sessions delete 01a1f9ef-60c7
  ikigai sessions delete 01a1f9ef-60c7 --yes`,
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.deleteSession(cmd.Context(), args[0], yes) },
	})
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) deleteSession(ctx context.Context, id string, yes bool) error {
	store, found, err := a.openToRead(ctx, which{id: id})
	if err != nil {
		return err
	}
	defer store.Close()
	if err := a.noForks(ctx, store, found.ID); err != nil {
		return err
	}
	if !yes {
		if err := a.confirm(ctx, fmt.Sprintf("Delete session %s (%s, %s)? This cannot be undone.",
			found.ID, render.Count(int(found.Events-found.Base), "event"), found.Title)); err != nil {
			return err
		}
	}
	grant, giveBack, err := acquire(ctx, store, found.ID)
	if errors.Is(err, ikigai.ErrBusy) {
		return &ikigai.Error{Kind: ikigai.ErrorStore, Err: err,
			What: openElsewhere(found.ID, err), Do: "Wait until it ends"}
	} else if err != nil {
		return err
	}
	err = store.Remove(ctx, grant)
	if errors.Is(err, ikigai.ErrForked) {
		err = errors.Join(a.noForks(ctx, store, found.ID), err) // one was made just now
	}
	if err := errors.Join(err, giveBack()); err != nil {
		return err
	}
	if err := os.RemoveAll(a.places().session(found.ID)); err != nil {
		a.notice("The session is deleted, but not its files: " + sentence(err.Error()))
	}
	_, err = fmt.Fprintf(a.Out, "Session %s is deleted.\n", found.ID)
	return err
}

// noForks returns an error that names the forks of a session, if it has any.
func (a *app) noForks(ctx context.Context, store ikigai.Catalog, id ikigai.ID) error {
	forks, err := collect(store.Sessions(ctx, ikigai.SessionQuery{Parent: id}))
	if err != nil || len(forks) == 0 {
		return err
	}
	names := make([]string, len(forks))
	for i, f := range forks {
		names[i] = string(f.ID)
	}
	return usage(fmt.Sprintf("The session %s has forks, which share its events: %s", id, strings.Join(names, ", ")), "Delete those first")
}

// confirm asks the person at the terminal whether to go on. The error is that
// the answer is not yes.
func (a *app) confirm(ctx context.Context, question string) error {
	if _, seen := terminal(a.Err); !seen || !a.inputIsTerminal() {
		return usage("There is no terminal to ask at", "Say so with --yes")
	}
	ctx, stop := a.stoppable(ctx)
	defer stop()
	q := &questions{app: a, lines: bufio.NewReader(a.In)}
	q.forgetTyped()
	fmt.Fprint(a.Err, safetext.Terminal(question)+" [y/N] ")
	answer, ok := q.read(ctx)
	if !ok {
		fmt.Fprintln(a.Err)
	}
	if ctx.Err() != nil {
		return stopped(ctx, ctx.Err())
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return &ikigai.Error{Kind: ikigai.ErrorDenied, What: "Nothing was deleted", Do: "Answer y to delete it"}
}
