package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/safetext"
)

// approver returns what is asked before a tool changes something; nil allows
// everything.
func (a *app) approver(v *view) func(context.Context, agent.Approval) (bool, string) {
	switch a.settings.Approval {
	case config.ApprovalDeny:
		return func(context.Context, agent.Approval) (bool, string) {
			return false, "the setting approval is deny"
		}
	case config.ApprovalAsk:
		if !a.inputIsTerminal() {
			return func(context.Context, agent.Approval) (bool, string) {
				return false, "there is no terminal to ask at"
			}
		}
		return a.ask(v)
	}
	return nil
}

// ask asks at the terminal. The call itself has just been shown.
func (a *app) ask(v *view) func(context.Context, agent.Approval) (bool, string) {
	lines := bufio.NewReader(a.In)
	return func(ctx context.Context, request agent.Approval) (bool, string) {
		v.finish()
		fmt.Fprintf(a.Err, "  Run %s? [y/N] ", safetext.Terminal(request.Call.Name))
		answer := make(chan string, 1)
		go func() {
			line, _ := lines.ReadString('\n')
			answer <- strings.ToLower(strings.TrimSpace(line))
		}()
		select {
		case <-ctx.Done():
			return false, "the person stopped the turn"
		case line := <-answer:
			if line == "y" || line == "yes" {
				return true, ""
			}
			return false, "the person said no"
		}
	}
}
