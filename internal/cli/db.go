package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/postgres"
	"ikigai/internal/render"
)

func (a *app) dbCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "db", Short: "Look after the database", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.dbStatusCommand(), a.dbMigrateCommand(), a.dbCheckCommand(), a.dbVacuumCommand(), a.dbCopyCommand())
	return cmd
}

func (a *app) dbStatusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Tell where the database is, what is in it, and what waits for it",
		Example: `  ikigai db status --database postgres://me@db.example.com/ikigai`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd.Context(), func(ctx context.Context, store ikigai.Store) error { return a.dbStatus(ctx, store, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func (a *app) dbMigrateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema of the database up to date",
		Long: `Bring the schema of the database up to date, or make its tables where there are
none. A SQLite file is also brought up to date by every start; a database on a
server only by this command, because programs of other versions may use it.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.dbMigrate(cmd.Context()) },
	}
}

func (a *app) dbCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Read everything in the database and tell what is damaged",
		Long: `Read everything in the database: every event, and every blob against its hash.
The exit code is 7 if something is damaged.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.withStore(cmd.Context(), a.dbCheck) },
	}
}

func (a *app) dbVacuumCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "vacuum",
		Short: "Remove what no event names and give unused space back",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withStore(cmd.Context(), func(ctx context.Context, store ikigai.Store) error {
				end := a.newMeter().working("giving space back")
				freed, err := store.Vacuum(ctx)
				end()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(a.Out, render.Bytes(max(0, freed))+" given back.")
				return err
			})
		},
	}
}

// withStore opens the database, which must be there, for a command that can be
// stopped.
func (a *app) withStore(ctx context.Context, do func(context.Context, ikigai.Store) error) error {
	if err := a.loadToRead(); err != nil {
		return err
	}
	ctx, stop := a.stoppable(ctx)
	defer stop()
	store, err := a.storeToRead(ctx)
	if err != nil {
		return err
	}
	return stopped(ctx, errors.Join(do(ctx, store), store.Close()))
}

// dbState is the output of db status --json.
type dbState struct {
	Place     string `json:"place"`
	Engine    string `json:"engine"`
	Schema    int    `json:"schema"`
	Bytes     int64  `json:"bytes"`
	Index     int64  `json:"index_bytes"`
	Sessions  int64  `json:"sessions"`
	Events    int64  `json:"events"`
	Unindexed int64  `json:"unindexed"`
	Waiting   int    `json:"waiting"` // events in journals
}

func (a *app) dbStatus(ctx context.Context, store ikigai.Store, asJSON bool) error {
	h, err := glance(ctx, store)
	if err != nil {
		return err
	}
	s := dbState{h.Place, h.Engine, h.Schema, h.Bytes, h.Index, h.Sessions, h.Events, h.Unindexed, 0}
	for _, events := range waiting(a.places().journals()) {
		s.Waiting += events
	}
	if asJSON {
		return json.NewEncoder(a.Out).Encode(s)
	}
	index := render.Bytes(s.Index) + " of it"
	if !h.Checked && s.Index == 0 {
		index = "not measured, which would take long"
	}
	if s.Unindexed > 0 {
		index += ", about " + render.Count(int(s.Unindexed), "event") + " behind; a search catches up"
	}
	waiting := "nothing"
	if s.Waiting > 0 {
		waiting = render.Count(s.Waiting, "event") + " in journals; see `ikigai doctor`"
	}
	_, err = fmt.Fprintf(a.Out, "place     %s\nengine    %s\nschema    %d\nsize      %s\nindex     %s\nsessions  %s\nevents    %s\nwaiting   %s\n",
		s.Place, s.Engine, s.Schema, render.Bytes(s.Bytes), index, strconv.FormatInt(s.Sessions, 10), strconv.FormatInt(s.Events, 10), waiting)
	return err
}

// glanceAt bounds the reading in a look at a database that shall not take long.
const glanceAt = 50 * time.Millisecond

// glance looks at the database without reading everything.
func glance(ctx context.Context, store ikigai.Keeper) (ikigai.Health, error) {
	ctx, cancel := context.WithTimeout(ctx, glanceAt)
	defer cancel()
	return store.Check(ctx)
}

func (a *app) dbMigrate(ctx context.Context) error {
	if err := a.loadToRead(); err != nil {
		return err
	}
	ctx, stop := a.stoppable(ctx)
	defer stop()
	if url := a.settings.Database.URL(); url != "" {
		if err := postgres.Migrate(ctx, url); err != nil {
			return stopped(ctx, err)
		}
	}
	store, err := a.storeNow(ctx) // which migrates a file
	if err != nil {
		return stopped(ctx, err)
	}
	defer store.Close()
	h, err := glance(ctx, store)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "The schema of %s is version %d.\n", h.Place, h.Schema)
	return err
}

// mostProblems is how many of a kind are told.
const mostProblems = 10

// unreadableEvents tells of events whose data no program can read any more.
func unreadableEvents(ctx context.Context, store ikigai.Store) (problems []string, err error) {
	for session, err := range store.Sessions(ctx, ikigai.SessionQuery{}) {
		if err != nil {
			return problems, err
		}
		for e, err := range store.Events(ctx, session.ID, session.Base) {
			switch {
			case err != nil:
				return problems, err
			case len(problems) == mostProblems:
				return problems, nil
			case e.Data != nil && !json.Valid(e.Data):
				problems = append(problems, fmt.Sprintf("The data of event %d of session %s is no JSON", e.Seq, session.ID))
			}
		}
	}
	return problems, nil
}

// unreadableBlobs tells of blobs whose bytes do not have their hash.
func unreadableBlobs(ctx context.Context, store ikigai.Store) (problems []string, err error) {
	for row, err := range store.Query(ctx, "SELECT hash FROM blobs") {
		if err != nil {
			return problems, err
		}
		hash, _ := row.Values[0].(string)
		if _, err := store.Blob(ctx, hash); err != nil && ctx.Err() == nil {
			problems = append(problems, "The bytes of the blob "+hash+" are damaged")
		}
		if len(problems) == mostProblems || ctx.Err() != nil {
			break
		}
	}
	return problems, ctx.Err()
}

func (a *app) dbCheck(ctx context.Context, store ikigai.Store) error {
	end := a.newMeter().working("reading the database")
	h, err := store.Check(ctx)
	for _, look := range []func(context.Context, ikigai.Store) ([]string, error){unreadableEvents, unreadableBlobs} {
		if err == nil {
			var found []string
			found, err = look(ctx, store)
			h.Problems = append(h.Problems, found...)
		}
	}
	end()
	if err != nil {
		return err
	}
	for _, problem := range h.Problems {
		if _, err := fmt.Fprintln(a.Out, "BAD  "+repair(problem)); err != nil {
			return err
		}
	}
	if len(h.Problems) > 0 {
		return &quietError{exitStore}
	}
	_, err = fmt.Fprintf(a.Out, "%s: %s in %s are whole.\n", h.Place, render.Count(int(h.Events), "event"), render.Count(int(h.Sessions), "session"))
	return err
}
