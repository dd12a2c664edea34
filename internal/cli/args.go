package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/config"
)

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error { return between(0, 0)(cmd, args) }

// between refuses fewer than least and more than most arguments, and empty
// ones, which are variables of a script that are not set.
func between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		for _, arg := range args {
			if arg == "" {
				return usage("An argument is empty", "Leave it out, or say what it shall be")
			}
		}
		help := "See `" + cmd.CommandPath() + " --help`"
		switch {
		case len(args) > most:
			return usage(fmt.Sprintf("`%s` does not take %q", cmd.CommandPath(), args[most]), help)
		case len(args) < least:
			return usage(fmt.Sprintf("`%s` needs to be told more: %s", cmd.CommandPath(), cmd.Use), help)
		}
		return nil
	}
}

// asUsage returns an error from before any command began as one of usage.
func asUsage(cmd *cobra.Command, err error) error {
	what, suggestions, _ := strings.Cut(err.Error(), "\n")
	do := "See `" + cmd.CommandPath() + " --help`"
	switch {
	case strings.HasPrefix(what, "if any flags in the group"):
		group, _, _ := strings.Cut(strings.TrimPrefix(what, "if any flags in the group ["), "]")
		return usage("--"+strings.ReplaceAll(group, " ", " and --")+" exclude each other", "Give one of them")
	case strings.Contains(suggestions, "\t"):
		_, name, _ := strings.Cut(suggestions, "\t")
		do = "Perhaps `ikigai " + strings.Fields(name)[0] + "` is meant; see `ikigai --help`"
	case cmd.Name() == "run" && strings.HasPrefix(what, "unknown"):
		do = "If it belongs to the prompt, put -- before the prompt; see `ikigai run --help`"
	}
	return usage(sentence(what), do)
}

// complete offers values for a flag.
func complete(cmd *cobra.Command, flag string, values func() []string) {
	completeFrom(cmd, flag, func(string) []string { return values() })
}

// completeFrom offers values for a flag that depend on what is typed of it.
func completeFrom(cmd *cobra.Command, flag string, values func(typed string) []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return values(typed), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic("cli: " + err.Error()) // there is no such flag: a fault of this program
	}
}

// completeDirs offers directories for a flag.
func completeDirs(cmd *cobra.Command, flag string) {
	if err := cmd.MarkFlagDirname(flag); err != nil {
		panic("cli: " + err.Error()) // there is no such flag: a fault of this program
	}
}

func fixed(values ...string) func() []string { return func() []string { return values } }

// completeModels offers the models that are known, the vendors, and, once a model
// is typed, its levels. Several have commas between them.
func (a *app) completeModels(typed string) []string {
	if a.load() != nil {
		return nil
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	all := append(a.settings.ModelNames(), a.settings.VendorNames()...)
	if model, _, ok := strings.Cut(typed[len(before):], ":"); ok {
		known, _ := a.settings.Known(model)
		for _, l := range ikigai.Levels() {
			if _, ok := known.Levels[l]; ok {
				all = append(all, model+":"+string(l))
			}
		}
	}
	for i := range all {
		all[i] = before + all[i]
	}
	return all
}

// completeSettings offers settings for --set.
func (a *app) completeSettings() []string {
	if a.load() != nil {
		return nil
	}
	var all []string
	for _, e := range a.settings.Show() {
		if !strings.Contains(e.Key, ".") || strings.HasPrefix(e.Key, "timeouts.") { // others are set in files alone
			all = append(all, e.Key+"=")
		}
	}
	return all
}

// completeSessions offers the last sessions, with their titles.
func (a *app) completeSessions(cmd *cobra.Command) []string {
	if a.loadToRead() != nil {
		return nil
	}
	store, err := a.storeToRead(cmd.Context())
	if err != nil {
		return nil
	}
	defer store.Close()
	var all []string
	for s, err := range store.Sessions(cmd.Context(), ikigai.SessionQuery{Limit: 50}) {
		if err != nil {
			break
		}
		all = append(all, cobra.CompletionWithDesc(string(s.ID), s.Title))
	}
	return all
}

// approvals are the values of the setting approval.
var approvals = fixed(config.ApprovalNever, config.ApprovalAsk, config.ApprovalPlan, config.ApprovalDeny)
