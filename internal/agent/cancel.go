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
// tool says of it, with their words for why it failed.
func stoppedResult(ran ikigai.Result) ikigai.Result {
	stopped := ikigai.Failure(ikigai.CodeCancelled, "The person stopped this call", "Go on without it, or ask them")
	if len(ran.Output) == 0 || ran.Output[0].Type != ikigai.PartText {
		return stopped
	}
	said := json.NewDecoder(strings.NewReader(ran.Output[0].Text))
	var of struct {
		Code ikigai.ToolCode `json:"error_code"`
	}
	if json.Unmarshal([]byte(ran.Output[0].Text), &of) != nil || of.Code != ikigai.CodeCancelled {
		return stopped
	}
	_, _ = said.Token() // the brace
	if name, _ := said.Token(); name != "error" {
		return stopped
	}
	_, _ = said.Token() // why, in the words of the tool
	why := strings.TrimSuffix(stopped.Output[0].Text, `,"error_code":"CANCELLED"}`)
	ran.Output[0].Text = why + ran.Output[0].Text[said.InputOffset():]
	return ran
}
