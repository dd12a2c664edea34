package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"ikigai/internal/config"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Look at the settings", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var origin, asJSON bool
	show := &cobra.Command{
		Use:   "show",
		Short: "Print the settings in force",
		Example: `  ikigai config show --origin
  IKIGAI_MAX_TOOL_TURNS=5 ikigai config show --origin`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.configShow(origin, asJSON) },
	}
	show.Flags().BoolVar(&origin, "origin", false, "say where each value comes from")
	show.Flags().BoolVar(&asJSON, "json", false, "a line of JSON for each")
	schema := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the settings files",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Out.Write(config.Schema())
			return err
		},
	}
	cmd.AddCommand(show, schema)
	return cmd
}

func (a *app) configShow(origin, asJSON bool) error {
	if err := a.load(); err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(a.Out)
		for _, e := range a.settings.Show() {
			if err := enc.Encode(e); err != nil {
				return err
			}
		}
		return nil
	}
	head, rows := []string{"SETTING", "VALUE"}, [][]string{}
	if origin {
		head = append(head, "ORIGIN")
	}
	for _, e := range a.settings.Show() {
		row := []string{e.Key, e.Value}
		if origin {
			row = append(row, e.Origin)
		}
		rows = append(rows, row)
	}
	_, err := fmt.Fprint(a.Out, a.style(a.Out).Table(head, rows))
	if origin && a.project.allowed {
		_, err = fmt.Fprintf(a.Out, "\nWhat the project in %s brings is trusted: %s.\n", inOneLine(a.dir), brings(a.project.project))
	}
	return err
}
