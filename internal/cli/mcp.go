package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/mcp"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
)

func (a *app) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Use servers of the Model Context Protocol, or be one",
		Long: `Use servers of the Model Context Protocol, or be one.

Servers are set up under mcpServers in the settings, in the form that other agents
use. Their tools stand beside the others as mcp__SERVER__TOOL.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.mcpListCommand(), a.mcpToolsCommand(), a.mcpCheckCommand(), a.mcpPromptsCommand(), a.mcpPromptCommand(),
		a.mcpLoginCommand(), a.mcpServeCommand())
	return cmd
}

// mcpSub returns a command about servers that takes the name of one first.
func (a *app) mcpSub(use, short, long string, least, most int, run func(ctx context.Context, args []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: between(least, most),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 || a.load() != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return slices.Sorted(maps.Keys(a.settings.MCPServers)), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.load(); err != nil {
				return err
			}
			ctx, stop := a.stoppable(cmd.Context())
			defer stop()
			err := run(ctx, args)
			if err != nil && ctx.Err() != nil {
				return &quietError{exitInterrupted} // no server is to blame
			}
			return err
		},
	}
	a.trustFlags(cmd)
	return cmd
}

func (a *app) mcpListCommand() *cobra.Command {
	return a.mcpSub("list", "List the servers of the settings", "", 0, 0, func(context.Context, []string) error {
		if len(a.settings.MCPServers) == 0 {
			return a.noMCPServers()
		}
		client, _, err := a.mcpNamed("", a.notice)
		if err != nil {
			return err
		}
		var rows [][]string
		for _, name := range slices.Sorted(maps.Keys(a.settings.MCPServers)) {
			m := a.settings.MCPServers[name]
			rows = append(rows, []string{name, m.Type, mcpTools(m, client.Status(name)), safetext.RedactKeys(a.redact(mcpPlace(m)))})
		}
		_, err = io.WriteString(a.Out, a.style(a.Out).Table([]string{"SERVER", "TYPE", "TOOLS", "PLACE"}, rows))
		return err
	})
}

// mcpTools says how many tools a server had when it was last connected.
func mcpTools(m config.MCPServer, s mcp.Status) string {
	switch {
	case m.Disabled:
		return "disabled"
	case !s.Known:
		return "not known"
	}
	return strconv.Itoa(len(s.Tools))
}

// mcpPlace says where a server is, without the parts of an address that may hold
// a key. Variables are shown as they are written.
func mcpPlace(m config.MCPServer) string {
	if m.URL != "" {
		address, err := url.Parse(m.URL)
		if err != nil {
			return "an address that cannot be read"
		}
		return (&url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path}).String()
	}
	return strings.Join(append([]string{m.Command}, m.Args...), " ")
}

func (a *app) mcpToolsCommand() *cobra.Command {
	return a.mcpSub("tools [SERVER]", "List the tools of servers",
		`List the tools of one server, or of all, under the names that models see. Servers
are started for it. What a server says of its tools, such as read-only, is not
believed: approval and undo treat them as tools that change something.`,
		0, 1, func(ctx context.Context, args []string) error {
			client, names, err := a.mcpNamed(strings.Join(args, ""), a.notice)
			if err != nil {
				return err
			}
			client.Start(ctx)
			defer client.Close()
			var failed error
			working := 0
			for _, name := range names {
				if err := client.Check(ctx, name); err == nil {
					working++
				} else if failed = err; len(args) > 0 || ctx.Err() != nil {
					return err
				}
			}
			if failed != nil && working == 0 {
				return &quietError{exitCode(failed)} // it has been told
			}
			var rows [][]string
			for _, name := range names {
				for _, t := range client.Status(name).Tools {
					if !t.Left {
						about, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
						rows = append(rows, []string{t.Name, strings.Join(t.Hints, ", "), about})
					}
				}
			}
			if len(rows) == 0 {
				a.notice("There are no tools.")
				return nil
			}
			_, err = io.WriteString(a.Out, a.style(a.Out).Table([]string{"TOOL", "IT SAYS", "WHAT IT DOES"}, rows))
			return err
		})
}

func (a *app) mcpCheckCommand() *cobra.Command {
	return a.mcpSub("check [SERVER]", "Start servers and say how they do",
		`Start servers and say how they do, all that are not disabled or one. A server has
a minute to answer.

Exit codes: 0 all of them answer, 2 the settings of one cannot be used, 4 those of
the project are not trusted, 5 one does not answer or demands a login, 130
interrupted. The first fault counts.`, 0, 1, func(ctx context.Context, args []string) error {
			if len(args) > 0 {
				if err := a.knownMCPServer(args[0]); err != nil {
					return err
				}
			}
			names := args
			if len(args) == 0 {
				names = a.usedMCPServers()
			}
			if len(names) == 0 {
				return a.noMCPServers()
			}
			return a.checkServers(ctx, names)
		})
}

// usedMCPServers returns the names of the servers that are not disabled.
func (a *app) usedMCPServers() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a.settings.MCPServers)), func(name string) bool { return a.settings.MCPServers[name].Disabled })
}

// noMCPServers says that there is no server to use, and why.
func (a *app) noMCPServers() error {
	if t := a.project; t.project != nil && t.project.MCP() != nil && !t.allowed {
		return &ikigai.Error{Kind: ikigai.ErrorDenied, What: "No MCP server is set up but those of the project, which is not trusted",
			Do: "Look at it with `ikigai trust`"}
	}
	if len(a.settings.MCPServers) > 0 {
		a.notice("All MCP servers are disabled.")
		return nil
	}
	a.notice("No MCP server is set up. Name one under mcpServers in the settings.")
	return nil
}

// checkServers starts servers and prints how they do.
func (a *app) checkServers(ctx context.Context, names []string) error {
	cfg := a.mcpConfig(a.childEnv(""), nil) // what fails is in the list
	wrong := map[string]error{}
	for _, name := range names {
		server, err := a.mcpServer(name)
		if err != nil {
			wrong[name] = err
			continue
		}
		cfg.Servers[name] = server
	}
	client := mcp.New(cfg)
	client.Start(ctx)
	defer client.Close()
	var failed error
	for _, name := range names {
		began, err := time.Now(), wrong[name]
		if err == nil {
			err = client.Check(ctx, name)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			failed = cmp.Or(failed, err)
			fmt.Fprintf(a.Out, "✗ %s: %s\n", name, a.shown(err.Error()))
		default:
			fmt.Fprintf(a.Out, "✓ %s: %s\n", name, inOneLine(a.redact(mcpSummary(client.Status(name), time.Since(began)))))
		}
	}
	if failed != nil {
		return &quietError{exitCode(failed)}
	}
	return nil
}

func mcpSummary(s mcp.Status, took time.Duration) string {
	words := []string{s.Server, render.Count(len(s.Tools), "tool")}
	if s.Resources {
		words = append(words, "resources")
	}
	if s.Prompts {
		words = append(words, "prompts")
	}
	return strings.Join(append(words, took.Round(time.Millisecond).String()), ", ")
}

// servers tells how the MCP servers of the settings are set up. It starts none.
func (r *checkup) servers() {
	if len(r.settings.MCPServers) == 0 {
		return
	}
	var unfilled []string
	cfg := r.mcpConfig(r.childEnv(""), func(string) {})
	cfg.Servers = r.mcpServers(func(text string) { unfilled = append(unfilled, text) })
	client := mcp.New(cfg)
	for _, text := range slices.Sorted(slices.Values(unfilled)) {
		r.line("--  ", "server", text)
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Servers)) {
		err, s := client.Found(name), client.Status(name)
		switch {
		case err != nil:
			r.line("--  ", "server", name+" cannot be used: "+err.Error()+". Install it, or correct its command.")
		case s.Known:
			r.good("server", name+", "+render.Count(len(s.Tools), "tool")+" when it was last connected")
		default:
			r.good("server", name+", not connected yet. Try it with `ikigai mcp check`.")
		}
	}
}
