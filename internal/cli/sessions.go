package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
)

func (a *app) sessionsCommand() *cobra.Command {
	var all, asJSON bool
	var limit int
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions of this directory",
		Args:  noArgs,
		Example: `  ikigai sessions
  ikigai sessions --all --limit 0 --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.sessions(cmd.Context(), all, limit, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "those of all directories")
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "how many, `N`, the last changed first; 0 for all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "a line of JSON for each")
	return cmd
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

func (a *app) sessions(ctx context.Context, all bool, limit int, asJSON bool) error {
	if limit < 0 {
		return usage("--limit is less than nothing", "Give a number, or 0 for all")
	}
	if err := a.loadToRead(); err != nil {
		return err
	}
	store, err := a.storeToRead(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	a.deliverNow(ctx, store, a.notice)
	q := ikigai.SessionQuery{Limit: limit}
	if !all {
		q.Dir = a.dir
	}
	found, err := collect(store.Sessions(ctx, q))
	if err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(a.Out)
		for _, s := range found {
			if err := enc.Encode(sessionLine(s)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(found) == 0 {
		a.notice("There are no sessions here. Begin one with `ikigai run PROMPT`, or see those of other directories with --all.")
		return nil
	}
	_, err = fmt.Fprint(a.Out, a.style(a.Out).Sessions(found, time.Now()))
	return err
}
