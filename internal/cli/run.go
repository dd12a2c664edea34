package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/render"
)

// runOptions are the flags of run that are no settings.
type runOptions struct {
	which  which
	files  []string
	json   bool
	script string
	schema string
	goal   string
	before []ikigai.Event // are recorded before the statement
}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Run one statement and print the answer",
		Long: `Run one statement to its answer, without a screen.

What the model says goes to standard output as it comes; tool calls, their
results and notices go to standard error. Without PROMPT, or with "-", the
prompt is read from standard input; otherwise standard input is left alone,
unless --file - attaches it.

Exit codes: 0 answered, 1 internal fault, 2 usage, 3 turn limit reached,
4 a call was denied, or the project is not trusted, 5 the model's vendor,
6 context full, 7 the store, 130 interrupted.`,
		Example: `  ikigai run "What does this project do?"
  git diff | ikigai run --file - "Review this change"
  ikigai run --continue "And the tests?"
  ikigai run --resume 01a1f9ef --fork "Try it another way"
  ikigai run --continue --at before-refactoring "Go on from there"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.which.check(cmd); err != nil {
				return err
			}
			if cmd.Flags().Changed("goal") {
				event, err := goalEvent(o.goal)
				if err != nil {
					return err
				}
				o.before = append(o.before, event)
			}
			a.trusting.ask = true
			return a.run(cmd.Context(), o, args)
		},
	}
	a.whichFlags(cmd, &o.which)
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "file", "f", nil, "attach a `FILE`, text, an image or a PDF; - is standard input")
	f.BoolVar(&o.json, "json", false, "print every event as a line of JSON instead of the answer")
	f.StringVar(&o.goal, "goal", "", "make `TEXT` the goal of the session")
	f.StringVar(&o.script, "script", "", "let a script `FILE` play the model, without a key")
	a.trustFlags(cmd)
	f.StringVar(&o.schema, "output-schema", "", "have an answer in JSON that fits the JSON Schema in `FILE`")
	a.settingFlag(cmd, "model", "model to ask, as `VENDOR/MODEL[:LEVEL]`")
	a.settingFlag(cmd, "thinking", "`LEVEL` of thinking before the answer: none, min, low, med or high")
	a.settingFlag(cmd, "fallback", "`MODELS` to go on with when the vendor cannot serve, with commas between them")
	a.settingFlag(cmd, "max_tool_turns", "rounds of tools, `N` at most, before the model must answer")
	a.settingFlag(cmd, "tool_choice", "`CHOICE`: auto, none, required or a tool's name")
	a.settingFlag(cmd, "approval", "`WHEN` to ask before a tool changes something: never, ask, plan or deny")
	for _, flag := range []string{"model", "fallback"} {
		completeFrom(cmd, flag, a.completeModels)
	}
	complete(cmd, "thinking", fixed(config.LevelNames()...))
	complete(cmd, "tool-choice", func() []string { return append([]string{"auto", "none", "required"}, a.toolNames(cmd)...) })
	complete(cmd, "approval", approvals)
	return cmd
}

func (a *app) run(ctx context.Context, o runOptions, args []string) error {
	outliveReader()
	if err := a.load(); err != nil {
		return err
	}
	limit := openTime
	if o.which.isNew() {
		limit = awayTime
	}
	opening := a.openStore(ctx, limit)
	if o.schema != "" {
		var err error
		if a.format, err = readFormat(o.schema); err != nil {
			return err
		}
	}
	endpoint, stopServer, err := a.endpoint(ctx, o.script)
	if err != nil {
		return err
	}
	defer stopServer()
	statement, err := a.statement(args, o.files, o.which.id != "")
	if err != nil {
		return err
	}
	v := a.newView(o.json)
	v.formed = a.format != nil
	w, err := a.open(ctx, o.which, endpoint, <-opening, v)
	if err != nil {
		return err
	}
	outcome, err := a.runStatement(ctx, w, v, o.before, statement)
	return a.conclude(w, v, outcome, err)
}

// runStatement takes a statement to its answer, which is shown, and closes the session.
func (a *app) runStatement(ctx context.Context, w *work, v *view, before []ikigai.Event, statement ikigai.Event) (agent.Outcome, error) {
	defer w.close()
	ctx, stop := a.stoppable(ctx)
	defer stop()
	defer v.watch()()
	w.refresh(ctx)
	w.session.Queue(before...)
	outcome, err := w.agent.Run(ctx, statement)
	v.finish()
	if v.formed && !v.json && err == nil {
		v.answer(outcome.Answer + "\n")
	}
	w.asking.settle(ctx)
	if !v.json {
		a.tellSpending(w, w.endpoint)
	}
	return outcome, err
}

// outliveReader has the program go on where nobody reads its output any more: a
// statement runs to its end and into the log all the same. The error of writing is
// told in the end. What the program starts has the signal as usual, which would not
// be so if it were ignored.
func outliveReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// checkToolChoice refuses a choice that no tool fits, before there is a session.
func checkToolChoice(choice ikigai.ToolChoice, names []string) error {
	if choice.Mode != ikigai.ToolChoiceNamed || slices.Contains(names, choice.Name) {
		return nil
	}
	return usage(fmt.Sprintf("There is no tool %q to choose", choice.Name),
		"Use auto, none, required or one of the tools: "+strings.Join(names, ", "))
}

// conclude turns the end of a statement into the end of the program.
func (a *app) conclude(w *work, v *view, o agent.Outcome, err error) error {
	failed, errorShown := v.result()
	o.Denied += w.tasks.deniedCalls()
	switch {
	case failed != nil:
		return fmt.Errorf("the answer could not be written, it is in the log: %w", failed)
	case err != nil && errorShown:
		return &quietError{exitCode(err)}
	case err != nil:
		return err
	case w.session.Refused():
		return &quietError{exitStore}
	case w.session.Durability() == ikigai.Volatile:
		a.notice("The session could not be kept. Free some space and run `ikigai doctor`.")
		return &quietError{exitStore}
	case o.LimitReached:
		a.notice(fmt.Sprintf("The limit of %d tool turns was reached. Raise --max-tool-turns, or go on with `ikigai run --continue`.",
			w.agent.MaxToolTurns))
		return &quietError{exitLimit}
	case o.Denied > 0:
		how := "Allow them with --approval never, or at a terminal with --approval ask."
		if a.settings.Approval == config.ApprovalAsk && a.inputIsTerminal() {
			how = "What was done without them is in the answer."
		}
		a.notice(render.Count(o.Denied, "call") + " denied. " + how)
		return &quietError{exitDenied}
	case o.Stop == ikigai.StopLength && v.json: // else it has been shown
		a.notice("The answer was cut off at the limit of the output. Go on with `ikigai run --continue`.")
	}
	return nil
}
