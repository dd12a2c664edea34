package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ikigai/internal/provider/textmode"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/tools"
	"ikigai/internal/tui"
)

func toolCommands() []slash {
	return []slash{
		{name: "tools", about: "list the tools: where they come from, how they fared, what is wrong", tells: always, run: (*front).listTools},
		{name: "tool", args: "NAME", about: "show what a model is told of a tool, and how it fared",
			complete: completeTool, tells: always, run: (*front).showTool},
		{name: "refresh", about: "look for new tools, servers and instructions now",
			more: "Changed tools are found before each statement anyway. Instructions stay as they were when the session began, and it is told which of them have changed.",
			run:  (*front).refreshTools},
		{name: "jobs", about: "list the commands that run in the background", tells: always, run: (*front).listJobs},
	}
}

// listTools shows all tools of the session with what cannot be used.
func (f *front) listTools(ctx context.Context, _ string) error {
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	all := w.kit.shown()
	rows := toolRows(all)
	for i, t := range all {
		rows[i] = append(rows[i], fared(w, t.Name))
	}
	text := f.style(f.Out).Table(append(slices.Clone(toolHead), "USED"), rows)
	for _, line := range f.toolFaults(w.kit) {
		text += "\n" + safetext.Terminal(f.redact(line)) + "\n"
	}
	f.ui.Page(ctx, "tools", text, false)
	return nil
}

// fared says how the calls of a tool ended in this session.
func fared(w *work, name string) string {
	for _, t := range w.tally.Tools() {
		if t.Name == name {
			return fmt.Sprintf("%d: %d ok, %d failed", t.Succeeded+t.Failed, t.Succeeded, t.Failed)
		}
	}
	return ""
}

func (f *front) showTool(ctx context.Context, name string) error {
	if name == "" {
		return usage("It is not said which tool", "See /tools for their names")
	}
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	t, err := w.kit.find(name)
	if err != nil {
		return err
	}
	about := t.about()
	if used := fared(w, t.Name); used != "" {
		about += "used: " + used + "\n"
	}
	f.ui.Page(ctx, t.Name, safetext.Terminal(about+"\n"+textmode.Section(t.ToolSpec)), false)
	return nil
}

// refreshTools takes in what has changed on disk, and tells what that is.
func (f *front) refreshTools(ctx context.Context, _ string) error {
	if err := f.idle(ctx); err != nil {
		return err
	}
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	before := w.kit.names()
	w.refresh(ctx)
	f.tells(toolNews(before, w.kit.names()))
	for _, line := range f.outdated(w.prompt.parts()) {
		f.notice(line)
	}
	return nil
}

// toolNews tells how a list of tools differs from the one before.
func toolNews(before, now []string) string {
	missing := func(from, in []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(from), func(name string) bool { return slices.Contains(in, name) }), ", ")
	}
	var news []string
	if added := missing(now, before); added != "" {
		news = append(news, "New tools: "+added+".")
	}
	if gone := missing(before, now); gone != "" {
		news = append(news, "Gone: "+gone+".")
	}
	if len(news) == 0 {
		return fmt.Sprintf("There are %d tools, none of them new.", len(now))
	}
	return strings.Join(news, " ")
}

// listJobs shows the commands in the background.
func (f *front) listJobs(ctx context.Context, _ string) error {
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, j := range w.kit.jobs.List() {
		state := fmt.Sprintf("ended with exit code %d", j.Exit)
		if j.Running {
			state = "runs"
		}
		rows = append(rows, []string{fmt.Sprint(j.Number), state, inOneLine(j.Command)})
	}
	if len(rows) == 0 {
		f.tells("No command runs in the background.")
		return nil
	}
	f.print(f.style(f.Out).Table([]string{"JOB", "STATE", "COMMAND"}, rows))
	return nil
}

// jobEnded tells that a command in the background has ended by itself.
func (f *front) jobEnded(j tools.Job) {
	f.ui.Aside(fmt.Sprintf("job %d ended: exit code %d, %s", j.Number, j.Exit, render.Duration(j.Took)))
}

func completeTool(ctx context.Context, f *front, _ string) (items []tui.Completion) {
	w, err := f.opened(ctx)
	if err != nil {
		return nil
	}
	for _, t := range w.kit.shown() {
		items = append(items, tui.Completion{Text: t.Name, About: t.source()})
	}
	return items
}
