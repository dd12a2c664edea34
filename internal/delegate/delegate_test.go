package delegate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"ikigai"
)

// answers is a Config whose tasks end as works says of their titles.
func answers(works func(ctx context.Context, t Task) (Answer, error)) Config {
	return Config{Max: 100, Concurrency: 100, Begin: func(_ string, t Task) func(context.Context) (Answer, error) {
		return func(ctx context.Context) (Answer, error) { return works(ctx, t) }
	}}
}

// call returns the input of a call with tasks of these titles.
func call(titles ...string) string {
	var in struct {
		Tasks []map[string]string `json:"tasks"`
	}
	for _, title := range titles {
		in.Tasks = append(in.Tasks, map[string]string{"title": title, "instructions": "do " + title})
	}
	raw, _ := json.Marshal(in)
	return string(raw)
}

// output is what a model gets.
type output struct {
	Error string `json:"error"`
	Code  string `json:"error_code"`
	Tasks []struct {
		Title, Error, Cut, Interaction string
		Answer                         any
		Turns                          int
	} `json:"tasks"`
}

// run runs the tool on input that it must take.
func run(t *testing.T, ctx context.Context, c Config, input string) (ikigai.Result, output) {
	t.Helper()
	tool := New(c)
	args, err := tool.Check(json.RawMessage(input))
	if err != nil {
		t.Fatal(err)
	}
	r := tool.Run(ctx, ikigai.Call{ID: "call_1", Args: args})
	var out output
	if err := json.Unmarshal([]byte(r.Output[0].Text), &out); err != nil {
		t.Fatalf("%v: %s", err, r.Output[0].Text)
	}
	return r, out
}

// Every byte of a tool is paid for with every request.
func TestTakesLittleRoom(t *testing.T) {
	spec := New(Config{}).ToolSpec
	if n := len(spec.Name) + len(spec.Description) + len(spec.Schema); n > 450 {
		t.Errorf("the tool takes %d bytes", n)
	}
	var wire, full struct {
		Properties struct {
			Tasks struct {
				Items struct{ Properties map[string]any }
			}
		}
	}
	if err := errors.Join(json.Unmarshal(spec.Schema, &wire), json.Unmarshal([]byte(fullSchema), &full)); err != nil {
		t.Fatal(err)
	}
	for name := range full.Properties.Tasks.Items.Properties {
		if _, ok := wire.Properties.Tasks.Items.Properties[name]; !ok {
			t.Errorf("the model is not told of %s", name)
		}
	}
}

// What is wrong with any task is said before anything runs.
func TestCheck(t *testing.T) {
	c := Config{Max: 2, Check: func(t Task) error {
		if slices.Contains(t.Capabilities, "magic") {
			return &ikigai.Error{What: "No tool is named magic", Do: "Use bash"}
		}
		return nil
	}}
	cases := []struct{ name, input, wrong string }{
		{"good", `{"tasks":[{"title":"a","instructions":"b","max_turns":3.0,"budget":1e5}],"parallel":false}`, ""},
		{"none", `{"tasks":[]}`, "tasks"},
		{"too many", call("a", "b", "c"), "3 tasks are more than the 2 that one call may have"},
		{"no title", `{"tasks":[{"instructions":"b"}]}`, "title"},
		{"empty title", `{"tasks":[{"title":"","instructions":"b"}]}`, "title"},
		{"unknown parameter", `{"tasks":[{"title":"a","instructions":"b","model":"x"}]}`, "model"},
		{"a list that is none", `{"tasks":[{"title":"a","instructions":"b","resources":"x"}]}`, "resources"},
		{"no turns", `{"tasks":[{"title":"a","instructions":"b","max_turns":0}]}`, "max_turns"},
		{"unknown tool", `{"tasks":[{"title":"good","instructions":"b"},{"title":"a","instructions":"b","capabilities":["magic"]}]}`, `The task "a" cannot be done: No tool is named magic. Use bash.`},
	}
	for _, k := range cases {
		t.Run(k.name, func(t *testing.T) {
			_, err := New(c).Check(json.RawMessage(k.input))
			if k.wrong == "" && err != nil || k.wrong != "" && (err == nil || !strings.Contains(err.Error(), k.wrong)) {
				t.Errorf("got %v, want %q", err, k.wrong)
			}
		})
	}
}

// The failure of one task is its own: the others go on, and the results stand in
// the order of the tasks.
func TestResults(t *testing.T) {
	c := answers(func(_ context.Context, task Task) (Answer, error) {
		a := Answer{Turns: 2, Interaction: "task-" + task.Title}
		switch task.Title {
		case "fails":
			a.Text = "half of it"
			return a, &ikigai.Error{What: "The limit was reached", Do: "Split it"}
		case "breaks":
			panic("broken")
		case "json":
			a.Text = `{"n": 1}`
		case "long":
			a.Text = strings.Repeat("ä", maxAnswers)
		default:
			a.Text = task.Text()
		}
		return a, nil
	})
	r, out := run(t, t.Context(), c, `{"tasks":[
		{"title":"fails","instructions":"x"},
		{"title":"breaks","instructions":"x"},
		{"title":"json","instructions":"x","schema":{"type":"object"}},
		{"title":"long","instructions":"x"},
		{"title":"full","instructions":"x","background":"y","resources":["a","b"]}]}`)
	if r.Failed || out.Error != "" || r.Report != "3 of 5 tasks done" || len(out.Tasks) != 5 {
		t.Fatalf("%+v", r)
	}
	if got := out.Tasks[0]; got.Error != "The limit was reached. Split it." || got.Answer != "half of it" || got.Turns != 2 || got.Interaction != "task-fails" {
		t.Errorf("got %+v", got)
	}
	if got := out.Tasks[1]; !strings.HasPrefix(got.Error, "The task broke: broken.") || got.Answer != nil {
		t.Errorf("got %+v", got)
	}
	if got := fmt.Sprint(out.Tasks[2].Answer); got != "map[n:1]" {
		t.Errorf("got %s", got)
	}
	if got := out.Tasks[3]; !strings.HasSuffix(got.Cut, fmt.Sprintf("of %d bytes are shown", 2*maxAnswers)) || !utf8.ValidString(got.Answer.(string)) {
		t.Errorf("cut: %s", got.Cut)
	}
	if n := len(r.Output[0].Text); n > maxAnswers {
		t.Errorf("the result has %d bytes", n)
	}
	if got := out.Tasks[4].Answer; got != "full\n\nx\n\nBackground:\ny\n\nResources:\n- a\n- b" {
		t.Errorf("got %q", got)
	}
}

// The tool has failed when no task was done.
func TestAllFail(t *testing.T) {
	c := answers(func(context.Context, Task) (Answer, error) { return Answer{}, errors.New("no") })
	r, out := run(t, t.Context(), c, call("a", "b"))
	if !r.Failed || out.Code != "TASKS_FAILED" || out.Tasks[1].Error == "" {
		t.Errorf("%+v", out)
	}
	c.Take = func(n int) error { return &ikigai.Error{What: fmt.Sprintf("%d are too many", n), Do: "Do it"} }
	if r, out := run(t, t.Context(), c, call("a", "b")); !r.Failed || out.Error != "2 are too many. Do it." || out.Tasks != nil {
		t.Errorf("%+v", out)
	}
}

// As many tasks run at once as may, and one where the model wants it so.
func TestConcurrency(t *testing.T) {
	for _, k := range []struct {
		atOnce   int
		parallel string
		took     time.Duration
	}{{2, "true", 3 * time.Second}, {100, "true", time.Second}, {100, "false", 6 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int32
			var mu sync.Mutex
			var begun []string
			c := answers(func(context.Context, Task) (Answer, error) {
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(time.Second)
				now.Add(-1)
				return Answer{}, nil
			})
			begin := c.Begin
			c.Concurrency, c.Begin = k.atOnce, func(id string, task Task) func(context.Context) (Answer, error) {
				mu.Lock()
				defer mu.Unlock()
				begun = append(begun, task.Title)
				return begin(id, task)
			}
			start := time.Now()
			run(t, t.Context(), c, strings.TrimSuffix(call("a", "b", "c", "d", "e", "f"), "}")+`,"parallel":`+k.parallel+`}`)
			if took := time.Since(start); took != k.took || int(most.Load()) > k.atOnce {
				t.Errorf("%+v: took %v, %d at once", k, took, most.Load())
			}
			if strings.Join(begun, "") != "abcdef" {
				t.Errorf("begun as %v", begun)
			}
		})
	}
}

// Who stops the turn stops all tasks, those that wait, too.
func TestCancel(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var begun atomic.Int32
	c := answers(func(ctx context.Context, task Task) (Answer, error) {
		if begun.Add(1) == 2 {
			stop()
		}
		<-ctx.Done()
		return Answer{Text: "so far"}, &ikigai.Error{Kind: ikigai.ErrorCancelled, What: "It was stopped"}
	})
	c.Concurrency = 2
	r, out := run(t, ctx, c, call("a", "b", "c"))
	if !r.Failed || out.Code != string(ikigai.CodeCancelled) || len(out.Tasks) != 3 || begun.Load() != 2 {
		t.Errorf("%+v", out)
	}
	if got := out.Tasks[2].Error; got != "The person stopped the turn before this task was begun." {
		t.Errorf("got %q", got)
	}
}

// A task that breaks as it is begun leaves none running: those before it are waited
// for, those after it are begun.
func TestBeginBreaks(t *testing.T) {
	var running atomic.Int32
	begun := make(chan struct{})
	c := answers(func(context.Context, Task) (Answer, error) {
		running.Add(1)
		defer running.Add(-1)
		<-begun
		return Answer{Text: "done"}, nil
	})
	begin := c.Begin
	c.Begin = func(id string, task Task) func(context.Context) (Answer, error) {
		switch task.Title {
		case "breaks":
			panic("broken")
		case "last":
			close(begun)
		}
		return begin(id, task)
	}
	r, out := run(t, t.Context(), c, call("first", "breaks", "last"))
	if r.Report != "2 of 3 tasks done" || out.Tasks[0].Answer != "done" || !strings.HasPrefix(out.Tasks[1].Error, "The task broke: broken.") {
		t.Errorf("%s: %+v", r.Report, out)
	}
	if n := running.Load(); n != 0 {
		t.Errorf("%d tasks are still running", n)
	}
}

// What a model is sent of a result is shared fairly: short answers are whole, and of
// each long one there is about as much, and a file with all of it.
func TestAnswersShareRoom(t *testing.T) {
	long := strings.Repeat("a \"line\" <of> it\n", 5_000)
	c := answers(func(_ context.Context, task Task) (Answer, error) {
		switch task.Title {
		case "short":
			return Answer{Text: "short"}, nil
		case "json":
			return Answer{Text: `{ "long": "` + strings.Repeat("x", 50_000) + `" }`}, nil
		}
		return Answer{Text: task.Title + long, Turns: 3, Interaction: "task-12"}, nil
	})
	const room = 20_000
	c.Room = func() int { return room }
	kept := map[string]string{}
	c.Keep = func(answer string) string {
		path := fmt.Sprintf("/output/result-%d.txt", len(kept))
		kept[path] = answer
		return path
	}
	r, out := run(t, t.Context(), c, `{"tasks":[{"title":"a","instructions":"x"},{"title":"b","instructions":"x"},
		{"title":"short","instructions":"x"},{"title":"json","instructions":"x","schema":{"type":"object"}},{"title":"c","instructions":"x"}]}`)
	if n := len(r.Output[0].Text); n > room || n < room*9/10 {
		t.Errorf("the result has %d bytes", n)
	}
	if got := out.Tasks[2]; got.Answer != "short" || got.Cut != "" {
		t.Errorf("a short answer is cut: %+v", got)
	}
	for i, got := range out.Tasks {
		shown, path, offset := got.Answer.(string), "", 0
		if i == 2 {
			continue
		}
		_, cut, _ := strings.Cut(got.Cut, "; all of it is in ")
		if _, err := fmt.Sscanf(strings.Replace(cut, ",", "", 1), "%s read on with file_read from offset %d", &path, &offset); err != nil {
			t.Fatalf("%s: %v", got.Cut, err)
		}
		if !strings.HasPrefix(kept[path], shown) || len(shown) < room/8 || offset != 1+strings.Count(shown, "\n") {
			t.Errorf("task %d: %d bytes are shown; %s", i, len(shown), got.Cut)
		}
	}
}
