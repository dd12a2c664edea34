package delegate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ikigai"
)

// Task is what is handed over.
type Task struct {
	Title        string
	Instructions string
	Background   string
	Resources    []string        // paths and URLs that it is about
	Capabilities []string        // names of the tools that it may use; nil for all that can be had
	Schema       json.RawMessage // JSON Schema of the answer; nil leaves its form free
	MaxTurns     int             // rounds of tools; 0 for the usual limit
	Budget       int64           // tokens; 0 for no limit
}

// Text returns the task as it is put to whoever works on it. It begins with the
// title.
func (t Task) Text() string {
	var b strings.Builder
	b.WriteString(t.Title + "\n\n" + t.Instructions)
	if t.Background != "" {
		b.WriteString("\n\nBackground:\n" + t.Background)
	}
	if len(t.Resources) > 0 {
		b.WriteString("\n\nResources:\n- " + strings.Join(t.Resources, "\n- "))
	}
	return b.String()
}

const fullSchema = `{"type":"object","properties":{"tasks":{"type":"array","minItems":1,"items":{"type":"object","properties":{` +
	`"title":{"type":"string","minLength":1,"maxLength":200},` +
	`"instructions":{"type":"string","minLength":1},` +
	`"background":{"type":"string"},` +
	`"resources":{"type":"array","items":{"type":"string"}},` +
	`"capabilities":{"type":"array","items":{"type":"string"}},` +
	`"schema":{"type":"object"},` +
	`"max_turns":{"type":"integer","minimum":1},` +
	`"budget":{"type":"integer","minimum":1}},` +
	`"required":["title","instructions"],"additionalProperties":false}},` +
	`"parallel":{"type":"boolean"}},"required":["tasks"],"additionalProperties":false}`

// input is the input of the tool.
type input struct {
	Tasks    []Task
	Parallel *bool
}

func (in input) parallel() bool { return in.Parallel == nil || *in.Parallel }

// UnmarshalJSON reads a task. Numbers may have any form that JSON has for them.
func (t *Task) UnmarshalJSON(raw []byte) error {
	var d struct {
		Title, Instructions, Background string
		Resources, Capabilities         []string
		Schema                          json.RawMessage
		MaxTurns                        float64 `json:"max_turns"`
		Budget                          float64
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	const most = 1 << 52
	*t = Task{d.Title, d.Instructions, d.Background, d.Resources, d.Capabilities, d.Schema, int(min(d.MaxTurns, most)), int64(min(d.Budget, most))}
	return nil
}

// read returns the tasks of a call that can all be done. The error is an
// *ikigai.Error.
func (c Config) read(args json.RawMessage) (input, error) {
	var in input
	if err := json.Unmarshal(args, &in); err != nil {
		return in, refused("Invalid arguments: "+err.Error(), "Send one JSON object that fits the parameters")
	}
	if n := len(in.Tasks); n > c.Max {
		return in, refused(fmt.Sprintf("%d tasks are more than the %d that one call may have", n, c.Max), "Hand over the most important ones first")
	}
	for _, t := range in.Tasks {
		if c.Check == nil {
			continue
		}
		if err := c.Check(t); err != nil {
			what, do := told(err)
			return in, refused(fmt.Sprintf("The task %q cannot be done: %s", t.Title, what), do)
		}
	}
	return in, nil
}

func refused(what, do string) error {
	return &ikigai.Error{Kind: ikigai.ErrorBadRequest, What: what, Do: do}
}

// told returns what an error says, in two sentences without their full stops.
func told(err error) (what, do string) {
	var e *ikigai.Error
	if errors.As(err, &e) {
		return e.What, e.Do
	}
	return strings.TrimRight(err.Error(), "."), "Do it yourself, or leave it"
}
