package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/safetext"
	"ikigai/internal/undo"
)

func (a *app) diffCommand() *cobra.Command {
	var resume string
	var stat bool
	cmd := &cobra.Command{
		Use:   "diff [PLACE]",
		Short: "Show what a session has changed in files",
		Long: `Show how the files that this directory's last session has changed differ from
what they were before it: a patch from then to now. With PLACE it is from there
on: the number of a statement, a mark, or #N for event N. What was taken back is
not in it.

Away from a terminal the output is a patch as ` + "`git apply`" + ` takes it. What a patch
cannot say, as that a file is no text or that others have changed it, too, is told
on standard error.`,
		Example: `  ikigai diff
  ikigai diff --stat 3
  ikigai diff | git apply --reverse --check`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.diff(cmd.Context(), undoWhich(resume), strings.Join(args, ""), stat)
		},
	}
	cmd.Flags().BoolVar(&stat, "stat", false, "list the files alone, with the number of lines")
	cmd.Flags().StringVar(&resume, "resume", "", "the session whose `ID` begins so, instead of the last one here")
	complete(cmd, "resume", func() []string { return a.completeSessions(cmd) })
	return cmd
}

func (a *app) diff(ctx context.Context, which which, place string, stat bool) error {
	ctx, stop := a.stoppable(ctx)
	defer stop()
	store, found, err := a.openToRead(ctx, which)
	if err != nil {
		return err
	}
	defer store.Close()
	p := &past{}
	if err := fold(store.Events(ctx, found.ID, 0), p.Add); err != nil {
		return stopped(ctx, err)
	}
	t := &taking{app: a, undoOptions: undoOptions{to: place}, found: found, store: store}
	d, err := t.differences(ctx, p)
	if err != nil {
		return stopped(ctx, err)
	}
	text := t.patch(d)
	switch _, isTerminal := terminal(a.Out); {
	case stat:
		text = safetext.Terminal(t.stat(d))
	case isTerminal:
		text = a.style(a.Out).Patch(text)
	}
	if _, err := io.WriteString(a.Out, text); err != nil {
		return err
	}
	for _, line := range t.besides(d) {
		a.notice(line)
	}
	return nil
}

// differences is what became of files since a place.
type differences struct {
	files []undo.Difference
	lost  []undo.Call // calls of which it is not known what they have changed
}

// differences compares the files with what they were at the place t.to, "" for the
// beginning of the session.
func (t *taking) differences(ctx context.Context, p *past) (d differences, err error) {
	from := ikigai.Seq(0)
	if t.to != "" {
		if from, err = p.before(t.to); err != nil {
			return d, err
		}
	}
	plan, _ := p.Before(from)
	d.files, err = t.worker(nil).Differences(ctx, plan)
	d.lost = p.lost(from)
	return d, err
}

// patch is differences as `git apply` takes them.
func (t *taking) patch(d differences) string {
	var b strings.Builder
	for _, f := range d.files {
		b.WriteString(f.Patch(strings.TrimPrefix(t.below(f.Path), "/")))
	}
	return b.String()
}

// stat lists differences.
func (t *taking) stat(d differences) string {
	var b strings.Builder
	for _, f := range d.files {
		what := "changed"
		switch {
		case !f.Was.Exists:
			what = "created"
		case !f.Is.Exists:
			what = "removed"
		}
		fmt.Fprintf(&b, "%s  %s", what, t.name(f.Path))
		if added, removed, ok := f.Lines(); ok {
			fmt.Fprintf(&b, "  +%d -%d", added, removed)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// besides says what is to be known beside the patch.
func (t *taking) besides(d differences) (lines []string) {
	if len(d.files) == 0 {
		lines = append(lines, "No file differs from what it was.")
	}
	for _, f := range d.files {
		if f.Note != "" {
			lines = append(lines, t.name(f.Path)+": "+f.Note+".")
		}
	}
	for _, c := range d.lost {
		lines = append(lines, lostText(c)+".")
	}
	return lines
}
