package agent

import (
	"context"

	"ikigai"
)

// Do runs a call of the person's own as those of a model are run: it is durable
// before it runs, what it changes is found, and its result is recorded. No model is
// asked. The error is that the session takes no more events; a tool that fails, or
// that is stopped because ctx ends, says so in its result.
func (a *Agent) Do(ctx context.Context, call ikigai.ToolCall) error {
	defer a.settle(ctx)
	if a.Watcher != nil {
		a.Watcher.Begin() // no request may have gone out yet
	}
	m := ikigai.Message{Kind: ikigai.KindToolCall, Content: describeCall(call, a.tool(call.Name)), Call: &call}
	if _, err := a.Recorder.Record(ctx, m.Event()); err != nil {
		return closed(err)
	}
	r := &round{calls: []gatedCall{{ToolCall: call}}}
	a.checkInput(&r.calls[0])
	a.stoppable(ctx, r.calls)
	if err := a.executeOne(ctx, r, 0); err != nil {
		return closed(err)
	}
	return nil
}
