package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/exttool"
)

func (a *app) toolCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "Make, look at, run and check tools",
		Long: `Make, look at, run and check tools. Any executable that describes itself is a
tool; docs/tools.md tells how.

Tools are looked for in ` + systemTools + `, then in
~/.config/ikigai/tools, then in .ikigai/tools of the project, if that is trusted.
A later one replaces an earlier one of the same name, and a built-in one.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	list, show, run := a.toolListCommand(), a.toolShowCommand(), a.toolRunCommand()
	a.trustFlags(list, show, run)
	cmd.AddCommand(a.toolInitCommand(), list, show, run, a.toolCheckCommand())
	return cmd
}

// shownTool is a tool as a person is shown it.
type shownTool struct {
	ikigai.Tool
	origin   string        // "built-in", or of what kind the directory is
	limit    time.Duration // 0 for none that is known
	replaces []string      // paths, or "built-in"
}

// source returns where the tool comes from.
func (t shownTool) source() string {
	if t.Source == "" {
		return t.origin
	}
	return t.Source
}

// shownTools returns all tools in the order in which models are shown them, and
// what is wrong with others. The kit is to be closed.
func (a *app) shownTools(ctx context.Context) ([]shownTool, *kit) {
	k := a.newKit(ctx, kitConfig{notice: a.notice})
	all := make([]shownTool, len(k.list))
	for i, t := range k.list {
		all[i] = shownTool{Tool: t}
		if t.Source == "" {
			all[i].origin = "built-in"
		}
	}
	for _, t := range k.external.List() {
		i := slices.IndexFunc(all, func(shown shownTool) bool { return shown.Name == t.Name })
		if i < 0 {
			continue
		}
		shown := &all[i]
		shown.origin, shown.limit = t.Origin, t.Limit
		if slices.ContainsFunc(k.builtin, func(b ikigai.Tool) bool { return exttool.Fold(b.Name) == exttool.Fold(t.Name) }) {
			shown.replaces = append(shown.replaces, "built-in")
		}
		for _, s := range k.external.Shadowed() {
			if s.Name == exttool.Fold(t.Name) {
				shown.replaces = append(shown.replaces, s.Path)
			}
		}
	}
	return all, k
}

// findTool returns the tool of a name; - and _ are the same.
func (a *app) findTool(ctx context.Context, name string) (shownTool, error) {
	all, k := a.shownTools(ctx)
	defer k.close()
	for _, t := range all {
		if exttool.Fold(t.Name) == exttool.Fold(name) {
			return t, nil
		}
	}
	for _, p := range k.external.Problems() {
		if exttool.FileTool(p.Path) == exttool.Fold(name) {
			return shownTool{}, &ikigai.Error{Kind: ikigai.ErrorUsage, What: p.Path + " is no tool: " + p.What, Do: p.Do}
		}
	}
	return shownTool{}, usage("No tool is named "+name, "See `ikigai tool list`")
}

// completeTools offers the names of all tools.
func (a *app) completeTools(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if a.load() != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, k := a.shownTools(cmd.Context())
	defer k.close()
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.Name
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
