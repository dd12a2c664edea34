package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/exttool"
	"ikigai/internal/mcp"
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
	origin   string        // "built-in", the MCP server, or of what kind the directory is
	path     string        // of an executable
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

// personKit returns the tools for a command that a person has typed about them.
// It waits for slow ones: the person wants to know what is wrong with them.
func (a *app) personKit(ctx context.Context) *kit {
	return a.newKit(ctx, kitConfig{notice: a.notice, patient: true, own: a.shownTasks()})
}

// shown returns all tools in the order in which models are shown them.
func (k *kit) shown() []shownTool {
	list := k.all()
	external := k.external.List()
	all := make([]shownTool, len(list))
	for i, t := range list {
		all[i] = shownTool{Tool: t, origin: "built-in", limit: exttool.DefaultTimeout(t.Schema)}
		if strings.HasPrefix(t.Source, mcp.Source) {
			all[i].origin, all[i].limit = t.Source, 0
		}
		at := slices.IndexFunc(external, func(e exttool.Tool) bool { return e.Source == t.Source && e.Name == t.Name })
		if at >= 0 {
			all[i].origin, all[i].limit, all[i].path = external[at].Origin, external[at].Limit, t.Source
			all[i].replaces = k.replaced(t.Name)
		}
	}
	return all
}

// replaced returns what the executable of a name replaces.
func (k *kit) replaced(name string) []string {
	var all []string
	if k.builtIn(name) {
		all = append(all, "built-in")
	}
	for _, s := range k.external.Shadowed() {
		if s.Name == exttool.Fold(name) {
			all = append(all, s.Path)
		}
	}
	return all
}

// find returns the tool of a name; - and _ are the same where no tool has
// exactly this name.
func (k *kit) find(name string) (shownTool, error) {
	all := k.shown()
	for _, same := range []func(have string) bool{
		func(have string) bool { return have == name },
		func(have string) bool { return exttool.Fold(have) == exttool.Fold(name) },
	} {
		if at := slices.IndexFunc(all, func(t shownTool) bool { return same(t.Name) }); at >= 0 {
			return all[at], nil
		}
	}
	if p, ok := k.problem(name); ok {
		return shownTool{}, &ikigai.Error{Kind: ikigai.ErrorUsage, What: p.Path + " is no tool: " + p.What, Do: p.Do}
	}
	return shownTool{}, usage("No tool is named "+name, "See `ikigai tool list`")
}

// problem returns what is wrong with the file that would be the tool of a name.
func (k *kit) problem(name string) (exttool.Problem, bool) {
	problems := k.external.Problems()
	at := slices.IndexFunc(problems, func(p exttool.Problem) bool { return exttool.FileTool(p.Path) == exttool.Fold(name) })
	if at < 0 {
		return exttool.Problem{}, false
	}
	return problems[at], true
}

// completeTools offers the names of all tools.
func (a *app) completeTools(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.toolNames(cmd), cobra.ShellCompDirectiveNoFileComp
}

// toolNames returns the names of all tools, to complete what is typed.
func (a *app) toolNames(cmd *cobra.Command) []string {
	if a.load() != nil {
		return nil
	}
	k := a.newKit(cmd.Context(), kitConfig{notice: func(string) {}, own: a.shownTasks()})
	defer k.close()
	return k.names()
}
