package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/journal"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
)

// checkTime bounds the reading of the whole database.
const checkTime = 20 * time.Second

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check that everything ikigai needs is there and whole",
		Long: `Check that everything ikigai needs is there and whole. The exit code is that of
the first thing found bad: 2 for settings and model, 7 for the database and what
waits for it.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context()) },
	}
}

// doctor prints a line for each thing it looks at. It ends with the code of the
// worst it finds.
func (a *app) doctor(ctx context.Context) error {
	r := &checkup{app: a}
	r.look()
	if r.settings == nil {
		return r.end()
	}
	r.trust()
	r.servers()
	r.model(ctx)
	r.shell()
	r.database(ctx)
	r.journals()
	r.leftRunning()
	return r.end()
}

// look reads the settings. Without them, the rest is looked at with defaults.
func (r *checkup) look() {
	if err := r.load(); err != nil {
		r.bad(exitUsage, "settings", err.Error())
		_ = r.loadToRead() // what it tells has just been told
		return
	}
	file := r.settings.UserFile
	if _, err := os.Stat(file); err != nil {
		file = "none at " + file + ", so the defaults"
	}
	r.good("settings", file)
}

// checkup collects what doctor finds.
type checkup struct {
	*app
	code int
}

func (r *checkup) good(what, how string) { r.line("ok  ", what, how) }

func (r *checkup) bad(code int, what, how string) {
	r.line("BAD ", what, how)
	if r.code == 0 {
		r.code = code
	}
}

func (r *checkup) line(mark, what, how string) {
	fmt.Fprintf(r.Out, "%s %-9s %s\n", mark, what, safetext.Terminal(r.redact(how)))
}

func (r *checkup) end() error {
	if r.code != 0 {
		return &quietError{r.code}
	}
	return nil
}

// trust tells whether what the project brings may act.
func (r *checkup) trust() {
	t := r.app.project
	what := brings(t.project)
	switch t.state() {
	case "nothing":
		r.good("project", "nothing in "+r.dir+" could act")
	case "trusted":
		r.good("project", what+", trusted since "+t.since.Time().Format(time.DateTime))
	case "refused":
		r.line("--  ", "project", what+", ignored because you said so")
	case "unfit":
		r.line("--  ", "project", t.project.Problem+" Until then it is ignored.")
	default:
		r.line("--  ", "project", what+", not trusted and ignored. Decide with `ikigai trust`.")
	}
}

func (r *checkup) model(ctx context.Context) {
	e, err := r.settings.Resolve(ctx, r.keys())
	if err != nil {
		r.bad(exitOf(ikigai.KindOf(err)), "model", err.Error())
		return
	}
	r.key = e.Key
	how := e.Name + " at " + e.BaseURL + ", " + e.API
	switch {
	case e.KeySource != "":
		how += ", key from " + e.KeySource
	case e.Auth != config.AuthKey:
		how += ", credentials of " + e.Auth
	}
	r.good("model", how)
}

func (r *checkup) shell() {
	path, err := exec.LookPath("bash")
	if err != nil {
		r.line("--  ", "bash", "bash is not on the PATH. Install it: the bash tool falls back to sh.")
		return
	}
	r.good("bash", path)
}

func (r *checkup) database(ctx context.Context) {
	store, err := r.existing(ctx, r.settings.Database)
	switch {
	case errors.Is(err, ikigai.ErrNotFound):
		r.good("database", "none yet at "+r.settings.Database.String()+"; the first run makes it")
		return
	case err != nil:
		r.bad(exitStore, "database", err.Error())
		return
	}
	defer store.Close()
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	end := r.newMeter().working("reading the database")
	h, err := store.Check(ctx)
	end()
	if err != nil {
		r.bad(exitStore, "database", err.Error())
		return
	}
	how := fmt.Sprintf("%s, schema %d, %s, %.1f MB, %s, %s", h.Place, h.Schema, h.Engine,
		float64(h.Bytes)/1e6, render.Count(int(h.Sessions), "session"), render.Count(int(h.Events), "event"))
	if !h.Checked {
		how += ", too large to read in full"
	}
	if len(h.Problems) == 0 {
		r.good("database", how)
	}
	for _, problem := range h.Problems {
		r.bad(exitStore, "database", repair(problem))
	}
	if h.Unindexed > 0 {
		r.line("--  ", "search", fmt.Sprintf("about %s not indexed yet. The next search catches up.", render.Count(int(h.Unindexed), "event")))
	}
	r.forks(ctx, store)
}

// repair says what to do about a problem of the database, unless it says so.
func repair(problem string) string {
	if strings.HasSuffix(problem, ".") {
		return problem
	}
	return problem + ". Export what can be read, and begin a new database."
}

// mostForks is how many forks are told of.
const mostForks = 5

// forks tells which sessions were made of journals, because another process had
// gone on with theirs. The fork event of such a session says why; that of a
// branch that was imported has a reason alone.
func (r *checkup) forks(ctx context.Context, store ikigai.Keeper) {
	const query = `SELECT e.session, e.content, s.title FROM sessions s JOIN events e ON e.session = s.id AND e.seq > s.base
		WHERE s.parent IS NOT NULL AND e.kind = 'fork' AND e.data LIKE '%"reason":%' AND e.content <> '' ORDER BY s.id DESC LIMIT 6`
	rows, err := collect(store.Query(ctx, query))
	if err != nil {
		return // the check of the database has told of what is wrong with it
	}
	for _, row := range rows[:min(mostForks, len(rows))] {
		r.line("--  ", "fork", fmt.Sprintf("session %s (%v) was made of a journal. %v", row.Values[0], row.Values[2], row.Values[1]))
	}
	if len(rows) > mostForks {
		r.line("--  ", "fork", "there are more of them; see `ikigai sessions --all`.")
	}
}

// journals tells what waits for the database.
func (r *checkup) journals() {
	found := false
	for _, dir := range r.places().journals() {
		waiting, err := journal.List(dir)
		if err != nil {
			r.bad(exitStore, "journal", err.Error())
		}
		for _, w := range waiting {
			if w.Events == 0 && !w.Damaged && !w.Refused {
				continue // begun, and then the disk took nothing
			}
			found = true
			how := fmt.Sprintf("%s of session %s wait in %s since %s", render.Count(w.Events, "event"), w.Session, w.Path,
				w.Since.Time().Format(time.DateTime))
			switch {
			case w.Damaged:
				r.bad(exitStore, "journal", how+"; some of the file cannot be read. Keep it, and report how it came about.")
			case w.Refused:
				r.bad(exitStore, "journal", how+"; what they follow is not in the database. Keep the file: its events are in no database.")
			default:
				r.line("wait", "journal", how+". They are delivered when ikigai next runs and the database works.")
			}
		}
	}
	if !found {
		r.good("journal", "nothing waits for the database")
	}
}
