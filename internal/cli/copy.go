package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ikigai/internal/archive"
	"ikigai/internal/config"
	"ikigai/internal/render"
)

func (a *app) dbCopyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "copy FROM TO",
		Short: "Copy all sessions from one database into another",
		Long: `Copy all sessions with everything that belongs to them from one database into
another: files and PostgreSQL databases, in any direction. What is in TO already
stays; a copy that was stopped goes on when it is started again. A session that
differs or that is open is left out and named.`,
		Example: `  ikigai db copy ~/.local/share/ikigai/ikigai.db postgres://me@db.example.com/ikigai
  ikigai db copy postgres://me@db.example.com/ikigai backup.db`,
		Args: between(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.dbCopy(cmd.Context(), args[0], args[1]) },
	}
}

func (a *app) dbCopy(ctx context.Context, from, to string) error {
	if err := a.loadToRead(); err != nil {
		return err
	}
	source, err := config.ParseDatabase("FROM", from, a.dir, a.env("HOME"))
	if err != nil {
		return err
	}
	target, err := config.ParseDatabase("TO", to, a.dir, a.env("HOME"))
	if err != nil {
		return err
	}
	if source.String() == target.String() || source.Key() != "" && source.Key() == target.Key() {
		return usage("FROM and TO are the same database", "Name two")
	}
	a.hidden.add(append(source.Secrets(), target.Secrets()...)...)
	ctx, stop := a.stoppable(ctx)
	defer stop()
	in, err := a.existing(ctx, source)
	if err != nil {
		return stopped(ctx, err)
	}
	defer in.Close()
	out, err := a.openDatabase(ctx, target, openTime, true)
	if err != nil {
		return stopped(ctx, err)
	}
	defer out.Close()
	a.deliverTo(ctx, in, placesOf(source, a.settings.DataDir))
	m := a.newMeter()
	report, err := archive.Copy(ctx, in, out, archive.CopyOptions{Progress: m.archived("copying")})
	m.end()
	if err != nil {
		return stopped(ctx, err)
	}
	return a.reported(report, fmt.Sprintf("%s in %s copied to %s", render.Count(int(report.Added), "event"), changed(report), target))
}

// changed counts the sessions that an import or a copy has added something to.
func changed(r archive.Report) string {
	n := 0
	for _, o := range r.Outcomes {
		if o.Added > 0 {
			n++
		}
	}
	return render.Count(n, "session")
}

// reported tells what an import or a copy has done, and what it left out, which
// is an error.
func (a *app) reported(r archive.Report, done string) error {
	if r.Known > 0 {
		done += fmt.Sprintf("; %s there already", wereThere(r.Known))
	}
	if _, err := io.WriteString(a.Out, done+".\n"); err != nil {
		return err
	}
	skipped := r.Skipped()
	for _, o := range skipped {
		a.notice(leftOut(o))
	}
	if len(skipped) > 0 {
		return &quietError{exitStore}
	}
	return nil
}

func wereThere(n int64) string {
	if n == 1 {
		return "1 event was"
	}
	return render.Count(int(n), "event") + " were"
}

// leftOut says why a session is not, or not wholly, in the store.
func leftOut(o archive.Outcome) string {
	switch o.State {
	case archive.Busy:
		return fmt.Sprintf("The session %s is open elsewhere and was left out. Repeat this when it has ended.", o.Session)
	case archive.Orphan:
		return fmt.Sprintf("The session %s is a fork whose past is not there, and was left out. Bring the session that it is a fork of, too.", o.Session)
	}
	if o.As != "" {
		return fmt.Sprintf("The session %s has other events from %d on. What differs is in the new session %s.", o.Session, o.At, o.As)
	}
	return fmt.Sprintf("The session %s has other events from %d on, and was left out. With `ikigai import --rename` what differs becomes a session of its own.", o.Session, o.At)
}
