package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/history"
	"ikigai/internal/session"
	"ikigai/internal/tools"
)

// shell runs what the person has typed behind a "!", and has the model told of it
// with what is sent next; behind "!!" nobody is told.
//
// Both are a side interaction: the call is in the log before it runs, what it
// changes can be undone, and the model's history is the same whatever the command
// did.
func (f *front) shell(ctx context.Context, text string) error {
	command, quiet := strings.CutPrefix(text, "!")
	if command = strings.TrimSpace(command); command == "" {
		return usage("It is not said which command", "Type it behind the !, or behind !! if the model is not to be told")
	}
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	f.ui.Busy("running a command")
	result, err := w.runTyped(ctx, command)
	if err != nil || quiet {
		return err
	}
	f.hears(w, ikigai.NewEvent(ikigai.KindUser, typedText(f.dir, command, result), ikigai.MessageData{By: ikigai.ByShell}))
	return nil
}

// hears has the model told of something with what is sent next.
func (f *front) hears(w *work, e ikigai.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.turn != nil {
		f.heard = append(f.heard, e)
		return
	}
	w.session.Queue(e)
}

// typedRun takes in what a command that was typed has come to.
type typedRun struct {
	*history.Line
	result ikigai.ToolResultData
}

// Add takes in the next event of the interaction.
func (r *typedRun) Add(e ikigai.Event) {
	r.Line.Add(e)
	if e.Kind == ikigai.KindToolResult {
		_ = e.DecodeData(&r.result) // it was just made
	}
}

// runTyped runs a command of the person's in a side interaction, until ctx ends.
func (w *work) runTyped(ctx context.Context, command string) (ikigai.ToolResultData, error) {
	run := &typedRun{}
	side, err := w.session.Side("runs a command of the person's", ikigai.InteractionData{Purpose: ikigai.PurposeShell, Parent: ikigai.Main},
		func(name string) session.Projection {
			run.Line = history.New(name)
			return run
		})
	if err != nil {
		return run.result, err
	}
	defer side.End()
	a := &agent.Agent{
		Recorder: side, History: run, Dir: w.dir, Tools: []ikigai.Tool{tools.Shell(w.kit.config)}, MaxOutputSize: w.agent.MaxOutputSize,
		Watcher: w.agent.Watcher, Progress: w.agent.Progress, KeepDir: w.agent.KeepDir, OutputDir: w.agent.OutputDir,
		AllowVolatile: func(context.Context) bool { return true },
	}
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return run.result, err
	}
	err = a.Do(ctx, ikigai.ToolCall{ID: side.Name(), Name: a.Tools[0].Name, Arguments: string(args)})
	return run.result, err
}

// typedText is what the model is told of a command that the person has run.
func typedText(dir, command string, r ikigai.ToolResultData) string {
	var out struct {
		Output string `json:"output"`
		Exit   *int   `json:"exit_code"`
		Error  string `json:"error"`
	}
	if json.Unmarshal([]byte(r.Output), &out) != nil {
		out.Output = r.Output
	}
	end := out.Error
	if end == "" && out.Exit != nil {
		end = fmt.Sprintf("It ended with exit code %d.", *out.Exit)
	}
	return fmt.Sprintf("I ran a command in %s:\n\n$ %s\n\nIts output:\n\n%s\n\n%s", dir, command, strings.TrimRight(out.Output, "\n"), end)
}
