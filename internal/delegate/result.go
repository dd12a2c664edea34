package delegate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// maxAnswers bounds all answers of a call together, in bytes. Each may have its
// share of it.
const maxAnswers = 128 << 10

// report is what the model is told of a task.
type report struct {
	Title       string          `json:"title"`
	Answer      json.RawMessage `json:"answer,omitempty"`
	Cut         string          `json:"cut,omitempty"`
	Error       string          `json:"error,omitempty"`
	Turns       int             `json:"turns"`
	Interaction string          `json:"interaction,omitempty"`
}

// result puts together what came of the tasks, in their order.
func (c Config) result(ctx context.Context, tasks []Task, ends []outcome) ikigai.Result {
	out := struct {
		Error string          `json:"error,omitempty"`
		Code  ikigai.ToolCode `json:"error_code,omitempty"`
		Tasks []report        `json:"tasks"`
	}{Tasks: make([]report, len(tasks))}
	failed := 0
	for i, end := range ends {
		out.Tasks[i] = reportOf(tasks[i], end, maxAnswers/len(tasks))
		if end.err != nil {
			failed++
		}
	}
	switch {
	case ctx.Err() != nil:
		out.Error, out.Code = "The person stopped the turn. Wait for what they say.", ikigai.CodeCancelled
	case failed == len(tasks):
		out.Error, out.Code = "No task was done. Each says why and what to do.", codeFailed
	}
	return ikigai.Result{
		Output: ikigai.JSONOutput(out), Failed: out.Error != "",
		Report: fmt.Sprintf("%d of %s done", len(tasks)-failed, counted(len(tasks))),
	}
}

// codeFailed is the code of a call of which no task was done.
const codeFailed ikigai.ToolCode = "TASKS_FAILED"

func counted(n int) string {
	if n == 1 {
		return "1 task"
	}
	return fmt.Sprintf("%d tasks", n)
}

// reportOf returns what the model is told of a task, with an answer of at most
// size bytes.
func reportOf(t Task, end outcome, size int) report {
	r := report{Title: t.Title, Turns: end.Turns, Interaction: end.Interaction}
	if end.err != nil {
		what, do := told(end.err)
		r.Error = (&ikigai.Error{What: what, Do: do}).Error()
	}
	text := ikigai.CleanText(end.Text)
	switch {
	case end.err == nil && t.Schema != nil && json.Valid([]byte(text)) && len(text) <= size:
		r.Answer = json.RawMessage(text)
	case text != "" || end.err == nil:
		shown := beginning(text, size)
		if len(shown) < len(text) {
			r.Cut = fmt.Sprintf("%d of %d bytes are shown; the log has all of it", len(shown), len(text))
		}
		r.Answer = quoted(shown)
	}
	return r
}

// beginning returns the first size bytes of s, without a split character.
func beginning(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// quoted returns s as JSON, without the escapes for HTML.
func quoted(s string) json.RawMessage {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}
