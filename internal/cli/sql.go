package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
)

// Limits of a table: its columns are as wide as their widest cell, so all of it
// is in memory.
const (
	maxRows  = 10_000
	maxTable = 32 << 20 // bytes of its cells
)

func (a *app) sqlCommand() *cobra.Command {
	var asJSON, asCSV bool
	cmd := &cobra.Command{
		Use:   "sql [STATEMENT]",
		Short: "Ask the database with SQL",
		Long: `Run one statement of SQL that only reads, and print its rows: as a table, as a
line of JSON each, or as CSV. Without STATEMENT, or with "-", it is read from
standard input.

The views v_statements, v_turns, v_tool_calls, v_usage, v_resources and
v_objectives keep their form from version to version; docs/schema.md describes
them. Times are microseconds since 1970, UTC.

NULL stands as NULL in a table, null in JSON and as nothing at all in CSV, where
an empty text is "". Bytes are written in hexadecimal, as x'0a1b'.`,
		Example: `  ikigai sql "select name, count(*) calls, sum(1 - success) failed from v_tool_calls group by name order by 2 desc"
  ikigai sql --json "select * from v_usage" | jq .cost_usd
  ikigai sql --csv - < monthly.sql > monthly.csv`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			statement, err := a.sqlStatement(args)
			if err != nil {
				return err
			}
			return a.sql(cmd.Context(), statement, asJSON, asCSV)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "a line of JSON for each row")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "CSV, with a head")
	cmd.MarkFlagsMutuallyExclusive("json", "csv")
	return cmd
}

// sqlStatement returns the statement, from the argument or the input.
func (a *app) sqlStatement(args []string) (string, error) {
	const do = `Give one, as in: ikigai sql "select * from v_statements limit 5"`
	if len(args) == 1 && args[0] != "-" {
		return args[0], nil
	}
	if a.inputIsTerminal() && len(args) == 0 {
		return "", usage("There is no statement", do)
	}
	text, err := readText(a.In, "The standard input")
	if err == nil && strings.TrimSpace(text) == "" {
		err = usage("The statement is empty", do)
	}
	return text, err
}

func (a *app) sql(ctx context.Context, statement string, asJSON, asCSV bool) error {
	if err := a.loadToRead(); err != nil {
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
	rows := store.Query(ctx, statement)
	switch {
	case asJSON:
		err = a.results(func(w io.Writer) error { return writeJSONRows(w, rows) })
	case asCSV:
		err = a.results(func(w io.Writer) error { return writeCSVRows(w, rows) })
	default:
		err = a.writeTable(rows)
	}
	return withViews(stopped(ctx, err))
}

// withViews adds to an error about a statement what there is to ask for.
func withViews(err error) error {
	var e *ikigai.Error
	if !errors.As(err, &e) || e.Kind != ikigai.ErrorUsage {
		return err
	}
	const views = "The views are v_statements, v_turns, v_tool_calls, v_usage, v_resources and v_objectives; docs/schema.md describes them"
	if e.Do == "" || strings.Contains(e.Do, "docs/schema.md") {
		return &ikigai.Error{Kind: e.Kind, What: e.What, Do: views, Err: err}
	}
	return &ikigai.Error{Kind: e.Kind, What: e.What, Do: e.Do + ". " + views, Err: err}
}

// writeTable prints rows as a table.
func (a *app) writeTable(rows iter.Seq2[ikigai.Row, error]) error {
	var head []string
	var cells [][]string
	more, size := false, 0
	for row, err := range rows {
		if err != nil {
			return err
		}
		if len(cells) == maxRows || size > maxTable {
			more = true
			break
		}
		head = row.Columns
		line := make([]string, len(row.Values))
		for i, v := range row.Values {
			line[i] = sqlText(v)
			size += len(line[i])
		}
		cells = append(cells, line)
	}
	if len(cells) == 0 {
		a.notice("There are no rows.")
		return nil
	}
	if _, err := fmt.Fprint(a.Out, a.style(a.Out).Table(head, cells)); err != nil {
		return err
	}
	if more {
		a.notice(fmt.Sprintf("These are the first %s. Use --json or --csv for all of them.", render.Count(len(cells), "row")))
	}
	return nil
}

// results has write write what the program was started for. What goes to a
// terminal is made fit for one.
func (a *app) results(write func(io.Writer) error) error {
	if _, isTerminal := terminal(a.Out); !isTerminal {
		return buffered(a.Out, write)
	}
	safe := safetext.NewWriter(a.Out)
	return errors.Join(buffered(safe, write), safe.Close())
}

// stopped returns err or, if the person stopped what led to it, that.
func stopped(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return &ikigai.Error{Kind: ikigai.ErrorCancelled, What: "Stopped", Err: err}
}
