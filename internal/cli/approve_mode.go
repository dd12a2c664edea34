package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"ikigai/internal/config"
	"ikigai/internal/tui"
)

// chosenMode is a value of the setting approval that the person has chosen while
// the program runs. Its zero value is none.
type chosenMode struct{ value atomic.Value }

// approvalMode returns when calls are asked about, as a value of the setting.
func (a *app) approvalMode() string {
	chosen, _ := a.approving.value.Load().(string)
	return cmp.Or(chosen, a.settings.Approval)
}

// setApproval has the next call judged by another value of the setting approval,
// in this session and others that are opened until the program ends. What the
// model is sent stays as it is: it learns of it when a call is denied.
func (a *app) setApproval(mode string) error {
	if !slices.Contains(approvals(), mode) {
		return usage("There is no approval "+inOneLine(mode), "Choose never, ask, plan or deny")
	}
	a.approving.value.Store(mode)
	return nil
}

// approvalAbout says what the values of the setting approval are.
func approvalAbout(mode string) string {
	switch mode {
	case config.ApprovalNever:
		return "tools run without asking"
	case config.ApprovalAsk:
		return "each call that may change something is asked about, unless a rule allows it"
	case config.ApprovalPlan:
		return "only tools that read run, so that the model makes a plan"
	}
	return "only tools that read run"
}

func approvalCommands() []slash {
	return []slash{{
		name: "approval", args: "[never|ask|plan|deny]", about: "when tool calls need your consent",
		more: "It holds from the next call on, also in the middle of a turn. With plan only tools that read run, and the model is told to make a plan; /approval ask or never lets it begin.",
		complete: func(context.Context, *front, string) []tui.Completion {
			var all []tui.Completion
			for _, mode := range approvals() {
				all = append(all, tui.Completion{Text: mode, About: approvalAbout(mode)})
			}
			return all
		},
		run: func(f *front, _ context.Context, args string) error {
			if mode := strings.TrimSpace(args); mode != "" {
				if err := f.setApproval(mode); err != nil {
					return err
				}
			}
			mode := f.approvalMode()
			f.tells("Approval is " + mode + ": " + approvalAbout(mode) + ".")
			f.mu.Lock()
			defer f.mu.Unlock()
			f.showStatus()
			return nil
		},
	}}
}
