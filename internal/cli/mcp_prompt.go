package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ikigai/internal/mcp"
	"ikigai/internal/safetext"
)

func (a *app) mcpPromptsCommand() *cobra.Command {
	return a.mcpSub("prompts [SERVER]", "List the prompts of servers", "", 0, 1, func(ctx context.Context, args []string) error {
		client, names, err := a.mcpNamed(strings.Join(args, ""), a.notice)
		if err != nil {
			return err
		}
		client.Start(ctx)
		defer client.Close()
		var failed error
		var rows [][]string
		working := 0
		for _, name := range names {
			prompts, err := client.Prompts(ctx, name)
			if err == nil {
				working++
			} else if failed = err; len(args) > 0 || ctx.Err() != nil {
				return err
			}
			for _, p := range prompts {
				rows = append(rows, []string{name, p.Name, promptArguments(p), p.Description})
			}
		}
		if failed != nil && working == 0 {
			return &quietError{exitCode(failed)} // it has been told
		}
		if len(rows) == 0 {
			a.notice("There are no prompts.")
			return nil
		}
		_, err = io.WriteString(a.Out, a.style(a.Out).Table([]string{"SERVER", "PROMPT", "ARGUMENTS", "WHAT IT IS FOR"}, rows))
		return err
	})
}

// promptArguments names what a prompt wants to be told, optional ones in brackets.
func promptArguments(p mcp.Prompt) string {
	var all []string
	for _, arg := range p.Arguments {
		if arg.Required {
			all = append(all, arg.Name)
		} else {
			all = append(all, "["+arg.Name+"]")
		}
	}
	return strings.Join(all, " ")
}

func (a *app) mcpPromptCommand() *cobra.Command {
	const most = 64 // arguments
	cmd := a.mcpSub("prompt SERVER NAME [KEY=VALUE]...", "Print the text of a prompt", "", 2, 2+most, func(ctx context.Context, args []string) error {
		given := map[string]string{}
		for _, arg := range args[2:] {
			key, value, ok := strings.Cut(arg, "=")
			if !ok {
				return usage(fmt.Sprintf("The argument %q has no value", arg), "Write it as name=value")
			}
			given[key] = value
		}
		client, _, err := a.mcpNamed(args[0], a.notice)
		if err != nil {
			return err
		}
		client.Start(ctx)
		defer client.Close()
		text, err := client.Prompt(ctx, args[0], args[1], given)
		if err != nil {
			return err
		}
		return a.writeText(text)
	})
	cmd.Example = `  ikigai mcp prompt github review pr=17 | ikigai run`
	return cmd
}

// writeText prints text from elsewhere: as it is into a file or pipe, made safe on
// a terminal.
func (a *app) writeText(text string) error {
	if _, isTerminal := terminal(a.Out); isTerminal {
		text = safetext.Terminal(text)
	}
	_, err := io.WriteString(a.Out, strings.TrimRight(text, "\n")+"\n")
	return err
}

// shown returns text from elsewhere as it can be printed.
func (a *app) shown(text string) string { return safetext.Terminal(a.redact(text)) }
