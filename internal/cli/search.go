package cli

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/dbschema"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

// searchBatch is how many events a search indexes at once before it begins.
const searchBatch = 2_000

// searchOptions are the flags of search.
type searchOptions struct {
	all     bool
	dir     string
	session string
	tool    string
	file    string
	span    span
	limit   int
	json    bool
}

func (a *app) searchCommand() *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search WORDS",
		Short: "Find what was said and done, by its words",
		Long: `Find events by their words in the sessions of this directory, the newest first:
what was said, what tools were asked and what they answered. All words must occur
in an event, in any case and with or without accents. Words in quotation marks
are a phrase, and word* is the beginning of one. Without WORDS at least one of
--tool, --file, --session, --since and --until says what to find.`,
		Example: `  ikigai search parser panic
  ikigai search --all '"connection refused"' --since 3d
  ikigai search --tool bash --file go.mod tidy
  ikigai search --session 01a1f9ef refact*`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.search(cmd.Context(), strings.Join(args, " "), o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "in the sessions of all directories")
	f.StringVar(&o.dir, "dir", "", "in those of the directory `DIR`")
	f.StringVar(&o.session, "session", "", "in the session of this `ID`, or the beginning of one")
	f.StringVar(&o.tool, "tool", "", "calls and results of the tool `NAME`")
	f.StringVar(&o.file, "file", "", "what names the file `PATH`, or the end of a path")
	spanFlags(cmd, &o.span, "happened")
	f.IntVarP(&o.limit, "limit", "n", 20, "how many, `N`, at most; 0 for all")
	f.BoolVar(&o.json, "json", false, "a line of JSON for each")
	cmd.MarkFlagsMutuallyExclusive("all", "dir", "session")
	complete(cmd, "session", func() []string { return a.completeSessions(cmd) })
	complete(cmd, "tool", func() []string { return a.toolNames(cmd) })
	completeDirs(cmd, "dir")
	return cmd
}

func (a *app) search(ctx context.Context, words string, o searchOptions) error {
	if err := a.loadToRead(); err != nil {
		return err
	}
	terms, err := dbschema.ParseWords(words)
	if err != nil {
		return err
	}
	ctx, stop := a.stoppable(ctx)
	defer stop()
	store, err := a.storeToRead(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	a.deliverNow(ctx, store, a.notice)
	q, err := a.searchQuery(ctx, store, words, o)
	if err != nil {
		return err
	}
	if err := a.catchUp(ctx, store); err != nil {
		return stopped(ctx, err)
	}
	found := 0
	err = a.searchResults(o.json, func(w io.Writer, style render.Style) error {
		for hit, err := range store.Search(ctx, q) {
			if err != nil {
				return err
			}
			if found++; found > 1 && !o.json {
				if _, err := io.WriteString(w, "\n"); err != nil {
					return err
				}
			}
			if err := writeHit(w, style, hit, terms, o.json); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && found == 0 {
		a.notice(nothingFound(q))
	}
	return stopped(ctx, err)
}

// searchQuery returns what is to be found.
func (a *app) searchQuery(ctx context.Context, store ikigai.Store, words string, o searchOptions) (ikigai.SearchQuery, error) {
	q := ikigai.SearchQuery{Words: words, Tool: o.tool, File: o.file, Limit: o.limit}
	if strings.TrimSpace(words) == "" && o.tool == "" && o.file == "" && o.session == "" && o.span == (span{}) {
		return q, usage("It is not said what to find", "Give words, as in: ikigai search parser panic")
	}
	if o.limit < 0 {
		return q, usage("--limit is less than nothing", "Give a number, or 0 for all")
	}
	var err error
	if q.Since, q.Until, err = o.span.bounds(time.Now()); err != nil {
		return q, err
	}
	switch {
	case o.session != "":
		found, err := a.find(ctx, store, which{id: o.session})
		q.Session = found.ID
		return q, err
	case o.dir != "":
		q.Dir = a.directory(o.dir)
	case !o.all:
		q.Dir = a.dir
	}
	return q, nil
}

func nothingFound(q ikigai.SearchQuery) string {
	if q.Dir != "" {
		return "Nothing was found in the sessions of " + q.Dir + ". Search those of all directories with --all."
	}
	return "Nothing was found. Try fewer words, or the beginning of one, such as refact*."
}

// catchUp brings the search index up to date. A database that cannot be written
// is searched as far as it is indexed.
func (a *app) catchUp(ctx context.Context, store ikigai.Index) error {
	m := a.newMeter()
	defer m.end()
	for {
		left, err := store.Catchup(ctx, searchBatch)
		switch {
		case err == nil && left == 0:
			return nil
		case err == nil:
			m.tell("indexing: %s left", render.Count(int(left), "event"))
		case ctx.Err() != nil:
			return err
		default:
			m.end()
			a.notice("The search index cannot be brought up to date: " + sentence(err.Error()) + " What is newer is not found.")
			return nil
		}
	}
}

// searchResults has write write hits: to a terminal in a style, elsewhere plain.
func (a *app) searchResults(asJSON bool, write func(io.Writer, render.Style) error) error {
	style := a.style(a.Out)
	if asJSON {
		style = render.Style{}
	}
	return buffered(a.Out, func(w io.Writer) error { return write(w, style) })
}

// hitLine is a hit in the output of --json.
type hitLine struct {
	Session     ikigai.ID     `json:"session"`
	Seq         ikigai.Seq    `json:"seq"`
	ID          ikigai.ID     `json:"id"`
	Interaction string        `json:"interaction"`
	Kind        ikigai.Kind   `json:"kind"`
	Time        ikigai.Micros `json:"time"`
	Dir         string        `json:"dir"`
	Title       string        `json:"title"`
	Snippet     string        `json:"snippet"`
}

func writeHit(w io.Writer, style render.Style, hit ikigai.Hit, terms []dbschema.Term, asJSON bool) error {
	e := hit.Event
	text, found := snippet(hitTexts(e), terms)
	if !asJSON {
		_, err := io.WriteString(w, style.Hit(hit, text, found))
		return err
	}
	line, err := json.Marshal(hitLine{e.Session, e.Seq, e.ID, e.Interaction, e.Kind, e.Time, hit.Dir, hit.Title, text})
	if err != nil {
		return err
	}
	_, err = w.Write(transcript.Visible(append(line, '\n')))
	return err
}
