package cli

import (
	"context"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/exttool"
	"ikigai/internal/mcp"
	"ikigai/internal/tools"
)

// kit is what a session can have run: the built-in tools, executables in the
// directories of tools, and what MCP servers offer.
type kit struct {
	builtin  []ikigai.Tool
	jobs     *tools.Jobs
	external *exttool.Set
	servers  *mcp.Client
	list     []ikigai.Tool // all of them, in the order in which models are shown them
}

// kitConfig is what the tools of a session need to know of it. The zero value is
// for no session.
type kitConfig struct {
	session ikigai.ID
	known   func(path string) (sha256 string, ok bool)
	notice  func(string)
}

// newKit returns the tools of a session in the working directory. Servers are
// started once the kit is.
func (a *app) newKit(ctx context.Context, c kitConfig) *kit {
	env := a.childEnv(c.session)
	spill := ""
	if c.session != "" {
		spill = a.places().output(c.session)
	}
	k := &kit{jobs: &tools.Jobs{}}
	k.builtin = tools.Builtin(tools.Config{
		SpillDir: spill, BashResult: a.settings.BashResult, MaxOutput: a.settings.MaxOutputSize,
		Env: env, Known: c.known, Version: version(), WebPrivate: a.settings.WebPrivate, Jobs: k.jobs, Leave: a.leave,
	})
	k.external = exttool.Load(ctx, a.externalTools(c.session))
	servers := a.mcpConfig(env, c.notice)
	servers.SpillDir, servers.Servers = spill, a.mcpServers(c.notice)
	k.servers = mcp.New(servers)
	k.gather()
	return k
}

// start starts the servers and waits, bounded, for those of which it is not
// known yet what they offer.
func (k *kit) start(ctx context.Context) {
	k.servers.Start(ctx)
	if k.servers.Await(ctx) {
		k.gather()
	}
}

// refresh takes in what has changed since the last statement, and reports
// whether the list is another one.
func (k *kit) refresh(ctx context.Context) bool {
	external, served := k.external.Refresh(ctx), k.servers.Refresh(ctx)
	if external || served {
		k.gather()
	}
	return external || served
}

// gather makes the list of all tools: the built-in ones in their own order,
// those of others behind them by name. An executable of the name of a built-in
// tool takes its place.
func (k *kit) gather() {
	k.list = slices.Clone(k.builtin)
	others := slices.Concat(k.external.Tools(), k.servers.Tools())
	slices.SortStableFunc(others, func(a, b ikigai.Tool) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range others {
		if at := slices.IndexFunc(k.list, func(have ikigai.Tool) bool { return exttool.Fold(have.Name) == exttool.Fold(t.Name) }); at >= 0 {
			k.list[at] = t
		} else {
			k.list = append(k.list, t)
		}
	}
}

// names returns the names of all tools.
func (k *kit) names() []string {
	names := make([]string, len(k.list))
	for i, t := range k.list {
		names[i] = t.Name
	}
	return names
}

// close ends what the tools have left running, and returns a line for each
// command in the background that was stopped by it.
func (k *kit) close() (stopped []string) {
	stopped = k.jobs.Close()
	k.servers.Close()
	return stopped
}
