package cli

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ikigai/internal/exttool"
)

func (a *app) toolListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tools: where they come from, what they replace, what is wrong",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.load(); err != nil {
				return err
			}
			k := a.personKit(cmd.Context())
			defer k.close()
			return a.toolList(k, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "a line of JSON for each tool and each problem")
	return cmd
}

func (a *app) toolList(k *kit, asJSON bool) error {
	all := k.shown()
	if asJSON {
		return buffered(a.Out, func(w io.Writer) error { return writeTools(w, all, k.external.Problems()) })
	}
	if _, err := io.WriteString(a.Out, a.style(a.Out).Table(toolHead, toolRows(all))); err != nil {
		return err
	}
	for _, line := range a.toolFaults(k) {
		a.notice(line)
	}
	return nil
}

// toolFaults returns lines on what cannot be used, two sentences each.
func (a *app) toolFaults(k *kit) (lines []string) {
	for _, p := range k.external.Problems() {
		lines = append(lines, k.line(p))
	}
	for _, name := range slices.Sorted(maps.Keys(a.settings.MCPServers)) {
		if !a.settings.MCPServers[name].Disabled && !k.servers.Status(name).Known {
			lines = append(lines, "What the MCP server "+name+" offers is not known yet. Ask it with `ikigai mcp tools "+name+"`.")
		}
	}
	return lines
}

var toolHead = []string{"TOOL", "FROM", "TIME", "CHANGES", "REPLACES"}

func toolRows(all []shownTool) [][]string {
	rows := make([][]string, len(all))
	for i, t := range all {
		limit, changes := "", "may"
		if t.limit > 0 {
			limit = t.limit.String()
		}
		if t.ReadOnly {
			changes = "none"
		}
		rows[i] = []string{t.Name, t.source(), limit, changes, strings.Join(t.replaces, ", ")}
	}
	return rows
}

// toolLine is a tool in the output of --json.
type toolLine struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Origin      string   `json:"origin"`
	Path        string   `json:"path,omitempty"`
	ReadOnly    bool     `json:"read_only"`
	Timeout     float64  `json:"timeout,omitempty"` // seconds
	Replaces    []string `json:"replaces,omitempty"`
}

func writeTools(w io.Writer, all []shownTool, problems []exttool.Problem) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, t := range all {
		line := toolLine{t.Name, t.Description, t.origin, t.path, t.ReadOnly, t.limit.Seconds(), t.replaces}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	for _, p := range problems {
		if err := enc.Encode(struct {
			Problem exttool.Problem `json:"problem"`
		}{p}); err != nil {
			return err
		}
	}
	return nil
}
