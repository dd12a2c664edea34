package exttool

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"ikigai"
	"ikigai/internal/schema"
)

// Set is the tools of some directories. It may be used from several goroutines.
type Set struct {
	cfg   Config
	asker *describer
	end   context.CancelFunc // of what is being asked

	mu    sync.Mutex
	state found
}

// found is what one look at the directories came to.
type found struct {
	tools    []Tool
	problems []Problem
	shadowed []Shadow
	blocked  []string // names that stand for files which are no tools
	mark     []string // changes whenever a tool or a problem does
}

// Load looks at the directories and asks executables that it does not know what
// they are. It waits for them for a second at most; those that take longer are
// told as problems, and join at a later Refresh if they have answered by then.
// They go on until ctx ends, or Close.
func Load(ctx context.Context, cfg Config) *Set {
	s := &Set{cfg: cfg}
	life, end := context.WithCancel(ctx)
	s.asker, s.end = newDescriber(life, &s.cfg), end
	s.state = s.look(ctx)
	return s
}

// Close ends the executables that are still being asked what they are. The
// tools can be called as before.
func (s *Set) Close() {
	s.end()
	s.asker.asking.Wait()
}

// Refresh looks again, and reports whether tools or problems are others than
// before. It asks only executables that have changed, and is cheap where none
// has.
func (s *Set) Refresh(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.look(ctx)
	if slices.Equal(now.mark, s.state.mark) {
		return false
	}
	s.state = now
	return true
}

// List returns the tools with what is known of them, sorted by name.
func (s *Set) List() []Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.tools
}

// Tools returns the tools, sorted by name.
func (s *Set) Tools() []ikigai.Tool {
	list := s.List()
	tools := make([]ikigai.Tool, len(list))
	for i, t := range list {
		tools[i] = t.Tool
	}
	return tools
}

// Problems returns what is not used as a tool, and why.
func (s *Set) Problems() []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.problems
}

// Shadowed returns the tools that others replace.
func (s *Set) Shadowed() []Shadow {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.shadowed
}

// Blocked returns the names, folded, of files that cannot be used as tools: they
// take the place of any other tool of that name.
func (s *Set) Blocked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.blocked
}

// look finds the tools that are there now.
func (s *Set) look(ctx context.Context) found {
	files, problems := scan(s.cfg.Dirs)
	problems = append(problems, s.asker.identify(files)...)
	s.asker.describe(ctx, files)
	s.asker.save()
	now := found{problems: problems}
	chosen := map[string]choice{}
	for start := 0; start < len(files); {
		end := start + 1
		for end < len(files) && files[end].dir == files[start].dir {
			end++
		}
		s.choose(&now, chosen, files[start:end])
		start = end
	}
	for name, c := range chosen {
		if c.spec != nil {
			now.tools = append(now.tools, s.tool(c.file, *c.spec))
		} else {
			now.blocked = append(now.blocked, name)
		}
	}
	slices.SortFunc(now.tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	now.mark = marks(now, chosen)
	return now
}

// choice is a file that stands for a name among the tools. Without a spec it is
// no tool, and keeps those before it from being one: what a person has put
// there must not quietly be something else.
type choice struct {
	file
	spec *spec
}

// choose takes the files of one directory, which replace those of the same name
// of the directories before.
func (s *Set) choose(now *found, chosen map[string]choice, files []file) {
	here := map[string]string{} // the paths by name
	for _, f := range files {
		name, spec, problem := s.judge(f)
		if other, ok := here[name]; ok && name != "" {
			chosen[name] = choice{file: f}
			problem = &Problem{f.shown, fmt.Sprintf("%s has the same name, so neither is used", other), "Remove one of them, or give it another name"}
		}
		if problem != nil {
			now.problems = append(now.problems, *problem)
		}
		if _, ok := here[name]; ok || name == "" {
			continue
		}
		here[name] = f.shown
		if before, ok := chosen[name]; ok {
			now.shadowed = append(now.shadowed, Shadow{Name: name, Path: before.shown, By: f.shown})
		}
		chosen[name] = choice{f, spec}
	}
}

// judge returns the name that a file has among the tools, "" if it has none,
// and what it says of itself, or why it is no tool.
func (s *Set) judge(f file) (string, *spec, *Problem) {
	answer, ok := s.asker.said(f)
	switch {
	case !ok: // told elsewhere, or stopped before it answered
		return f.name, nil, nil
	case answer.Spec == nil:
		return f.name, nil, &Problem{f.shown, answer.What, answer.Do}
	case f.dir.Toolbox:
		return Fold(answer.Spec.Name), answer.Spec, nil
	case Fold(answer.Spec.Name) != f.name:
		return f.name, nil, &Problem{f.shown, "The schema says that the name is " + answer.Spec.Name,
			"Give the file that name, or the schema the name of the file"}
	}
	return f.name, answer.Spec, nil
}

// tool returns the tool that a file is.
func (s *Set) tool(f file, of spec) Tool {
	p := program{spec: of, path: f.path, toolbox: f.dir.Toolbox, cfg: &s.cfg}
	limit := p.limit()
	if own := DefaultTimeout(of.Schema); own > 0 {
		limit = own + extraTime
	}
	return Tool{Origin: f.dir.Origin, Limit: limit, Tool: ikigai.Tool{
		ToolSpec: of.ToolSpec, Source: f.shown, ReadOnly: of.ReadOnly, Check: schema.Checker(of.Schema), Run: p.run,
	}}
}

// marks returns what differs whenever a tool or a problem does.
func marks(now found, chosen map[string]choice) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		all = append(all, strings.Join([]string{name, chosen[name].path, chosen[name].key}, "\x00"))
	}
	for _, t := range now.tools {
		all = append(all, t.Name)
	}
	for _, p := range now.problems {
		all = append(all, p.String())
	}
	return all
}
