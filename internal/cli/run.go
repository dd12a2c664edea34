package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/agent"
)

// runOptions are the flags of run that are no settings.
type runOptions struct {
	which  which
	files  []string
	json   bool
	script string
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Run one statement and print the answer",
		Long: `Run one statement to its answer, without a screen.

The answer goes to standard output as it comes; tool calls, their results and
notices go to standard error. Without PROMPT, or with "-", the prompt is read
from standard input.

Exit codes: 0 answered, 1 internal fault, 2 usage, 3 turn limit reached,
4 a call was denied, 5 the model's vendor, 6 context full, 7 the store,
130 interrupted.`,
		Example: `  ikigai run "What does this project do?"
  git diff | ikigai run --file - "Review this change"
  ikigai run --continue "And the tests?"`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.which.last, "continue", "c", false, "go on with the last session of this directory")
	f.StringVarP(&o.which.id, "resume", "r", "", "go on with the session of this `ID`")
	f.StringArrayVarP(&o.files, "file", "f", nil, "attach a text file; - is standard input")
	f.BoolVar(&o.json, "json", false, "print every event as a line of JSON instead of the answer")
	f.StringVar(&o.script, "script", "", "let a script `FILE` play the model, without a key")
	a.settingFlag(cmd, "model", "model to ask, as vendor/model")
	a.settingFlag(cmd, "max_tool_turns", "rounds of tools before the model must answer")
	a.settingFlag(cmd, "tool_choice", "auto, none, required or a tool's name")
	a.settingFlag(cmd, "approval", "never, ask or deny: what to do before a tool changes something")
	cmd.MarkFlagsMutuallyExclusive("continue", "resume")
	return cmd
}

func (a *app) run(ctx context.Context, o runOptions, args []string) error {
	if err := a.load(); err != nil {
		return err
	}
	opening := a.openStore(ctx)
	endpoint, stopServer, err := a.endpoint(ctx, o.script)
	if err != nil {
		return err
	}
	defer stopServer()
	statement, err := a.statement(args, o.files)
	if err != nil {
		return err
	}
	v := a.newView(o.json)
	w, err := a.open(ctx, o.which, endpoint, opening, v)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.checkToolChoice(); err != nil {
		return err
	}
	ctx, stop := stoppable(ctx)
	defer stop()
	outcome, err := w.agent.Run(ctx, statement)
	v.finish()
	return a.conclude(w, outcome, err)
}

// checkToolChoice refuses a choice that no tool fits, before anything is sent.
func (w *work) checkToolChoice() error {
	choice := w.agent.ToolChoice
	if choice.Mode != ikigai.ToolChoiceNamed {
		return nil
	}
	for _, t := range w.agent.Tools {
		if t.Name == choice.Name {
			return nil
		}
	}
	return usage(fmt.Sprintf("There is no tool %q to choose", choice.Name), "Use auto, none, required or one of the tools: "+w.toolNames())
}

func (w *work) toolNames() string {
	var names string
	for i, t := range w.agent.Tools {
		if i > 0 {
			names += ", "
		}
		names += t.Name
	}
	return names
}

// conclude turns the end of a statement into the end of the program.
func (a *app) conclude(w *work, o agent.Outcome, err error) error {
	switch {
	case err != nil && ikigai.KindOf(err) != ikigai.ErrorInternal:
		// The person has seen it as an event of the session.
		return &quietError{exitCode(err)}
	case err != nil:
		return err
	case w.session.Durability() == ikigai.Volatile:
		a.notice("The session could not be kept. Free some space and run `ikigai doctor`.")
		return &quietError{exitStore}
	case o.LimitReached:
		a.notice(fmt.Sprintf("The limit of %d tool turns was reached. Raise --max-tool-turns, or go on with `ikigai run --continue`.",
			w.agent.MaxToolTurns))
		return &quietError{exitLimit}
	case o.Denied > 0:
		a.notice(fmt.Sprintf("%d calls were denied. Allow them with --approval never, or at a terminal with --approval ask.", o.Denied))
		return &quietError{exitDenied}
	case o.Stop == ikigai.StopLength:
		a.notice("The answer was cut off at the limit of the output. Go on with `ikigai run --continue`.")
	}
	return nil
}
