package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/delegate"
	"ikigai/internal/render"
)

// handing hands tasks of an interaction to child interactions.
type handing struct {
	*opening
	interaction string
	left        int // levels of tasks that may still be handed over; 0 for none

	// Set before the first call of the tool.
	work  *work
	agent *agent.Agent // of the interaction
}

// tools returns the tool that hands tasks over, or none where there may be none.
func (h *handing) tools() []ikigai.Tool {
	if h.settings.Tasks.Max == 0 || h.left < 1 {
		return nil
	}
	return []ikigai.Tool{delegate.New(delegate.Config{
		Max: h.settings.Tasks.Max, Concurrency: h.settings.Tasks.Concurrency,
		Check: h.check, Take: h.tasks.take, Begin: h.begin,
		Room: func() int { return h.agent.ResultSize() },
		Keep: func(answer string) string { return h.agent.Keep(answer) },
	})}
}

// shownTasks returns the tool that hands tasks over as it is shown outside of a
// session, where nobody could work on them.
func (a *app) shownTasks() []ikigai.Tool {
	h := handing{opening: &opening{app: a}, interaction: ikigai.Main, left: a.settings.Tasks.Depth}
	return h.tools()
}

// isDelegate reports whether t is the tool that hands tasks over, and not one
// that a person has put in its place.
func isDelegate(t ikigai.Tool) bool { return t.Name == delegate.Name && t.Source == "" }

// check says what of a task cannot be done.
func (h *handing) check(t delegate.Task) error {
	have := h.capabilities()
	for _, name := range t.Capabilities {
		if !slices.Contains(have, name) {
			return &ikigai.Error{Kind: ikigai.ErrorUsage, What: fmt.Sprintf("capabilities: no tool for tasks is named %q", name),
				Do: "Use some of: " + strings.Join(have, ", ")}
		}
	}
	if t.Schema == nil {
		return nil
	}
	_, err := parseFormat("schema", t.Schema)
	return err
}

// capabilities returns the names of the tools that a task may use.
func (h *handing) capabilities() []string {
	var names []string
	for _, t := range h.agent.Tools {
		if !isDelegate(t) || h.left > 1 {
			names = append(names, t.Name)
		}
	}
	return names
}

// begin begins the interaction of a task and returns what takes it to its answer.
func (h *handing) begin(callID string, t delegate.Task) func(context.Context) (delegate.Answer, error) {
	c, err := h.helper(callID, t)
	return func(ctx context.Context) (delegate.Answer, error) {
		if err != nil {
			return delegate.Answer{}, err
		}
		defer c.end()
		out, err := c.agent.Run(ctx, ikigai.NewEvent(ikigai.KindUser, t.Text(), nil))
		return delegate.Answer{Text: out.Answer, Turns: out.Turns, Interaction: c.interaction}, failure(c.agent, t, out, err)
	}
}

// failure says why a task was not done, and what can be done about it by whoever
// handed it over; nil if it was done.
func failure(a *agent.Agent, t delegate.Task, o agent.Outcome, err error) error {
	var e *ikigai.Error
	switch {
	case errors.As(err, &e) && e.Kind == ikigai.ErrorCancelled:
		return &ikigai.Error{Kind: e.Kind, What: "The person stopped the turn before the task was done", Do: "Wait for what they say"}
	case errors.As(err, &e):
		return &ikigai.Error{Kind: e.Kind, What: e.What, Do: "Hand it over again if that may help, or do it yourself", Err: err}
	case o.Denied > 0:
		return &ikigai.Error{Kind: ikigai.ErrorDenied, What: render.Count(o.Denied, "call") + " of the task denied", Do: "Go on without, or ask the person"}
	case o.Spent:
		return &ikigai.Error{Kind: ikigai.ErrorQuota, What: fmt.Sprintf("The budget of %d tokens was spent", t.Budget),
			Do: "See what the answer lacks, and hand that over with a budget of its own"}
	case o.LimitReached:
		return &ikigai.Error{Kind: ikigai.ErrorIncomplete, What: fmt.Sprintf("The limit of %d tool turns was reached", a.MaxToolTurns),
			Do: "See what the answer lacks, and hand that over in smaller tasks or with more max_turns"}
	}
	return nil
}

// approver returns what is asked before a tool of a task changes something: what
// the session asks, told which task it is.
func (h *handing) approver(title string) func(context.Context, agent.Approval) agent.Verdict {
	if h.agent.Approve == nil {
		return nil
	}
	return func(ctx context.Context, r agent.Approval) agent.Verdict {
		r.For = fmt.Sprintf("the task %q", title)
		v := h.agent.Approve(ctx, r)
		if !v.Allowed && !v.Planned && ctx.Err() == nil {
			h.tasks.deny()
		}
		return v
	}
}
