package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/safetext"
)

// commitOptions are the flags of commit.
type commitOptions struct {
	scope  scope
	dry    bool
	yes    bool
	fresh  bool
	hint   string
	script string
}

func (a *app) commitCommand() *cobra.Command {
	var o commitOptions
	cmd := &cobra.Command{
		Use:   "commit [-- PATH...]",
		Short: "Commit with a message that the model writes",
		Long: `Have the model write the message for what is staged in Git, see it, and commit.
With --all it is for all changes of tracked files, with paths for those of these
files, as with git commit.

At a terminal you are asked first: y commits, n does not, e opens the message in
the editor that Git uses. The model is told the names of the files, what has
changed in them, shortened where it is much, and the last subjects, so that the
message reads like the others. The conversation about it belongs to the last
session of this directory, beside its main one; ` + "`ikigai log`" + ` shows it. Where
that session is open elsewhere, the conversation is kept in one of its own, which
` + "`ikigai sessions`" + ` lists.

Exit codes: 0 committed, 1 Git or one of its hooks refused, 4 the person did, and
those of run.`,
		Example: `  git add -p && ikigai commit
  ikigai commit --all --hint "the cache was never emptied"
  git commit --edit -m "$(ikigai commit --dry-run)"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.scope.paths = args; o.scope.all && len(args) > 0 {
				return usage("--all and paths do not go together", "Leave out one of them")
			}
			return a.commit(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.scope.all, "all", "a", false, "commit all changes of tracked files")
	f.BoolVarP(&o.dry, "dry-run", "n", false, "print the message, and commit nothing")
	f.BoolVarP(&o.yes, "yes", "y", false, "commit without asking")
	f.StringVar(&o.hint, "hint", "", "`TEXT` that the model is told of the change")
	f.BoolVar(&o.fresh, "new", false, "begin a new session for the conversation about it")
	f.StringVar(&o.script, "script", "", "let a script `FILE` play the model, without a key")
	a.settingFlag(cmd, "model", "model to ask, as `VENDOR/MODEL[:LEVEL]`")
	completeFrom(cmd, "model", a.completeModels)
	return cmd
}

// commit has a message written, asks, and commits.
func (a *app) commit(ctx context.Context, o commitOptions) error {
	if !o.dry && !o.yes && !a.canAsk() {
		return usage("There is no terminal to ask at", "Commit without asking with --yes, or see the message with --dry-run")
	}
	if err := a.load(); err != nil {
		return err
	}
	ctx, stop := a.stoppable(ctx)
	defer stop()
	repo, err := openRepository(ctx, a.dir, a.withoutSecrets())
	if err != nil {
		return stopped(ctx, err)
	}
	c, err := repo.change(ctx, o.scope)
	if errors.Is(err, errNothing) {
		return o.scope.nothing()
	}
	var message string
	if err == nil {
		if !o.dry {
			fmt.Fprintf(a.Err, "\n%s\n", safetext.Terminal(c.summary()))
		}
		message, err = a.messageFor(ctx, o, repo, c)
	}
	if err != nil {
		return stopped(ctx, asError(err))
	}
	switch {
	case o.dry:
		_, err := fmt.Fprintln(a.Out, message)
		return err
	case o.yes:
		a.showMessage(message)
	default:
		if message, err = a.approveMessage(ctx, repo, message); err != nil {
			return err
		}
	}
	return repo.commit(ctx, o.scope, message, a.Out, a.Err)
}

// nothing is the error that a scope has nothing to commit.
func (s scope) nothing() error {
	switch {
	case s.all:
		return usage("No tracked file has changed", "Add new ones with `git add`")
	case len(s.paths) > 0:
		return usage("Nothing has changed in "+strings.Join(s.paths, ", "), "See what `git status` says")
	}
	return usage("Nothing is staged", "Stage changes with `git add`, or take those of all tracked files with --all")
}

// messageFor has the message written in a side conversation of the directory's
// last session, or of a new one.
func (a *app) messageFor(ctx context.Context, o commitOptions, repo *repository, c change) (string, error) {
	opening := a.openStore(ctx, openTime)
	endpoint, stopServer, err := a.endpoint(ctx, o.script)
	if err != nil {
		return "", err
	}
	defer stopServer()
	w, err := a.openForSide(ctx, o.fresh, endpoint, <-opening)
	if err != nil {
		return "", err
	}
	defer w.close()
	stopTelling := w.view.watch()
	message, err := w.commitMessage(ctx, repo, c, o.hint)
	stopTelling()
	w.view.finish()
	if err == nil && w.which.isNew() { // nothing else gives it a title
		subject, _, _ := strings.Cut(message, "\n")
		w.session.Queue(ikigai.NewEvent(ikigai.KindTitle, inFewWords("Commit: "+subject, maxTitle), ikigai.ObjectiveData{By: ikigai.ByModel}))
	}
	return message, err
}

// openForSide opens a session for a side conversation alone: the last one of this
// directory, or a new one where there is none, or where that is open elsewhere.
func (a *app) openForSide(ctx context.Context, fresh bool, endpoint config.Endpoint, opened storeResult) (*work, error) {
	last := which{last: !fresh && opened.err == nil, aside: true}
	if last.last {
		if _, err := a.find(ctx, opened.store, last); ikigai.KindOf(err) == ikigai.ErrorUsage && err != nil {
			last.last = false
		}
	}
	w, err := a.open(ctx, last, endpoint, opened, a.newView(false))
	if errors.Is(err, ikigai.ErrBusy) {
		a.notice("The last session is open elsewhere, so the conversation about this is kept in a new one.")
		return a.open(ctx, which{aside: true}, endpoint, <-a.openStore(ctx, openTime), a.newView(false))
	}
	return w, err
}

// showMessage shows a message to the person.
func (a *app) showMessage(message string) {
	fmt.Fprintf(a.Err, "\n    %s\n\n", strings.ReplaceAll(message, "\n", "\n    "))
}

// approveMessage asks the person about a message, until they want it or not, and
// returns it as they have edited it. The error is an *ikigai.Error.
func (a *app) approveMessage(ctx context.Context, repo *repository, message string) (string, error) {
	q := &questions{app: a, lines: bufio.NewReader(a.In)}
	for {
		a.showMessage(message)
		q.forgetTyped()
		fmt.Fprint(a.Err, "Commit with this message? [Y/n/e] ")
		answer, ok := q.read(ctx)
		if !ok {
			fmt.Fprintln(a.Err)
			answer = "n"
		}
		if ctx.Err() != nil {
			return "", stopped(ctx, ctx.Err())
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "", "y", "yes":
			return message, nil
		case "e", "edit":
			edited, err := repo.edit(ctx, message, a.In, a.Err)
			if err != nil {
				return "", stopped(ctx, err)
			}
			if message = tidied(edited); message == "" {
				return "", notCommitted("The message is empty", "Leave some words in it")
			}
		case "n", "no":
			return "", notCommitted("Nothing was committed", "Answer y to commit, or e to edit the message")
		}
	}
}

func notCommitted(what, do string) error {
	return &ikigai.Error{Kind: ikigai.ErrorDenied, What: what, Do: do}
}
