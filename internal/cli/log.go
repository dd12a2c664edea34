package cli

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/journal"
)

// logOptions are the flags of log.
type logOptions struct {
	json, verbose, compact bool
	follow, once           bool
	interaction            string
	spending               bool
	request                string
	pretty                 bool
}

func (a *app) logCommand() *cobra.Command {
	var o logOptions
	cmd := a.withSession(&cobra.Command{
		Use:   "log [ID]",
		Short: "Show what happened in a session",
		Long: `Show what happened in a session: the last one of this directory, or the one
whose ID begins with ID. Of a fork that is all from the beginning of the past
that it shares.

With --follow what happens from then on is shown as it comes, also in another
process or, if the database is on a server, on another machine. Ctrl-C ends it;
with --once the end of the statement under way does.

What happens beside the conversation (goal and objectives that are named, a
summary or a commit message that is written, a delegated task) is told in a line,
with what it cost. --interaction shows one such interaction, or main, alone and
whole; --verbose shows all of them, with what their models were sent. --spending
sums up what each purpose has cost.

With --request the body of a request is printed as it was sent, byte for byte,
and checked against its SHA-256. Requests are counted from 1; seq:17 is the one
that is event 17.`,
		Example: `  ikigai log
  ikigai log 01a1f9ef-60c7 --compact
  ikigai log --interaction task-12
  ikigai log --follow
  ikigai log --request 3 --pretty
  ikigai log --json | jq 'select(.kind == "tool_call")'`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.log(cmd.Context(), named(args), o) },
	})
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "a line of JSON for each event")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "also what the model was sent: system prompt, tools, requests, usage")
	f.BoolVar(&o.compact, "compact", false, "fold long output")
	f.BoolVar(&o.follow, "follow", false, "go on with what happens from now on")
	f.BoolVar(&o.once, "once", false, "with --follow: end with the statement under way")
	f.StringVar(&o.interaction, "interaction", "", "the side interaction `NAME` alone, or main")
	f.BoolVar(&o.spending, "spending", false, "what it cost, by purpose, and nothing else")
	f.StringVar(&o.request, "request", "", "print the body of request `N`, or of event seq:N")
	f.BoolVar(&o.pretty, "pretty", false, "with --request: indented, for people")
	cmd.MarkFlagsMutuallyExclusive("json", "verbose", "request", "spending")
	cmd.MarkFlagsMutuallyExclusive("json", "compact", "request", "spending")
	cmd.MarkFlagsMutuallyExclusive("follow", "request", "spending")
	cmd.MarkFlagsMutuallyExclusive("interaction", "request", "spending")
	complete(cmd, "interaction", func() []string { return a.completeInteractions(cmd) })
	return cmd
}

func (a *app) log(ctx context.Context, w which, o logOptions) error {
	if o.once && !o.follow || o.pretty && o.request == "" {
		return usage("--once goes with --follow, and --pretty with --request", "See `ikigai log --help`")
	}
	store, found, err := a.openToRead(ctx, w)
	if err != nil {
		return err
	}
	defer store.Close()
	if o.request != "" {
		return a.logRequest(ctx, store, found.ID, o)
	}
	if o.spending {
		return a.logSpending(ctx, store, found.ID)
	}
	out := a.newLogWriter(found.ID, o)
	if o.follow {
		return a.follow(ctx, store, found.ID, out, o.once)
	}
	for e, err := range a.allEvents(ctx, store, found.ID) {
		if err != nil {
			return errors.Join(err, out.flush())
		}
		if err := out.add(e); err != nil {
			return err
		}
	}
	return out.end(a.unfinished(found.ID, out.replied))
}

// allEvents yields the events of a session: those in the store, then those
// that still wait for it in a journal.
func (a *app) allEvents(ctx context.Context, store ikigai.Log, id ikigai.ID) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		last := ikigai.Seq(0)
		for e, err := range store.Events(ctx, id, 0) {
			if !yield(e, err) || err != nil {
				return
			}
			last = e.Seq
		}
		for e, err := range journal.Events(id, a.places().journals()...) {
			if err == nil && e.Seq <= last {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// completeInteractions offers the interactions of the session that is named on
// the line.
func (a *app) completeInteractions(cmd *cobra.Command) []string {
	store, found, err := a.openToRead(cmd.Context(), named(cmd.Flags().Args()))
	if err != nil {
		return nil
	}
	defer store.Close()
	names := []string{cobra.CompletionWithDesc(ikigai.Main, "the conversation")}
	for e, err := range a.allEvents(cmd.Context(), store, found.ID) {
		if err != nil {
			break
		}
		if e.Kind == ikigai.KindInteraction {
			names = append(names, cobra.CompletionWithDesc(e.Interaction, firstLine(e.Content)))
		}
	}
	return names
}

// logSpending prints what a session has cost, by purpose.
func (a *app) logSpending(ctx context.Context, store ikigai.Log, id ikigai.ID) error {
	var sum purposes
	for e, err := range a.allEvents(ctx, store, id) {
		if err != nil {
			return err
		}
		sum.add(e)
	}
	_, err := io.WriteString(a.Out, a.style(a.Out).Purposes(sum.list()))
	return err
}
