package cli

import (
	"context"
	"fmt"
	"sync"

	"ikigai"
	"ikigai/internal/history"
)

// mostTasks is how many tasks a statement may have, whoever hands them over.
const mostTasks = 100

// tasks is what the tasks of a session share. It is a projection of the session.
type tasks struct {
	writing sync.Mutex // held by a tool that announces changes

	mu     sync.Mutex
	taken  int                   // in this statement
	denied int                   // calls, in this statement
	begun  map[string]ikigai.Seq // interactions of this statement
	left   map[string]leaving    // by path: who changed a file last in this statement
}

// leaving is the event after which a file was as an interaction left it.
type leaving struct {
	interaction string
	seq         ikigai.Seq
}

// Add takes in the session's next event.
func (t *tasks) Add(e ikigai.Event) {
	switch {
	case e.IsStatement():
		t.mu.Lock()
		defer t.mu.Unlock()
		t.taken, t.denied, t.begun, t.left = 0, 0, map[string]ikigai.Seq{}, map[string]leaving{}
	case e.Kind == ikigai.KindInteraction:
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.begun != nil {
			t.begun[e.Interaction] = e.Seq
		}
	case e.Kind == ikigai.KindChange:
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.left != nil {
			t.left[e.Content] = leaving{e.Interaction, e.Seq}
		}
	}
}

// take counts n more tasks of the statement.
func (t *tasks) take(n int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken+n > mostTasks {
		return &ikigai.Error{Kind: ikigai.ErrorUsage,
			What: fmt.Sprintf("A statement may have %d tasks, and %d were handed over already", mostTasks, t.taken), Do: "Do it yourself"}
	}
	t.taken += n
	return nil
}

// deny counts a call of a task that was denied.
func (t *tasks) deny() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.denied++
}

// deniedCalls returns how many calls of the tasks of the statement were denied.
func (t *tasks) deniedCalls() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.denied
}

// changedByOther is the hash of no content: whoever knows it of a file has seen the
// file as it was before another task changed it, or not at all.
const changedByOther = "changed by another task"

// known returns what tells the tools of a task what it knows of files. Of a file
// that another has changed since the task was begun, and that it has not read, it
// knows that it is not as it may believe.
func (t *tasks) known(interaction string, files *history.Files) func(path string) (string, bool) {
	return func(path string) (string, bool) {
		if hash, ok := files.Known(path); ok {
			return hash, true
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		last, ok := t.left[path]
		if !ok || last.interaction == interaction || last.seq < t.begun[interaction] {
			return "", false
		}
		return changedByOther, true
	}
}

// alone returns a tool that, if it announces changes, runs while no such tool of
// another task does: what it looks at stays so until it is changed.
func (t *tasks) alone(tool ikigai.Tool) ikigai.Tool {
	if !tool.Announces || isDelegate(tool) {
		return tool
	}
	run := tool.Run
	tool.Run = func(ctx context.Context, call ikigai.Call) ikigai.Result {
		t.writing.Lock()
		defer t.writing.Unlock()
		return run(ctx, call)
	}
	return tool
}
