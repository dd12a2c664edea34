package cli

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
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

Away from a terminal the output is a patch as ` + "`git apply`" + ` takes it at the top of
the repository. What a patch cannot say, as that others have changed a file, too,
is told on standard error.

Exit codes: 0 the patch says all, 1 some files are not in it.`,
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
	d, err := t.differing(ctx, p)
	if err != nil {
		return err
	}
	_, isTerminal := terminal(a.Out)
	switch style := a.style(a.Out); {
	case stat:
		err = d.write(a.Out, func(f undo.Difference) string { return safetext.Terminal(d.line(f)) })
	case isTerminal:
		err = d.write(a.Out, func(f undo.Difference) string { return style.Patch(f.Patch(t.below(f.Path))) })
	default:
		d.top = repositoryOf(found.Dir)
		err = d.write(a.Out, d.applicable)
	}
	if err != nil {
		return stopped(ctx, err)
	}
	for _, line := range d.notes {
		a.notice(line)
	}
	if d.missing && !stat {
		return &quietError{exitInternal}
	}
	return nil
}

// differing is what became of files since a place, and what is to be known beside
// their patches.
type differing struct {
	*taking
	files   iter.Seq2[undo.Difference, error]
	lost    []undo.Call   // calls without a result
	missed  []undo.Missed // what was not recorded
	top     string        // where names in a patch count from; "" where they are for a reader
	notes   []string
	missing bool // a file is in no patch
}

// differing compares the files with what they were at the place t.to, "" for the
// beginning of the session.
func (t *taking) differing(ctx context.Context, p *past) (*differing, error) {
	from := ikigai.Seq(0)
	if t.to != "" {
		var err error
		if from, err = p.before(t.to); err != nil {
			return nil, err
		}
	}
	return &differing{taking: t, files: t.worker(nil).Differences(ctx, p.Since(from)), lost: p.lost(from), missed: p.Missed(from)}, nil
}

// write writes what text makes of each file, and gathers the notes.
func (d *differing) write(out io.Writer, text func(undo.Difference) string) error {
	some := false
	for f, err := range d.files {
		if err != nil {
			return err
		}
		some = true
		d.note(f)
		if _, err := io.WriteString(out, text(f)); err != nil {
			return err
		}
	}
	if !some && len(d.missed) == 0 {
		d.notes = append(d.notes, "No file differs from what it was.")
	}
	for _, c := range d.lost {
		d.notes = append(d.notes, fmt.Sprintf("%s in statement %d has no result: what it changes, or has changed, may not be among this.", c.Tool, c.Statement))
	}
	for _, text := range unknownText(nil, d.missed) {
		d.missing = true
		d.notes = append(d.notes, text+".")
	}
	return nil
}

// note notes what a patch does not say of a file.
func (d *differing) note(f undo.Difference) {
	said := func(what string) { d.notes = append(d.notes, d.name(f.Path)+": "+what+".") }
	switch {
	case f.Unknown != "":
		d.missing = true
		said(f.Unknown)
	case f.Others && len(d.lost) > 0:
		said("others, or a call that has no result yet, have changed it, too")
	case f.Others:
		said("others have changed it, too")
	}
	if mode := f.Mode(); mode != "" {
		said(mode)
	}
}

// line tells of a file in a line.
func (d *differing) line(f undo.Difference) string {
	what := "changed"
	switch {
	case !f.Was.Exists:
		what = "created"
	case !f.Is.Exists:
		what = "removed"
	}
	text := what + "  " + d.name(f.Path)
	if added, removed, ok := f.Lines(); ok {
		text += fmt.Sprintf("  +%d -%d", added, removed)
	}
	return text + "\n"
}

// applicable is the patch of a file for Git, which takes none of what lies outside of
// the tree.
func (d *differing) applicable(f undo.Difference) string {
	name, err := filepath.Rel(d.top, f.Path)
	if err != nil || !filepath.IsLocal(name) {
		d.missing = true
		d.notes = append(d.notes, d.name(f.Path)+" lies outside of "+d.top+" and is not in the patch.")
		return ""
	}
	return f.Patch(name)
}

// repositoryOf returns the top of the Git repository that a directory lies in, which
// the names in a patch count from, or else the directory.
func repositoryOf(dir string) string {
	for top := dir; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return top
		}
		if top == filepath.Dir(top) {
			return dir
		}
	}
}
