package agent

import (
	"context"
	"sync"
)

// answerOnce is the answer to a question that is asked once in a statement.
type answerOnce struct {
	mu       sync.Mutex
	answered bool
	yes      bool
}

// forget has the question asked again.
func (o *answerOnce) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answered = false
}

// allowsVolatile reports whether calls may run that no disk takes. Who asks while
// the person is being asked waits for their answer.
func (a *Agent) allowsVolatile(ctx context.Context) bool {
	if a.AllowVolatile == nil {
		return false
	}
	o := &a.volatile
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.answered {
		o.yes, o.answered = a.AllowVolatile(ctx), ctx.Err() == nil
	}
	return o.yes
}
