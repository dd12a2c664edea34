package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ikigai"
	"ikigai/internal/exttool"
	"ikigai/internal/mcp"
	"ikigai/internal/tools"
)

// kit is what a session can have run: the built-in tools, executables in the
// directories of tools, and what MCP servers offer.
type kit struct {
	builtin  []ikigai.Tool
	config   tools.Config // of the built-in tools
	jobs     *tools.Jobs
	external *exttool.Set
	servers  *mcp.Client
	readOnly bool // those that change something are left out

	mu   sync.Mutex    // while the list is changed, or read beside who changes it
	list []ikigai.Tool // all of them, in the order in which models are shown them
}

// kitConfig is what the tools of a session need to know of it. The zero value is
// for no session.
type kitConfig struct {
	session ikigai.ID
	known   func(path string) (sha256 string, ok bool)
	notice  func(string)
	own     []ikigai.Tool // built-in ones of this session alone
	patient bool          // wait for tools that are slow to say what they are
}

// newKit returns the tools of a session in the working directory. Servers are
// started once the kit is.
func (a *app) newKit(ctx context.Context, c kitConfig) *kit {
	env := a.childEnv(c.session)
	spill := ""
	if c.session != "" {
		spill = a.places().output(c.session)
	}
	k := &kit{jobs: &tools.Jobs{}, readOnly: a.readOnlyTools}
	k.config = tools.Config{
		SpillDir: spill, BashResult: a.settings.BashResult, MaxOutput: a.settings.MaxOutputSize,
		Env: env, Known: c.known, Version: version(), WebPrivate: a.settings.WebPrivate, Jobs: k.jobs, Leave: a.leave,
	}
	k.builtin = append(tools.Builtin(k.config), c.own...)
	external := a.externalTools(c.session)
	external.Patient = c.patient
	k.external = exttool.Load(ctx, external)
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
// tool takes its place, also where it cannot be used: what a person has put
// there must not quietly be something else.
func (k *kit) gather() {
	k.mu.Lock()
	defer k.mu.Unlock()
	blocked := k.external.Blocked()
	k.list = slices.DeleteFunc(slices.Clone(k.builtin), func(t ikigai.Tool) bool { return slices.Contains(blocked, exttool.Fold(t.Name)) })
	first := len(k.list)
	for _, t := range k.external.Tools() {
		if at := slices.IndexFunc(k.list[:first], func(have ikigai.Tool) bool { return exttool.Fold(have.Name) == exttool.Fold(t.Name) }); at >= 0 {
			k.list[at] = t
		} else {
			k.list = append(k.list, t)
		}
	}
	for _, t := range k.servers.Tools() {
		if !slices.ContainsFunc(k.list, func(have ikigai.Tool) bool { return have.Name == t.Name }) {
			k.list = append(k.list, t)
		}
	}
	slices.SortFunc(k.list[first:], func(a, b ikigai.Tool) int { return strings.Compare(a.Name, b.Name) })
	if k.readOnly {
		k.list = slices.DeleteFunc(k.list, func(t ikigai.Tool) bool { return !t.ReadOnly })
	}
}

// news returns lines on what cannot be used of which the person does not know.
// That a built-in tool is missing for it is told each time.
func (k *kit) news() []string {
	var lines []string
	news := k.external.News()
	for _, p := range k.external.Problems() {
		if slices.Contains(news, p) || k.missing(p) {
			lines = append(lines, k.line(p))
		}
	}
	return lines
}

// line returns what there is to say of a problem.
func (k *kit) line(p exttool.Problem) string {
	if k.missing(p) {
		return p.String() + " Until then there is no tool " + exttool.FileTool(p.Path) + "."
	}
	return p.String()
}

// missing reports whether a built-in tool is missing for a problem.
func (k *kit) missing(p exttool.Problem) bool {
	name := exttool.FileTool(p.Path)
	return k.builtIn(name) && slices.Contains(k.external.Blocked(), name)
}

// builtIn reports whether a built-in tool has the name.
func (k *kit) builtIn(name string) bool {
	return slices.ContainsFunc(k.builtin, func(t ikigai.Tool) bool { return exttool.Fold(t.Name) == exttool.Fold(name) })
}

// all returns all tools, also while they are looked for anew.
func (k *kit) all() []ikigai.Tool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.list
}

// names returns the names of all tools.
func (k *kit) names() []string {
	all := k.all()
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.Name
	}
	return names
}

// close ends what the tools have left running, and returns a line for each
// command in the background that was stopped by it.
func (k *kit) close() (stopped []string) {
	stopped = k.jobs.Close()
	k.external.Close()
	k.servers.Close()
	return stopped
}

// tellStopped tells of a command in the background that was stopped.
func tellStopped(notice func(string), commands []string) {
	for _, command := range commands {
		notice(fmt.Sprintf("A command in the background was stopped: %s. It runs as long as its session does.", command))
	}
}
