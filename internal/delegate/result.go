package delegate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// maxAnswers bounds the result of a call, in bytes, wherever Room leaves more. Each
// answer may have its share of it.
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
	failed, answers := 0, 0
	for i, end := range ends {
		out.Tasks[i] = reportOf(tasks[i], end)
		answers += len(out.Tasks[i].Answer)
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
	c.fit(out.Tasks, ends, c.room()-(len(ikigai.JSONOutput(out)[0].Text)-answers))
	return ikigai.Result{
		Output: ikigai.JSONOutput(out), Failed: out.Error != "",
		Report: fmt.Sprintf("%d of %s done", len(tasks)-failed, counted(len(tasks))),
	}
}

// room returns how many bytes a result may have.
func (c Config) room() int {
	if c.Room != nil {
		if n := c.Room(); n > 0 {
			return min(n, maxAnswers)
		}
	}
	return maxAnswers
}

// codeFailed is the code of a call of which no task was done.
const codeFailed ikigai.ToolCode = "TASKS_FAILED"

func counted(n int) string {
	if n == 1 {
		return "1 task"
	}
	return fmt.Sprintf("%d tasks", n)
}

// reportOf returns what the model is told of a task, with all of the answer.
func reportOf(t Task, end outcome) report {
	r := report{Title: t.Title, Turns: end.Turns, Interaction: end.Interaction}
	if end.err != nil {
		what, do := told(end.err)
		r.Error = (&ikigai.Error{What: what, Do: do}).Error()
	}
	text := ikigai.CleanText(end.Text)
	switch {
	case end.err == nil && t.Schema != nil && json.Valid([]byte(text)):
		var b bytes.Buffer
		_ = json.Compact(&b, []byte(text)) // as it will be sent
		r.Answer = b.Bytes()
	case text != "" || end.err == nil:
		r.Answer = quoted(text)
	}
	return r
}

// fit cuts the answers that take more than their share of size bytes. What short
// ones leave is shared among the others.
func (c Config) fit(reports []report, ends []outcome, size int) {
	var bySize []int
	for i := range reports {
		if len(reports[i].Answer) > 0 {
			bySize = append(bySize, i)
		}
	}
	slices.SortStableFunc(bySize, func(i, j int) int { return len(reports[i].Answer) - len(reports[j].Answer) })
	for n, i := range bySize {
		share := max(size, 0) / (len(bySize) - n)
		used := len(reports[i].Answer)
		if used > share {
			used = c.cut(&reports[i], ikigai.CleanText(ends[i].Text), share)
		}
		size -= used
	}
}

// cut shows the beginning of an answer, and says where all of it is, in size bytes
// together if they are enough for that. It returns how many it took.
func (c Config) cut(r *report, text string, size int) int {
	file := ""
	if c.Keep != nil {
		file = c.Keep(text)
	}
	for n := size; ; {
		shown := beginning(text, n)
		r.Answer, r.Cut = quoted(shown), fmt.Sprintf("%d of %d bytes are shown", len(shown), len(text))
		if file != "" {
			r.Cut += fmt.Sprintf("; all of it is in %s, read on with file_read from offset %d", file, 1+strings.Count(shown, "\n"))
		}
		used := len(r.Answer) + len(`"cut":,`) + len(quoted(r.Cut))
		if used <= size || n == 0 {
			return used
		}
		n = max(n-(used-size+5)/6, 0) // a byte takes six at most
	}
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
