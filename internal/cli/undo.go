package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/delegate"
	"ikigai/internal/safetext"
	"ikigai/internal/session"
	"ikigai/internal/tools"
	"ikigai/internal/undo"
)

// undoOptions says what is to be taken back, and how that is told.
type undoOptions struct {
	redo   bool
	to     string
	dryRun bool
	which  which
	json   bool
	typed  bool // in the interactive front: commands begin with a slash there, and differences are shown
}

func (a *app) undoCommand() *cobra.Command {
	var o undoOptions
	var resume string
	cmd := &cobra.Command{
		Use:   "undo [--to PLACE]",
		Short: "Take back what the last statement changed in files",
		Long: `Take back what the last statement of this directory's last session changed in
files: content, permissions, links; what it made is removed, what it removed comes
back. Each further undo takes back one statement more. With --to, everything since
a place is taken back.

What others have changed since is left as it is and listed. What is there is kept
before it goes: ` + "`ikigai redo`" + ` takes an undo back. What commands change is found in
the session's directory alone, and not what they do to .git, to empty directories
or outside of it. The conversation goes on as it was: the model is told with the
next statement. To take back the conversation, and no files, use
` + "`ikigai sessions rewind`" + `.

Exit codes: 0 all was taken back, 1 some files were left as they are or what a call
has changed is not known or not recorded, 2 there was nothing to take back.`,
		Example: `  ikigai undo --dry-run
  ikigai undo
  ikigai undo --to 3`,
		Args: between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.which = undoWhich(resume)
			return a.takeBack(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.to, "to", "", "files become what they were before a statement, by its number, or right at a `PLACE`: a mark, or #N for event N")
	a.undoFlags(cmd, &o, &resume)
	return cmd
}

func (a *app) redoCommand() *cobra.Command {
	o := undoOptions{redo: true}
	var resume string
	cmd := &cobra.Command{
		Use:   "redo",
		Short: "Take the last undo back",
		Long: `Take the last undo of this directory's last session back: files become what they
were before it, but for those that others have changed since. It can be done as
long as no statement has changed files after the undo.`,
		Example: `  ikigai redo`,
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.which = undoWhich(resume)
			return a.takeBack(cmd.Context(), o)
		},
	}
	a.undoFlags(cmd, &o, &resume)
	return cmd
}

// undoFlags adds what undo and redo have in common.
func (a *app) undoFlags(cmd *cobra.Command, o *undoOptions, resume *string) {
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be done, and do nothing")
	f.StringVar(resume, "resume", "", "the session whose `ID` begins so, instead of the last one here")
	f.BoolVar(&o.json, "json", false, "tell it as a JSON object")
	complete(cmd, "resume", func() []string { return a.completeSessions(cmd) })
}

func undoWhich(resume string) which {
	if resume == "" {
		return which{last: true}
	}
	return which{id: resume}
}

// kept is the directory for what files held before a change, where that is too
// large for a store.
func (p places) kept(id ikigai.ID) string { return filepath.Join(p.session(id), "before") }

// unwatched returns the beginnings of the paths of what this program writes
// itself: no command has changed that, whichever directory it lies in.
func (a *app) unwatched() []string {
	root := a.directory(a.places().root)
	all := []string{filepath.Join(root, "sessions") + "/", filepath.Join(root, "journal") + "/"}
	if path := a.settings.Database.Path(); path != "" {
		all = append(all, filepath.Join(root, filepath.Base(path)))
	}
	if a.settings.DataDir != "" {
		all = append(all, a.directory(a.settings.DataDir)+"/")
	}
	return all
}

// past is what an undo knows of a session.
type past struct {
	undo.Ledger
	timeline timeline
}

// Add takes in the session's next event.
func (p *past) Add(e ikigai.Event) {
	p.Ledger.Add(e)
	p.timeline.Add(e)
}

func (a *app) takeBack(ctx context.Context, o undoOptions) error {
	ctx, stop := a.stoppable(ctx)
	defer stop()
	store, found, err := a.openToRead(ctx, o.which)
	if err != nil {
		return err
	}
	defer store.Close()
	t := &taking{app: a, undoOptions: o, found: found, store: store}
	if o.dryRun {
		return t.look(ctx)
	}
	grant, giveBack, err := acquire(ctx, store, found.ID)
	if err != nil {
		return busy(found.ID, err)
	}
	return errors.Join(t.apply(ctx, grant), giveBack())
}

// taking is one undo or redo.
type taking struct {
	*app
	undoOptions
	found ikigai.SessionInfo
	store ikigai.Store
}

// look tells what would be done.
func (t *taking) look(ctx context.Context) error {
	p := &past{}
	if err := fold(t.store.Events(ctx, t.found.ID, 0), p.Add); err != nil {
		return err
	}
	would, err := t.planned(ctx, t.worker(nil), p)
	if err != nil {
		return err
	}
	return t.tell(p, would)
}

// apply does it, and tells what was done.
func (t *taking) apply(ctx context.Context, grant ikigai.Grant) error {
	at, p := t.places(), &past{}
	s, err := session.Restore(ctx, session.Config{
		Store: t.store, Grant: grant, Journals: at.journals(), Partial: at.partial(grant.Session),
		Projections: []session.Projection{p}, Notice: t.notice,
	})
	if err != nil {
		return err
	}
	defer s.Close()
	done, err := t.take(ctx, s, p)
	if err != nil {
		return err
	}
	return t.tell(p, done)
}

// took is what an undo or redo has done, or would do.
type took struct {
	plan   undo.Plan
	steps  []undo.Step
	lost   []undo.Call   // calls of which it is not known what they have changed
	missed []undo.Missed // what calls have changed and is not recorded
	diff   string        // what changes in texts by it, if it is to be shown
}

// take does it in a session whose past is p.
func (t *taking) take(ctx context.Context, s *session.Session, p *past) (took, error) {
	w := t.worker(s)
	done, err := t.planned(ctx, w, p)
	if err != nil {
		return done, err
	}
	if done.steps, err = w.Apply(ctx, done.plan, done.steps); err != nil {
		return done, stopped(ctx, err)
	}
	return done, nil
}

// needless reports whether nothing is to be done, now or by an undo that has begun.
func (t took) needless() bool {
	needs := func(s undo.Step) bool { return s.Action != undo.Already }
	return !t.plan.Redo && !t.plan.Begun && len(t.lost)+len(t.missed) == 0 && !slices.ContainsFunc(t.steps, needs)
}

// planned returns what would be done. The error may be that nothing is to be done.
func (t *taking) planned(ctx context.Context, w *undo.Worker, p *past) (done took, err error) {
	if done.plan, err = t.plan(ctx, p); err != nil {
		return done, err
	}
	if done.steps, err = w.Look(ctx, done.plan); err != nil {
		return done, stopped(ctx, err)
	}
	if !done.plan.Redo {
		done.lost, done.missed = p.lost(done.plan.To), p.Missed(done.plan.To)
	}
	if done.needless() {
		return done, usage("Nothing to take back: "+t.asTheyWere(done.steps), t.before(p, done.plan))
	}
	if t.typed {
		for _, s := range done.steps {
			if hunks := w.Diff(ctx, s); hunks != "" {
				done.diff += " " + t.name(s.Path) + "\n" + hunks
			}
		}
	}
	return done, nil
}

// command returns a command as the person types it here.
func (t *taking) command(text string) string {
	if t.typed {
		return "/" + text
	}
	return "`ikigai " + text + "`"
}

func (t *taking) worker(s *session.Session) *undo.Worker {
	w := &undo.Worker{Blob: t.store.Blob, KeepDir: t.places().kept(t.found.ID)}
	if s != nil {
		w.Record = func(ctx context.Context, events ...ikigai.Event) error {
			durability, err := s.Record(ctx, events...)
			if err == nil && durability == ikigai.Volatile {
				err = &ikigai.Error{Kind: ikigai.ErrorStore, What: "Nothing on this machine takes what the files hold now",
					Do: "Free some space and run `ikigai doctor`; what is not done yet was left as it was"}
			}
			return err
		}
	}
	return w
}

// plan returns what is to be done.
func (t *taking) plan(ctx context.Context, p *past) (undo.Plan, error) {
	var plan undo.Plan
	ok := false
	switch {
	case t.redo:
		if plan, ok = p.Redo(); !ok {
			return plan, usage("There is no undo to take back", "Once a statement has changed files again, the undos before it stay")
		}
		return plan, nil
	case t.to == "":
		plan, ok = p.Last()
	default:
		seq, err := p.before(t.to)
		if err != nil {
			return plan, err
		}
		plan, ok = p.Before(seq)
	}
	if unknown := unknownText(p.lost(0), p.Missed(0)); !ok && len(unknown) > 0 {
		return plan, usage("There is nothing that can be taken back: "+unknown[len(unknown)-1], "Look at the files, and at the log with "+t.command("log"))
	}
	if !ok {
		return plan, usage("There is nothing to take back: no files were changed, or all of it was taken back already",
			"See "+t.command("log")+", or take an undo back with "+t.command("redo")+t.elsewhere(ctx))
	}
	return plan, nil
}

// maxElsewhere is the most sessions that are looked through for changes.
const maxElsewhere = 10

// elsewhere says which session of the directory, of those before the last one,
// has changes that can be taken back; "" if none has.
func (t *taking) elsewhere(ctx context.Context) string {
	if !t.which.last {
		return ""
	}
	sessions, err := collect(t.store.Sessions(ctx, ikigai.SessionQuery{Dir: t.found.Dir, Limit: 1 + maxElsewhere}))
	if err != nil {
		return "" // it was no more than a hint
	}
	for _, s := range sessions {
		var l undo.Ledger
		for e, err := range t.store.Events(ctx, s.ID, 0) {
			if err != nil {
				return ""
			}
			l.Add(e)
		}
		if _, ok := l.Last(); ok && s.ID != t.found.ID {
			return fmt.Sprintf("; the session %q before it has changes: `ikigai undo --resume %s`", firstLine(s.Title), s.ID)
		}
	}
	return ""
}

// before returns the event that files are to be as before: the statement of that
// number, or the one after a mark or an event.
func (p *past) before(place string) (ikigai.Seq, error) {
	n, isNumber := eventNumber(place)
	all, isEvent := p.Statements(), strings.HasPrefix(place, "#")
	switch _, isMark := p.timeline.marks[place]; {
	case isMark, isNumber && isEvent:
		seq, _, err := p.timeline.place(place)
		return seq + 1, err
	case isNumber && n >= 1 && int(n) <= len(all):
		return all[n-1].Seq, nil
	}
	what := "The session has no mark " + place
	if isNumber {
		what = fmt.Sprintf("The session has no statement %d, it has %d", n, len(all))
	}
	return 0, usage(what, "Give the number of a statement, a mark, or #N for event N; `ikigai log -v` shows the events")
}

// lost returns the calls from an event on of which it is not known what they
// have changed. What changes files by way of Call.Intend is known, and tasks have
// calls of their own.
func (p *past) lost(from ikigai.Seq) (all []undo.Call) {
	for _, c := range p.Lost(from) {
		known := func(t ikigai.Tool) bool { return t.Name == c.Tool && (t.ReadOnly || t.Announces) }
		if c.Tool != delegate.Name && !slices.ContainsFunc(tools.Builtin(tools.Config{}), known) {
			all = append(all, c)
		}
	}
	return all
}

// tell tells what was done, or would be.
func (t *taking) tell(p *past, done took) error {
	text := undoJSON(t.found.ID, t.dryRun, done)
	if !t.json {
		text = safetext.Terminal(t.undoText(p, done))
	}
	if _, err := fmt.Fprint(t.Out, text); err != nil {
		return err
	}
	for _, s := range done.steps {
		if s.Action == undo.Left || s.Action == undo.Failed {
			return &quietError{exitInternal}
		}
	}
	if len(done.lost)+len(done.missed) > 0 {
		return &quietError{exitInternal}
	}
	return nil
}
