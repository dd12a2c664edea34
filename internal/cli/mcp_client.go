package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"

	"ikigai/internal/config"
	"ikigai/internal/mcp"
	"ikigai/internal/secret"
)

// mcpConfig returns what a client of MCP servers needs but the servers: env is
// that of their processes.
func (a *app) mcpConfig(env []string, notice func(string)) mcp.Config {
	cfg := mcp.Config{
		Version: version(), Dir: a.dir, Env: env, Keys: mcpKeys{a.stored()}, Proxy: http.ProxyFromEnvironment,
		Notice: notice, Leave: a.leave, Servers: map[string]mcp.Server{},
	}
	if a.settings.DataDir != "" {
		cfg.Cache = filepath.Join(a.settings.DataDir, "mcp")
	}
	return cfg
}

// mcpServers returns the servers of the settings that are in use. One that needs
// a variable that is not set is passed over with a notice.
func (a *app) mcpServers(notice func(string)) map[string]mcp.Server {
	servers := make(map[string]mcp.Server, len(a.settings.MCPServers))
	for name, m := range a.settings.MCPServers {
		if m.Disabled {
			continue
		}
		server, err := a.mcpServer(name)
		if err != nil {
			notice(err.Error())
			continue
		}
		servers[name] = server
	}
	return servers
}

// mcpServer returns one server of the settings. Its secrets are hidden from then
// on.
func (a *app) mcpServer(name string) (mcp.Server, error) {
	m, err := a.settings.MCPServer(name)
	if err != nil {
		return mcp.Server{}, err
	}
	server := mcp.Server{
		Command: m.Command, Args: m.Args, Env: m.Env, Dir: m.Cwd, URL: m.URL, SSE: m.Type == config.MCPSSE,
		Headers: m.Headers, OAuth: mcp.OAuth(m.OAuth), Timeout: m.Timeout, Offers: m.Offers,
	}
	a.hidden.add(server.Secrets()...)
	return server, nil
}

// mcpNamed returns a client of the server called name, or of all if name is "",
// and their names. It starts nothing.
func (a *app) mcpNamed(name string, notice func(string)) (*mcp.Client, []string, error) {
	cfg := a.mcpConfig(a.childEnv(""), notice)
	if name == "" {
		cfg.Servers = a.mcpServers(a.notice)
		return mcp.New(cfg), slices.Sorted(maps.Keys(cfg.Servers)), nil
	}
	if err := a.knownMCPServer(name); err != nil {
		return nil, nil, err
	}
	server, err := a.mcpServer(name)
	if err != nil {
		return nil, nil, err
	}
	cfg.Servers[name] = server
	cfg.Notice = nil // the error says it
	return mcp.New(cfg), []string{name}, nil
}

func (a *app) knownMCPServer(name string) error {
	if _, ok := a.settings.MCPServers[name]; ok {
		return nil
	}
	if len(a.settings.MCPServers) == 0 {
		return usage("There is no MCP server "+name, "Set it up under mcpServers in the settings")
	}
	return usage("There is no MCP server "+name, "See `ikigai mcp list`")
}

// mcpKeys keeps logins at MCP servers where keys of vendors are kept.
type mcpKeys struct{ secret.Store }

// Get implements mcp.Keys.
func (k mcpKeys) Get(ctx context.Context, name string) (string, error) {
	key, _, err := k.Store.Get(ctx, name)
	return key, err
}

// Set implements mcp.Keys. A login is kept where there is one already, else in the
// keyring, else in the file.
func (k mcpKeys) Set(ctx context.Context, name, value string) error {
	_, place, err := k.Store.Get(ctx, name)
	if err == nil && place == k.File && place != "" {
		return k.SetInFile(ctx, name, value)
	}
	err = k.Store.Set(ctx, name, value)
	if err == nil || k.File == "" {
		return err
	}
	if inFile := k.SetInFile(ctx, name, value); inFile != nil {
		return fmt.Errorf("%w", errors.Join(err, inFile))
	}
	return nil
}
