package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ikigai/internal/provider/textmode"
)

func (a *app) toolShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Print what a model is told of a tool",
		Long: `Print what a model is told of a tool: as text, the way a model gets it that
cannot call tools natively, or with --json as all others get it.`,
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.load(); err != nil {
				return err
			}
			k := a.personKit(cmd.Context())
			defer k.close()
			t, err := k.find(args[0])
			if err != nil {
				return err
			}
			return a.toolShow(t, asJSON)
		},
		ValidArgsFunction: a.completeTools,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func (a *app) toolShow(t shownTool, asJSON bool) error {
	if asJSON {
		return buffered(a.Out, func(w io.Writer) error {
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			return enc.Encode(t.ToolSpec)
		})
	}
	_, err := fmt.Fprintf(a.Out, "%s\n%s", t.about(), textmode.Section(t.ToolSpec))
	return err
}

// about returns what there is to say of a tool beside what a model is told.
func (t shownTool) about() string {
	var about strings.Builder
	fmt.Fprintf(&about, "from: %s\n", t.source())
	if len(t.replaces) > 0 {
		fmt.Fprintf(&about, "replaces: %s\n", strings.Join(t.replaces, ", "))
	}
	if t.limit > 0 {
		fmt.Fprintf(&about, "time limit: %s\n", t.limit)
	}
	if t.ReadOnly {
		about.WriteString("changes nothing\n")
	}
	return about.String()
}
