package cli

import (
	"github.com/spf13/cobra"

	"ikigai/internal/config"
)

// frontCommand makes the root command the one that shows the interactive front.
func (a *app) frontCommand(root *cobra.Command) {
	var o frontOptions
	var goal string
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if err := o.which.check(cmd); err != nil {
			return err
		}
		if cmd.Flags().Changed("goal") {
			event, err := goalEvent(goal)
			if err != nil {
				return err
			}
			o.before = append(o.before, event)
		}
		return a.talk(cmd.Context(), o)
	}
	a.whichFlags(root, &o.which)
	f := root.Flags()
	f.StringArrayVarP(&o.files, "file", "f", nil, "attach a `FILE` to the first statement: text, an image or a PDF")
	f.StringVar(&goal, "goal", "", "make `TEXT` the goal of the session")
	f.StringVar(&o.script, "script", "", "let a script `FILE` play the model, without a key")
	a.trustFlags(root)
	a.settingOf(f, "model", "model to ask, as `VENDOR/MODEL[:LEVEL]`")
	a.settingOf(f, "thinking", "`LEVEL` of thinking before an answer: none, min, low, med or high")
	a.settingOf(f, "approval", "`WHEN` to ask before a tool changes something: never, ask, plan or deny")
	completeFrom(root, "model", a.completeModels)
	complete(root, "thinking", fixed(config.LevelNames()...))
	complete(root, "approval", approvals)
}

// whichFlags adds the flags that say which session to work in.
func (a *app) whichFlags(cmd *cobra.Command, w *which) {
	f := cmd.Flags()
	f.BoolVarP(&w.last, "continue", "c", false, "go on with the last session of this directory")
	f.StringVarP(&w.id, "resume", "r", "", "go on with the session of this `ID`, or the beginning of one")
	f.BoolVar(&w.fork, "fork", false, "go on in a copy of that session, which stays as it is")
	f.StringVar(&w.at, "at", "", "fork from an earlier `PLACE`: the number of an event, or a mark")
	cmd.MarkFlagsMutuallyExclusive("continue", "resume")
	complete(cmd, "resume", func() []string { return a.completeSessions(cmd) })
}

// check refuses what the flags of whichFlags cannot mean.
func (w *which) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("resume") && w.id == "" {
		return usage("--resume has no ID", "See `ikigai sessions`")
	}
	w.fork = w.fork || w.at != ""
	if w.fork && w.isNew() {
		return usage("It is not said what to fork", "Name a session with --resume ID, or take the last one with --continue")
	}
	return nil
}
