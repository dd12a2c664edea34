package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ikigai/internal/mcp"
	"ikigai/internal/safetext"
)

func (a *app) mcpLoginCommand() *cobra.Command {
	return a.mcpSub("login SERVER", "Log in at a server over HTTP",
		`Log in at a server over HTTP. An address is printed to open in a browser on this
machine. What the login gives is kept in the system's keyring, where there is one,
and else in the file of keys, which only you can read.`,
		1, 1, func(ctx context.Context, args []string) error {
			name := args[0]
			if err := a.knownMCPServer(name); err != nil {
				return err
			}
			server, err := a.mcpServer(name)
			if err != nil {
				return err
			}
			cfg := a.mcpConfig(nil, a.notice)
			cfg.Servers[name] = server
			cfg.Browse = func(_ context.Context, address string) error {
				_, err := fmt.Fprintf(a.Err, "Open this address in a browser on this machine:\n\n  %s\n\n", safetext.Terminal(address))
				return err
			}
			demanded, err := mcp.Login(ctx, cfg, name)
			if err != nil {
				return err
			}
			if demanded {
				a.notice("You are logged in at " + name + ".")
			} else {
				a.notice(name + " can be used as it is: it demands no login, or has one.")
			}
			return nil
		})
}
