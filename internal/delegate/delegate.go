// Package delegate is the tool with which a model hands tasks to others: child
// interactions with a history, tools and limits of their own, of which it gets
// the answers alone.
//
// The tool checks what is asked for, keeps within bounds, and puts the answers
// together. How a child comes about and works is not its business.
package delegate

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/schema"
)

// Name is the name of the tool.
const Name = "delegate_tasks"

// Config is what bounds the tool, and what it works with.
type Config struct {
	Max         int // tasks in one call
	Concurrency int // tasks that run at once

	// Check says what of a task cannot be done, with an *ikigai.Error. It is
	// asked about all tasks of a call before anything runs, and may be nil.
	Check func(Task) error
	// Take counts n more tasks against what a statement may have. Its error, an
	// *ikigai.Error, says that there are too many. It may be nil.
	Take func(n int) error
	// Begin begins a task, in the order of the tasks, and returns what takes it to
	// its answer. That returns soon after ctx ends. With an error, an *ikigai.Error,
	// comes what there is of the answer.
	Begin func(callID string, t Task) func(ctx context.Context) (Answer, error)

	// Room returns how many bytes of a result the model is sent, 0 for no limit. It
	// may be nil.
	Room func() int
	// Keep writes an answer that is shown in part to a file that the model can read,
	// and returns its path, "" if it could not. It may be nil.
	Keep func(answer string) (path string)
}

// Answer is what came of a task.
type Answer struct {
	Text        string // JSON if the task has a Schema
	Turns       int    // rounds of tools
	Interaction string // in which the task was worked on; "" if it came to none
}

//go:embed delegate_tasks.md
var description string

// wireSchema is what models are sent, with every request: the names say what is
// meant, and fullSchema, which input is held to, says what is wrong.
const wireSchema = `{"type":"object","properties":{"tasks":{"type":"array","items":{"type":"object","properties":{` +
	`"title":{"type":"string"},"instructions":{"type":"string"},"background":{},"resources":{},"capabilities":{},` +
	`"schema":{},"max_turns":{},"budget":{}},"required":["title","instructions"]}},"parallel":{}},"required":["tasks"]}`

// New returns the tool.
//
// It Announces, for it changes nothing by itself: what its tasks change is
// announced, or found, and asked about with their own calls. It is not ReadOnly,
// because nothing should run beside what may change anything.
func New(c Config) ikigai.Tool {
	check := schema.Checker(json.RawMessage(fullSchema))
	return ikigai.Tool{
		ToolSpec: ikigai.ToolSpec{
			Name: Name, Description: strings.TrimSpace(description), Schema: json.RawMessage(wireSchema),
			Usage: "When parts of the work can be done apart from each other, or would fill the conversation.",
		},
		Announces: true,
		Check: func(args json.RawMessage) (json.RawMessage, error) {
			args, err := check(args)
			if err != nil {
				return nil, err
			}
			_, err = c.read(args)
			return args, err
		},
		Run: func(ctx context.Context, call ikigai.Call) ikigai.Result {
			in, err := c.read(call.Args)
			if err == nil && c.Take != nil {
				err = c.Take(len(in.Tasks))
			}
			if err != nil {
				what, do := told(err)
				return ikigai.Failure(ikigai.CodeInvalidParams, what, do)
			}
			return c.result(ctx, in.Tasks, c.runAll(ctx, call.ID, in))
		},
	}
}

// outcome is how a task ended.
type outcome struct {
	Answer
	err error
}

// runAll takes all tasks to their ends, as many at once as may be, and begins
// them in order.
func (c Config) runAll(ctx context.Context, callID string, in input) []outcome {
	ends := make([]outcome, len(in.Tasks))
	atOnce := c.Concurrency
	if !in.parallel() {
		atOnce = 1
	}
	slots := make(chan struct{}, max(atOnce, 1))
	var wg sync.WaitGroup
	for i, t := range in.Tasks {
		slots <- struct{}{}
		if ctx.Err() != nil {
			ends[i].err = &ikigai.Error{Kind: ikigai.ErrorCancelled, What: "The person stopped the turn before this task was begun"}
			<-slots
			continue
		}
		run := c.begin(callID, t)
		wg.Go(func() {
			defer func() { <-slots }()
			defer crash.Guard()
			ends[i] = toEnd(ctx, run)
		})
	}
	wg.Wait()
	return ends
}

// begin is Begin. A panic is the failure of the task alone: those that were begun
// before it go on and are waited for.
func (c Config) begin(callID string, t Task) (run func(context.Context) (Answer, error)) {
	defer func() {
		if v := recover(); v != nil {
			run = func(context.Context) (Answer, error) { return Answer{}, broken(v) }
		}
	}()
	return c.Begin(callID, t)
}

// toEnd takes a task to its end. A panic is its own failure.
func toEnd(ctx context.Context, run func(context.Context) (Answer, error)) (end outcome) {
	defer func() {
		if v := recover(); v != nil {
			end.err = broken(v)
		}
	}()
	end.Answer, end.err = run(ctx)
	return end
}

// broken is the error of a task that ended with a panic.
func broken(v any) error {
	return &ikigai.Error{Kind: ikigai.ErrorInternal, What: fmt.Sprintf("The task broke: %v", v),
		Do: "Do it yourself, and report this as a fault of the program"}
}
