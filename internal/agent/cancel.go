package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"ikigai"
)

// errCallStopped is the cause with which the context of a call ends that the
// person stops.
var errCallStopped = errors.New("the person stopped this call")

// stops has what stops each call of a round that has no result yet.
type stops struct {
	mu sync.Mutex
	of map[string]context.CancelCauseFunc
}

// Cancel stops one call of a round under way, whether it runs or is still to run,
// and nothing else: the turn goes on with a result that says so. It reports
// whether there was such a call. It may be called at any time, by any goroutine.
func (a *Agent) Cancel(callID string) bool {
	a.stops.mu.Lock()
	defer a.stops.mu.Unlock()
	stop := a.stops.of[callID]
	if stop == nil {
		return false
	}
	stop(errCallStopped)
	return true
}

// stoppable gives each call of a round a context of its own.
func (a *Agent) stoppable(ctx context.Context, calls []gatedCall) {
	a.stops.mu.Lock()
	defer a.stops.mu.Unlock()
	a.stops.of = make(map[string]context.CancelCauseFunc, len(calls))
	for i := range calls {
		calls[i].ctx, a.stops.of[calls[i].ID] = context.WithCancelCause(ctx)
	}
}

// done ends the context of a call that has its result.
func (a *Agent) done(callID string) {
	a.stops.mu.Lock()
	defer a.stops.mu.Unlock()
	a.stops.of[callID](nil)
	delete(a.stops.of, callID)
}

// stopped reports whether the person has stopped the call, and not the turn.
func (c *gatedCall) stopped() bool { return context.Cause(c.ctx) == errCallStopped }

// stoppedResult returns the result of a call that the person has stopped: what the
// tool has kept of it, with their wish for why it failed.
func stoppedResult(ran ikigai.Result) ikigai.Result {
	stopped := ikigai.Failure(ikigai.CodeCancelled, "The person stopped this call", "Go on without it, or ask them")
	stopped.Report = "stopped"
	var own, ours struct {
		Error json.RawMessage `json:"error"`
		Code  ikigai.ToolCode `json:"error_code"`
	}
	if len(ran.Output) == 0 || json.Unmarshal([]byte(ran.Output[0].Text), &own) != nil || own.Code != ikigai.CodeCancelled || own.Error == nil {
		return stopped
	}
	_ = json.Unmarshal([]byte(stopped.Output[0].Text), &ours) // it was just made
	member := func(why json.RawMessage) string { return `"error":` + string(why) + `,"error_code"` }
	ran.Output[0].Text = strings.Replace(ran.Output[0].Text, member(own.Error), member(ours.Error), 1)
	return ran
}
