package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/delegate"
	"ikigai/internal/history"
)

// handed is a task as the model is told of it.
type handed struct {
	Title, Error, Interaction string
	Answer                    any
	Turns                     int
}

// handedOver returns what the main model was told of the tasks of its first call.
func handedOver(t *testing.T, events []ikigai.Event) (tasks []handed, failed bool) {
	t.Helper()
	for _, e := range of(ikigai.KindToolResult, events) {
		if e.Interaction != ikigai.Main {
			continue
		}
		var d ikigai.ToolResultData
		must(t, e.DecodeData(&d))
		var out struct{ Tasks []handed }
		must(t, json.Unmarshal([]byte(d.Output), &out))
		return out.Tasks, !d.Success
	}
	t.Fatal("nothing was handed over")
	return nil, false
}

// in returns the events of an interaction.
func in(interaction string, events []ikigai.Event) []ikigai.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e ikigai.Event) bool { return e.Interaction != interaction })
}

// A task is worked on in an interaction of its own: all of it is in the log, and
// the main conversation has its answer alone. S3.28, S3.29: what is handed over is
// in the log, with its origin, and not in the main history. S4.24: its tools count
// for it alone. S4.29: objectives of tasks that run at once do not mix.
func TestDelegate(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: Do both
call: delegate_tasks {"tasks": [
  {"title": "Read the notes", "instructions": "Say what they hold.", "resources": ["notes"]},
  {"title": "Count the lines", "instructions": "Count.", "capabilities": ["bash"],
    "schema": {"type": "object", "properties": {"lines": {"type": "integer"}}, "required": ["lines"]}}]}
reply:
say: Both are done.

user: And now?
say: Nothing more.

side: task /Read the notes/
call: bash {"command": "echo SECRET-of-the-first"}
call: file_read {"path": "missing"}
reply:
expect-feedback: Current Objective: Read the notes
say: They hold nothing.

side: task /Count the lines/
call: bash {"command": "echo SECRET-of-the-second"}
reply:
expect-feedback: Current Objective: Count the lines
say: {"lines": "many"}

side: task /does not have the form/
say: {"lines": 3}
`)
	c := p.run(exitAnswered, "run", "Do both")
	if got := c.out.String(); got != "Both are done.\n" {
		t.Errorf("got %q", got)
	}
	p.run(exitAnswered, "run", "--continue", "And now?")
	p.allAccepted()
	if body := p.body(); strings.Contains(body, "SECRET") || !strings.Contains(body, "They hold nothing.") {
		t.Errorf("the main model is sent %s", body)
	}
	events := p.log()
	tasks, failed := handedOver(t, events)
	want := []handed{
		{Title: "Read the notes", Answer: "They hold nothing.", Turns: 1},
		{Title: "Count the lines", Answer: map[string]any{"lines": 3.0}, Turns: 1},
	}
	if failed || len(tasks) != 2 {
		t.Fatalf("got %+v", tasks)
	}
	used := []string{"bash(1: 1✓ 0✗), file_read(1: 0✓ 1✗)", "bash(1: 1✓ 0✗)"}
	for i, task := range tasks {
		own := in(task.Interaction, events)
		want[i].Interaction = task.Interaction
		if fmt.Sprint(task) != fmt.Sprint(want[i]) {
			t.Errorf("got %+v, want %+v", task, want[i])
		}
		var d ikigai.InteractionData
		if must(t, own[0].DecodeData(&d)); own[0].Kind != ikigai.KindInteraction || d.Purpose != ikigai.PurposeTask || d.Parent != ikigai.Main || d.CallID == "" {
			t.Errorf("it begins with %s", asJSON(own[0]))
		}
		if n := strings.Count(asJSON(own), "SECRET-of-the"); n < 2 {
			t.Errorf("the log has %d words of it", n)
		}
		if told := of(ikigai.KindFeedback, own); len(told) != 1 || !strings.HasSuffix(told[0].Content, "Current Objective: "+task.Title+"\nTools Used: "+used[i]) {
			t.Errorf("it was told %q, with %s", asJSON(told), used[i])
		}
	}
	main := of(ikigai.KindFeedback, in(ikigai.Main, events))
	if len(main) != 1 || !strings.HasSuffix(main[0].Content, "Tools Used: delegate_tasks(1: 1✓ 0✗)") {
		t.Errorf("the main model was told %s", asJSON(main))
	}
	if asJSON(of(ikigai.KindTools, in(tasks[1].Interaction, events))[0].Content) != `"bash"` {
		t.Error("a task has tools that it was not given")
	}
}

// Each failure is its task's own, and says what to do.
func TestTasksFail(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: delegate_tasks {"tasks": [
  {"title": "unheard", "instructions": "x"},
  {"title": "endless", "instructions": "x", "max_turns": 2},
  {"title": "formless", "instructions": "x", "schema": {"type": "object", "required": ["n"]}},
  {"title": "dear", "instructions": "x", "budget": 1},
  {"title": "good", "instructions": "x"}]}
reply:
say: Done.

side: task /endless/
call: bash {"command": "true"}
reply:
call: bash {"command": "true"}
reply:
say: As far as I came.

side: task /formless/
say: no JSON

side: task /does not have the form/
say: none either

side: task /dear/
call: bash {"command": "true"}
reply:
say: Broke.

side: task /good/
say: Good.
`)
	p.run(exitAnswered, "run", "work")
	tasks, failed := handedOver(t, p.log())
	want := []struct {
		err    string
		answer any
	}{
		{"Hand it over again if that may help, or do it yourself.", nil},
		{"The limit of 2 tool turns was reached. See what the answer lacks,", "As far as I came."},
		{"The answer does not have the form that was asked for", "none either"},
		{"The budget of 1 tokens was spent.", "Broke."},
		{"", "Good."},
	}
	if failed || len(tasks) != len(want) {
		t.Fatalf("got %+v", tasks)
	}
	for i, w := range want {
		if got := tasks[i]; !strings.Contains(got.Error, w.err) || (got.Error == "") != (w.err == "") || got.Answer != w.answer {
			t.Errorf("got %+v, want %+v", got, w)
		}
	}
}

// What cannot be done is said before anything runs, and tasks hand over tasks only
// as deep as they may.
func TestTasksAreBounded(t *testing.T) {
	t.Parallel()
	script := `
user: work
call: delegate_tasks {"tasks": [{"title": "outer", "instructions": "x", "capabilities": [%s]}]}
reply:
say: {{result}}

side: task /outer/
call: delegate_tasks {"tasks": [{"title": "inner", "instructions": "x"}]}
reply:
say: I handed it over if I could.

side: task /inner/
call: delegate_tasks {"tasks": [{"title": "innermost", "instructions": "x"}]}
reply:
say: I could not.
`
	cases := []struct {
		name, depth, capabilities, want string
		parents                         []string // titles of those that have handed over
	}{
		{"a tool that is none", "1", `"magic"`, `capabilities: no tool for tasks is named \"magic\". Use some of: glob, file_read, grep, file_write, bash, file_edit, job_output, job_stop, web_fetch.`, nil},
		{"too deep", "1", `"delegate_tasks"`, `capabilities: no tool for tasks is named \"delegate_tasks\"`, nil},
		{"one level", "1", `"bash"`, "I handed it over if I could.", []string{"work"}},
		{"two levels", "2", `"delegate_tasks"`, "I handed it over if I could.", []string{"work", "outer"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, fmt.Sprintf(script, c.capabilities))
			out := p.with([]string{"IKIGAI_TASKS_DEPTH=" + c.depth}, "", exitAnswered, "run", "work").out.String()
			if !strings.Contains(out, c.want) {
				t.Errorf("got %s", out)
			}
			titles, parents := map[string]string{ikigai.Main: "work"}, []string(nil)
			for _, e := range of(ikigai.KindInteraction, p.log()) {
				var d ikigai.InteractionData
				must(t, e.DecodeData(&d))
				titles[e.Interaction], parents = e.Content, append(parents, titles[d.Parent])
			}
			if !slices.Equal(parents, c.parents) {
				t.Errorf("tasks of %q, want %q", parents, c.parents)
			}
		})
	}
	t.Run("none at all", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t, "user: hi\nsay: Hello.\n")
		p.with([]string{"IKIGAI_TASKS_MAX=0"}, "", exitAnswered, "run", "hi")
		if strings.Contains(p.body(), delegate.Name) {
			t.Error("the tool is there")
		}
	})
	t.Run("in a statement", func(t *testing.T) {
		t.Parallel()
		var all tasks
		must(t, all.take(mostTasks-1))
		if all.take(2) == nil {
			t.Error("there are more than there may be")
		}
		all.Add(ikigai.NewEvent(ikigai.KindUser, "more", nil))
		must(t, all.take(2))
	})
}

// Tasks that run at once do not write over what others of them wrote without
// having seen it, and all of it can be undone. P18, P19
func TestTasksShareFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: file_read {"path": "shared"}
reply:
call: delegate_tasks {"tasks": [
  {"title": "has read it", "instructions": "x"},
  {"title": "has not read it", "instructions": "x"},
  {"title": "writes first", "instructions": "x"}]}
reply:
say: Done.

side: task /has read it/
call: file_read {"path": "shared"}
reply:
call: bash {"command": "touch read; until test -e written; do sleep 0.01; done"}
reply:
call: file_edit {"path": "shared", "edits": [{"old": "one", "new": "two", "replace_all": true}]}
call: file_write {"path": "shared", "content": "two"}
reply:
say: {{result[3]}} {{result[4]}}

side: task /has not read it/
call: bash {"command": "until test -e written; do sleep 0.01; done"}
reply:
call: file_write {"path": "shared", "content": "three"}
call: file_edit {"path": "shared", "edits": [{"old": "first", "new": "three", "replace_all": true}]}
call: file_read {"path": "shared"}
call: file_edit {"path": "shared", "edits": [{"old": "first", "new": "third"}]}
reply:
say: {{result[2]}} {{result[3]}}

side: task /writes first/
call: bash {"command": "until test -e read; do sleep 0.01; done"}
reply:
call: file_write {"path": "shared", "content": "the first one"}
call: bash {"command": "touch written"}
reply:
say: Written.
`)
	p.put(p.file("shared"), "one")
	ran := p.run(exitAnswered, "run", "work")
	p.allAccepted()
	tasks, _ := handedOver(t, slices.DeleteFunc(p.log(), func(e ikigai.Event) bool {
		return e.Kind == ikigai.KindToolResult && strings.Contains(string(e.Data), `"name":"file_read"`)
	}))
	for _, task := range tasks[:2] {
		if n := strings.Count(fmt.Sprint(task.Answer), "STALE_FILE"); n != 2 {
			t.Errorf("%s: %v", task.Title, task.Answer)
		}
	}
	if got := p.lines("shared"); strings.Join(got, " ") != "the third one" {
		t.Errorf("the file holds %q", got)
	}
	p.run(exitAnswered, "undo")
	if got := p.lines("shared"); strings.Join(got, " ") != "one" {
		t.Errorf("the file holds %q", got)
	}
	if strings.Contains(ran.err.String(), "What commands change now cannot be undone") {
		t.Log("the machine is so busy that commands were not watched, as the program has said")
		return
	}
	for _, name := range []string{"read", "written"} {
		if _, err := os.Stat(p.file(name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}

// Who stops the turn stops all tasks at once, and the session goes on.
func TestStopTasks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: delegate_tasks {"tasks": [
  {"title": "runs", "instructions": "x"},
  {"title": "hangs", "instructions": "x"}]}
reply:
say: Never.

side: task /runs/
call: bash {"command": "exec 9>gate; echo there >&9; sleep 1000"}

side: task /hangs/
say: Never.
fault: hang
`+goOn)
	g := p.gate("gate")
	c := p.start("run", "work")
	g.awaits("there")
	c.signal(syscall.SIGINT)
	c.ends(exitInterrupted)
	events := p.log()
	p.stopped(events)
	if lost := callsWithoutResult(events); len(lost) > 0 {
		t.Errorf("calls have no result: %q", lost)
	}
	tasks, failed := handedOver(t, events)
	for _, task := range tasks {
		if !failed || task.Error != "The person stopped the turn before the task was done. Wait for what they say." {
			t.Errorf("got %+v", task)
		}
		own := in(task.Interaction, events)
		p.stopped(own)
	}
	p.survives(c)
}

// A call that a task was not allowed is its failure, and the program's exit code
// tells. P37
func TestDeniedTask(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: delegate_tasks {"tasks": [{"title": "writes", "instructions": "x"}]}
reply:
expect: 1 call of the task denied
say: It was not allowed.

side: task /writes/
call: file_write {"path": "a", "content": "x"}
reply:
say: I was not allowed.
`)
	c := p.run(exitDenied, "run", "--approval", "deny", "work")
	c.tells(1, "1 call denied.")
	p.allAccepted()
	tasks, failed := handedOver(t, p.log())
	if !failed || tasks[0].Answer != "I was not allowed." {
		t.Errorf("got %+v", tasks)
	}
}

// The person is asked one question at a time, and told whose it is.
func TestTasksAsk(t *testing.T) {
	t.Parallel()
	var asked []string
	var asking sync.Mutex
	main := &agent.Agent{Approve: asksOnly(func(_ context.Context, q inquiry) consent {
		if !asking.TryLock() {
			t.Error("two questions at once")
			return consent{}
		}
		defer asking.Unlock()
		asked = append(asked, q.Summary+" for "+q.For)
		return consent{allowed: q.Summary[0] == 'y'}
	}).judge}
	if v := main.Approve(t.Context(), agent.Approval{Tool: delegate.New(delegate.Config{})}); !v.Allowed || asked != nil {
		t.Error("the person is asked about handing over")
	}
	h := &handing{opening: &opening{}, agent: main}
	var wg sync.WaitGroup
	for i := range 20 {
		ask := h.approver(fmt.Sprint("task ", i))
		wg.Go(func() { ask(t.Context(), agent.Approval{Summary: []string{"yes", "no"}[i%2]}) })
	}
	wg.Wait()
	slices.Sort(asked)
	if len(asked) != 20 || asked[0] != `no for the task "task 1"` || h.tasks.deniedCalls() != 10 {
		t.Errorf("asked %q, %d denied", asked, h.tasks.deniedCalls())
	}
}

// Once the turn is stopped, nobody is asked any more, and nothing was denied by
// the person.
func TestTasksAskNoMore(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	asked := 0
	h := &handing{opening: &opening{}, agent: &agent.Agent{Approve: asksOnly(func(context.Context, inquiry) consent {
		asked++
		stop()
		return consent{}
	}).judge}}
	for range 3 {
		if v := h.approver("a")(ctx, agent.Approval{}); v.Allowed || v.Reason != "the person stopped the turn" {
			t.Errorf("allowed %v: %s", v.Allowed, v.Reason)
		}
	}
	if asked != 1 || h.tasks.deniedCalls() != 0 {
		t.Errorf("asked %d times, %d calls denied", asked, h.tasks.deniedCalls())
	}
}

// A file that another task has changed since a task was begun is not as that may
// believe; one that was changed before is.
func TestKnownToTasks(t *testing.T) {
	var all tasks
	seq := ikigai.Seq(0)
	add := func(kind ikigai.Kind, interaction, content string) {
		seq++
		all.Add(ikigai.Event{Kind: kind, Interaction: interaction, Content: content, Seq: seq})
	}
	add(ikigai.KindUser, ikigai.Main, "work")
	add(ikigai.KindChange, ikigai.Main, "/before")
	add(ikigai.KindInteraction, "task-3", "")
	add(ikigai.KindChange, "task-3", "/own")
	add(ikigai.KindChange, "task-1", "/other")
	known := all.known("task-3", history.NewFiles("task-3"))
	for path, want := range map[string]bool{"/before": false, "/own": false, "/other": true, "/none": false} {
		if _, got := known(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// Long answers share what the model is sent of a result; each is whole in a file for
// its owner alone.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, `
user: work
call: delegate_tasks {"tasks": [{"title": "one", "instructions": "x"}, {"title": "two", "instructions": "x"}]}
reply:
say: {{result}}

side: task /one/
say: {{fill 9000}}

side: task /two/
say: {{fill 9000}}
`)
	c := p.run(exitAnswered, "run", "--set", "max_output_size=8192", "work")
	files := regexp.MustCompile(`all of it is in (\S+), read on`).FindAllStringSubmatch(c.out.String(), -1)
	if len(files) != 2 || len(c.out.String()) > 8193 {
		t.Fatalf("the model is sent %d bytes: %s", len(c.out.String()), c.out)
	}
	for _, f := range files {
		if info, err := os.Stat(f[1]); err != nil || info.Size() != 9000 || info.Mode() != 0o600 {
			t.Errorf("%s: %v", f[1], err)
		}
	}
}
