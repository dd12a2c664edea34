package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/transcript"
)

// listOptions are the flags of sessions.
type listOptions struct {
	all     bool
	dir     string
	title   string
	span    span
	sort    string
	reverse bool
	limit   int
	json    bool
}

// orders are the values of --sort.
var orders = []string{"updated", "created", "events", "size", "cost"}

func (a *app) sessionsCommand() *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions of this directory, and work on them",
		Long: `List the sessions of this directory, the last changed first.

The commands below mark a place in a session, take its conversation back to an
earlier one, go on in a copy, or delete it. Only delete removes anything: the
others are events in the log like all others, and what they leave behind stays.

COST is what the replies cost as far as prices are known; see ` + "`ikigai models`" + `.
A title behind ⑂ is that of a fork; its size and cost are its own, without the
past that it shares.`,
		Args: noArgs,
		Example: `  ikigai sessions
  ikigai sessions --all --since 3d --title parser
  ikigai sessions --all --sort cost --limit 5
  ikigai sessions --all --limit 0 --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.sessions(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "those of all directories")
	f.StringVar(&o.dir, "dir", "", "those of the directory `DIR`")
	f.StringVar(&o.title, "title", "", "with `WORDS` in the title")
	spanFlags(cmd, &o.span, "changed")
	f.StringVar(&o.sort, "sort", "updated", "`ORDER`: updated, created, events, size or cost, the latest or most first")
	f.BoolVar(&o.reverse, "reverse", false, "the other way round")
	f.IntVarP(&o.limit, "limit", "n", 20, "how many, `N`, at most; 0 for all")
	f.BoolVar(&o.json, "json", false, "a line of JSON for each")
	cmd.MarkFlagsMutuallyExclusive("all", "dir")
	complete(cmd, "sort", fixed(orders...))
	completeDirs(cmd, "dir")
	cmd.AddCommand(a.markCommand(), a.rewindCommand(), a.clearCommand(), a.forkCommand(), a.deleteCommand())
	return cmd
}

// spanFlags adds --since and --until.
func spanFlags(cmd *cobra.Command, s *span, what string) {
	cmd.Flags().StringVar(&s.since, "since", "", what+" at `TIME` or later: 2026-11-20, yesterday, 12h, 3d")
	cmd.Flags().StringVar(&s.until, "until", "", what+" before `TIME`, or on that day")
	complete(cmd, "since", fixed("today", "yesterday", "3d", "1w"))
	complete(cmd, "until", fixed("today", "yesterday", "3d", "1w"))
}

// query returns what the flags select.
func (o listOptions) query(a *app) (ikigai.SessionQuery, error) {
	q := ikigai.SessionQuery{Title: o.title, Reversed: o.reverse, Limit: o.limit, Order: ikigai.SessionOrder(o.sort)}
	if o.limit < 0 {
		return q, usage("--limit is less than nothing", "Give a number, or 0 for all")
	}
	if !slices.Contains(orders, o.sort) {
		return q, usage(fmt.Sprintf("Sessions cannot be sorted by %q", o.sort), "Sort by "+strings.Join(orders, ", "))
	}
	if o.sort == "updated" {
		q.Order = ikigai.ByUpdated
	}
	switch {
	case o.dir != "":
		q.Dir = a.directory(o.dir)
	case !o.all:
		q.Dir = a.dir
	}
	var err error
	q.Since, q.Until, err = o.span.bounds(time.Now())
	return q, err
}

// sessionLine is a session in the output of --json.
type sessionLine struct {
	ID         ikigai.ID     `json:"id"`
	Dir        string        `json:"dir"`
	Title      string        `json:"title"`
	Created    ikigai.Micros `json:"created"`
	Updated    ikigai.Micros `json:"updated"`
	Events     ikigai.Seq    `json:"events"`
	Statements int           `json:"statements"`
	Size       int64         `json:"size"`
	Cost       int64         `json:"cost_micros"`
	Parent     ikigai.ID     `json:"parent,omitempty"`
	Base       ikigai.Seq    `json:"base,omitempty"`
}

func (a *app) sessions(ctx context.Context, o listOptions) error {
	if err := a.loadToRead(); err != nil {
		return err
	}
	q, err := o.query(a)
	if err != nil {
		return err
	}
	store, err := a.storeToRead(ctx)
	if err != nil {
		store = a.noStore(err)
	}
	defer store.Close()
	a.deliverNow(ctx, store, a.notice)
	found, err := collect(store.Sessions(ctx, q))
	switch {
	case err != nil && len(found) == 0:
		return err
	case o.json:
		return errors.Join(buffered(a.Out, func(w io.Writer) error { return writeSessions(w, found) }), err)
	case len(found) == 0:
		a.notice(o.none(q))
		return nil
	}
	_, printErr := fmt.Fprint(a.Out, a.style(a.Out).Sessions(found, q.Order, time.Now()))
	return errors.Join(printErr, err)
}

// none says that the list is empty.
func (o listOptions) none(q ikigai.SessionQuery) string {
	if q.Title != "" || q.Since != 0 || q.Until != 0 || o.dir != "" {
		return "No session fits. Leave out some of the flags, or see `ikigai sessions --all`."
	}
	return "There are no sessions here. Begin one with `ikigai run PROMPT`, or see those of other directories with --all."
}

// writeSessions writes each session as a line of JSON.
func writeSessions(w io.Writer, all []ikigai.SessionInfo) error {
	for _, info := range all {
		text, err := json.Marshal(sessionLine(info))
		if err != nil {
			return err
		}
		if _, err := w.Write(transcript.Visible(append(text, '\n'))); err != nil {
			return err
		}
	}
	return nil
}
