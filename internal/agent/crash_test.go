package agent

import (
	"testing"
	"time"

	"ikigai"
	"ikigai/internal/crash"
)

// breaking is a conversation that breaks where it takes in what was sent.
type breaking struct{ everything }

func (breaking) Sent(string, ikigai.ToolChoice, ikigai.Sent) ikigai.Event {
	panic("a fault of the history")
}

// Where a goroutine of the agent breaks, the program is told, and the turn goes no
// further.
func TestGoroutineBreaks(t *testing.T) {
	met := make(chan any, 1)
	defer crash.Handle(func(v any) { met <- v })()
	a, l, m := newAgent(t, [][]any{says("done")})
	a.Model, a.History = telling{m}, breaking{everything{l}}
	ended := make(chan struct{})
	go func() { // it does not end with the test
		defer close(ended)
		_, _ = run(t, a)
	}()
	select {
	case v := <-met:
		if v != "a fault of the history" {
			t.Errorf("the handler was given %v", v)
		}
	case <-ended:
		t.Error("the turn ended as if nothing were broken")
	case <-time.After(30 * time.Second):
		t.Fatal("nobody was told")
	}
}
