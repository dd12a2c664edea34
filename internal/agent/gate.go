package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ikigai"
)

// round is the calls of one reply on their way through the gate.
type round struct {
	calls []gatedCall
	limit bool // the turn limit is reached: the last result says so
}

// gatedCall is a call with what the gate found: a tool and its input, or the
// result that refuses it.
type gatedCall struct {
	ikigai.ToolCall
	tool    *ikigai.Tool
	args    json.RawMessage // as Check returned them
	refusal *ikigai.Result
	denied  bool            // by the person, or for want of one
	ctx     context.Context // of this call; the person can stop it alone
}

// overlaps reports whether the call may run beside others.
func (c gatedCall) overlaps() bool { return c.refusal != nil || c.tool.ReadOnly }

// Approval is a call that may change something and waits for leave to run.
type Approval struct {
	Call    ikigai.ToolCall
	Tool    ikigai.Tool
	Args    json.RawMessage // what the tool would run with, as its Check returned it
	Summary string          // the call as people read it, in one line
	For     string          // whose call it is: a task's; "" for the conversation's own
}

// Verdict is what is said about such a call.
type Verdict struct {
	Allowed bool
	Unasked bool // calls are allowed without asking: there is nothing to record
	// Reason is who allowed it or, which the model is told, why it is denied, without
	// a full stop.
	Reason string
	// Planned is a denial that the person counts on: it is none in the Outcome.
	Planned bool
}

// admit is the first half of the gate. It judges every call of a reply before
// any tool runs: is a call allowed at this point, is it whole, is there such a
// tool, does its input fit, is the call where a crash cannot lose it.
func (a *Agent) admit(ctx context.Context, r *reply, choice ikigai.ToolChoice, durability ikigai.Durability) *round {
	calls := make([]gatedCall, len(r.calls))
	for i, call := range r.toolCalls() {
		c := gatedCall{ToolCall: call}
		switch {
		case choice.Mode == ikigai.ToolChoiceNone:
			c.refuse(ikigai.CodeDenied, "Tools are switched off for this turn", "Answer with what you have")
		case r.stop == ikigai.StopFilter:
			c.refuse(ikigai.CodeInvalidParams, "The call was cut off by the vendor's content filter and was not run",
				"Try another way")
		case r.stop == ikigai.StopLength:
			c.refuse(ikigai.CodeInvalidParams, "The call was cut off at the limit of the output and was not run",
				"Send it again in smaller pieces")
		default:
			a.checkInput(&c)
		}
		if c.refusal == nil && durability == ikigai.Volatile && !c.tool.ReadOnly && !a.allowsVolatile(ctx) {
			c.refuse(ikigai.CodeDenied, "The call was not run because it cannot be recorded on any disk",
				"Use tools that only read, or tell the person")
		}
		calls[i] = c
	}
	return &round{calls: calls}
}

// checkInput finds the tool and validates the input.
func (a *Agent) checkInput(c *gatedCall) {
	c.tool = a.tool(c.Name)
	if c.tool == nil {
		c.refuse(ikigai.CodeToolNotFound, "No tool is named "+quote(c.Name), "Use one of: "+a.toolNames())
		return
	}
	defer func() {
		if v := recover(); v != nil {
			c.refuse(ikigai.CodeToolCrashed, fmt.Sprintf("The tool %s broke while it looked at the input: %v", c.Name, v),
				"Try another way, and report this as a fault of the tool")
		}
	}()
	args, err := c.tool.Check(json.RawMessage(c.Arguments))
	if err != nil {
		what, do := err.Error(), "Correct the input and call the tool again"
		var e *ikigai.Error
		if errors.As(err, &e) {
			what, do = e.What, e.Do
		}
		c.refuse(ikigai.CodeInvalidParams, what, do)
		return
	}
	c.args = args
}

// permit is the second half of the gate, just before a tool runs: has the
// person stopped the turn, and do they agree.
func (a *Agent) permit(ctx context.Context, c *gatedCall) {
	switch {
	case c.refusal != nil:
	case ctx.Err() != nil:
		c.refuse(ikigai.CodeCancelled, "The person stopped the turn before this call was run", "Wait for what they say")
		c.refusal.Report = "not run: the turn was stopped"
	case c.stopped():
		c.refuseStopped()
	case a.Approve != nil && !c.tool.ReadOnly:
		v := a.Approve(c.ctx, Approval{
			Call: c.ToolCall, Tool: *c.tool, Args: c.args, Summary: describeCall(c.ToolCall, c.tool),
		})
		if v.Allowed && v.Unasked {
			return
		}
		a.Recorder.Queue(ikigai.NewEvent(ikigai.KindApproval, describeApproval(c.Name, v),
			ikigai.ApprovalData{CallID: c.ID, Name: c.Name, Allowed: v.Allowed, Reason: v.Reason}))
		switch {
		case v.Allowed:
		case c.stopped(): // while they were asked
			c.refuseStopped()
		default:
			c.refuse(ikigai.CodeDenied, "The call was denied: "+v.Reason, "Go on without it, or ask the person")
			c.denied = !v.Planned
		}
	}
}

func (c *gatedCall) refuseStopped() {
	c.refuse(ikigai.CodeCancelled, "The person stopped this call before it was run", "Go on without it, or ask them")
	c.refusal.Report = "not run: the call was stopped"
}

func (c *gatedCall) refuse(code ikigai.ToolCode, what, do string) {
	result := ikigai.Failure(code, what, do)
	c.refusal = &result
}

func describeApproval(name string, v Verdict) string {
	if v.Allowed {
		return name + " was allowed"
	}
	return name + " was denied: " + v.Reason
}

// tool returns the tool of that name, or nil.
func (a *Agent) tool(name string) *ikigai.Tool {
	for i := range a.Tools {
		if a.Tools[i].Name == name {
			return &a.Tools[i]
		}
	}
	return nil
}

func (a *Agent) toolNames() string {
	names := make([]string, len(a.Tools))
	for i, t := range a.Tools {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}
