package cli

import (
	"context"
	"flag"
	"io"
	"strings"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/undo"
)

func undoCommands() []slash {
	const more = "What others have changed since is left as it is and listed. The model is told with the next statement. --dry-run shows what would be done."
	return []slash{
		{name: "diff", args: "[--stat] [PLACE]", about: "show what the session has changed in files",
			more:     "It compares what is there with what was there before the session. PLACE is where to begin instead: statement N counted from 1, a mark, or event #N as /log -v shows it. What was taken back is not in it. With --stat the files are listed alone.",
			complete: completeWords("--stat"), tells: always, run: (*front).showDiff},
		{name: "undo", args: "[--to N] [--dry-run]", about: "take back what the last statement changed in files",
			more:     "Each further /undo takes back one statement more. With --to, everything since statement N counted from 1, a mark, or event #N as /log -v shows it. " + more,
			complete: completeWords("--to", "--dry-run"),
			run: func(f *front, ctx context.Context, args string) error {
				return f.takeBack(ctx, undoOptions{}, args)
			}},
		{name: "redo", args: "[--dry-run]", about: "take the last undo back",
			more:     "It can be done as long as no statement has changed files after the undo. " + more,
			complete: completeWords("--dry-run"),
			run: func(f *front, ctx context.Context, args string) error {
				return f.takeBack(ctx, undoOptions{redo: true}, args)
			}},
	}
}

// mostInPager is how many bytes of a patch the pager is given.
const mostInPager = 8 << 20

// showDiff shows how files differ from what they were.
func (f *front) showDiff(ctx context.Context, args string) error {
	var stat bool
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&stat, "stat", false, "")
	if err := flags.Parse(strings.Fields(args)); err != nil || flags.NArg() > 1 {
		return usage("It is not known what "+clipped(args)+" is to say here", "See /help diff")
	}
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	p := &past{}
	if err := fold(f.events(ctx, w), p.Add); err != nil {
		return err
	}
	d, err := f.taking(w, undoOptions{to: flags.Arg(0), typed: true}).differing(ctx, p)
	if err != nil {
		return err
	}
	var page strings.Builder
	unshown := 0
	style := f.style(f.Out)
	err = d.write(&page, func(file undo.Difference) string {
		if stat {
			return safetext.Terminal(d.line(file))
		}
		if page.Len() > mostInPager {
			unshown++
			return ""
		}
		return style.Patch(file.Patch(d.below(file.Path)))
	})
	if err != nil {
		return stopped(ctx, err)
	}
	if unshown > 0 {
		d.notes = append(d.notes, render.Count(unshown, "more file")+" not shown: it is too much for here. See them with `ikigai diff`.")
	}
	for _, line := range d.notes {
		f.tells(line)
	}
	if page.Len() > 0 {
		f.ui.Page(ctx, "diff", page.String(), false)
	}
	return nil
}

// taking is an undo or redo in the session that is open.
func (f *front) taking(w *work, o undoOptions) *taking {
	return &taking{app: f.app, undoOptions: o, found: ikigai.SessionInfo{ID: w.session.ID(), Dir: f.whereabouts().dir}, store: w.reads}
}

// parseUndo reads what follows /undo or /redo.
func parseUndo(o undoOptions, args string) (undoOptions, error) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.dryRun, "dry-run", false, "")
	if !o.redo {
		flags.StringVar(&o.to, "to", "", "")
	}
	if err := flags.Parse(strings.Fields(args)); err != nil {
		return o, usage(sentence(err.Error()), "See /help undo and /help redo")
	}
	if flags.NArg() > 0 {
		return o, usage("It is not known what "+clipped(flags.Arg(0))+" is to say here", "See /help undo and /help redo")
	}
	return o, nil
}

// takeBack takes changes of files back in the session that is open, or an undo, and
// shows what comes back.
func (f *front) takeBack(ctx context.Context, o undoOptions, args string) error {
	o, err := parseUndo(o, args)
	if err != nil {
		return err
	}
	w, err := f.changing(ctx)
	if err != nil {
		return err
	}
	p := &past{}
	if err := fold(f.events(ctx, w), p.Add); err != nil {
		return err
	}
	o.typed = true
	t := f.taking(w, o)
	f.echo()
	done, err := t.inSession(ctx, w, p)
	if err != nil {
		return err
	}
	if done.diff != "" && undo.Done(done.steps) {
		f.print(f.style(f.Out).Diff(done.diff))
	}
	f.tells(t.undoText(p, done))
	return nil
}

// inSession does it in a session that is open, or finds out what would be done.
func (t *taking) inSession(ctx context.Context, w *work, p *past) (took, error) {
	if t.dryRun {
		return t.planned(ctx, t.worker(nil), p)
	}
	return t.take(ctx, w.session, p)
}
