package cli

import (
	"bufio"
	"context"
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/journal"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

func (a *app) logCommand() *cobra.Command {
	var asJSON, verbose, compact bool
	cmd := &cobra.Command{
		Use:   "log [ID]",
		Short: "Show what happened in a session",
		Long: `Show what happened in a session: the last one of this directory, or the one
whose ID begins with ID.`,
		Example: `  ikigai log
  ikigai log 01a1f9ef-60c7 --compact
  ikigai log --json | jq 'select(.kind == "tool_call")'`,
		Args: between(0, 1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeSessions(cmd), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			w := which{last: len(args) == 0}
			if len(args) > 0 {
				w.id = args[0]
			}
			style := a.style(a.Out)
			style.Verbose, style.Compact = verbose, compact
			return a.log(cmd.Context(), w, style, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "a line of JSON for each event")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "also what the model was sent: system prompt, tools, requests, usage")
	cmd.Flags().BoolVar(&compact, "compact", false, "fold long output")
	cmd.MarkFlagsMutuallyExclusive("json", "verbose")
	cmd.MarkFlagsMutuallyExclusive("json", "compact")
	return cmd
}

func (a *app) log(ctx context.Context, w which, style render.Style, asJSON bool) error {
	if err := a.loadToRead(); err != nil {
		return err
	}
	store, err := a.storeToRead(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	a.deliverNow(ctx, store, a.notice)
	found, err := a.find(ctx, store, w)
	if err != nil {
		return err
	}
	style.More = "ikigai log " + string(found.ID)
	out := bufio.NewWriter(a.Out)
	events := a.allEvents(ctx, store, found.ID)
	if asJSON {
		err = writeJSON(out, events)
	} else {
		err = writePage(out, events, style)
	}
	return errors.Join(err, out.Flush())
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

func writeJSON(out *bufio.Writer, events iter.Seq2[ikigai.Event, error]) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		if _, err := out.Write(transcript.JSONLine(e)); err != nil {
			return err
		}
	}
	return nil
}

func writePage(out *bufio.Writer, events iter.Seq2[ikigai.Event, error], style render.Style) error {
	page := render.Page{Style: style}
	var fold transcript.Transcript
	show := func(blocks []transcript.Block) error {
		for _, b := range blocks {
			if _, err := out.WriteString(page.Block(b)); err != nil {
				return err
			}
		}
		return nil
	}
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := show(fold.Add(e)); err != nil {
			return err
		}
	}
	return show(fold.Open())
}
