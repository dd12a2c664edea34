package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ikigai"
)

// log is a Recorder that keeps everything in memory and checks the laws of the
// loop as events come in.
type log struct {
	t          *testing.T
	mu         sync.Mutex
	events     []ikigai.Event
	durability ikigai.Durability
	unread     error // what the next request needs cannot be read
	shown      strings.Builder
}

func (l *log) Record(_ context.Context, events ...ikigai.Event) (ikigai.Durability, error) {
	l.Queue(events...)
	return l.durability, nil
}

func (l *log) Queue(events ...ikigai.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range events {
		e.Seq = ikigai.Seq(len(l.events) + 1)
		l.events = append(l.events, e)
	}
}

func (l *log) Show(d ikigai.Delta) { l.shown.WriteString(d.Text) }

func (l *log) kinds() string {
	var kinds []string
	for _, e := range l.events {
		kinds = append(kinds, string(e.Kind))
	}
	return strings.Join(kinds, " ")
}

// results returns the data of the tool results, in the order of recording.
func (l *log) results() []ikigai.ToolResultData {
	var all []ikigai.ToolResultData
	for _, e := range l.events {
		if e.Kind == ikigai.KindToolResult {
			var d ikigai.ToolResultData
			if err := e.DecodeData(&d); err != nil {
				l.t.Fatal(err)
			}
			all = append(all, d)
		}
	}
	return all
}

// everything is a Projection that hands the model all messages of the log.
type everything struct{ *log }

func (p everything) Load() error { return p.unread }

func (p everything) Request() ikigai.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	var r ikigai.Request
	for _, e := range p.events {
		if m, err := e.Message(); err == nil {
			r.Messages = append(r.Messages, m)
		}
	}
	return r
}

func (p everything) Sent(model string, choice ikigai.ToolChoice, sent ikigai.Sent) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindRequest, "", ikigai.RequestData{Model: model, ToolChoice: choice.String(), Size: sent.Size})
}

// Quarantine leaves out the message that is named, and for a content filter what
// tools gave.
func (p everything) Quarantine(refusal *ikigai.Error, model string) (ikigai.Event, bool) {
	n := refusal.Message
	d := ikigai.QuarantineData{Seq: ikigai.Seq(n), Model: model, State: refusal.StaleState}
	filtered := refusal.Kind == ikigai.ErrorContentFilter && n == 0
	return ikigai.NewEvent(ikigai.KindQuarantine, refusal.What, d), n < 9 && (!filtered || strings.HasSuffix(p.kinds(), "tool_result"))
}

func (p everything) QuarantineStatement(model, reason string) (ikigai.Event, bool) {
	return ikigai.NewEvent(ikigai.KindQuarantine, reason, ikigai.QuarantineData{Model: model}), true
}

func (p everything) PreImage(path string) (hash string) {
	for _, e := range p.events {
		var d ikigai.ChangeData
		if e.Kind == ikigai.KindChange && e.DecodeData(&d) == nil && d.Path == path {
			hash = d.Blob
		}
	}
	return hash
}

// model answers each request with the next of its replies.
type model struct {
	t        *testing.T
	replies  [][]any // deltas and errors
	requests []ikigai.Request
}

func (m *model) Stream(_ context.Context, r ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	m.requests = append(m.requests, r)
	if len(m.requests) > len(m.replies) {
		m.t.Fatalf("request %d was not expected", len(m.requests))
	}
	reply := m.replies[len(m.requests)-1]
	return func(yield func(ikigai.Delta, error) bool) {
		for _, piece := range reply {
			switch p := piece.(type) {
			case ikigai.Delta:
				if !yield(p, nil) {
					return
				}
			case error:
				yield(ikigai.Delta{}, p)
				return
			case func():
				p()
			}
		}
	}
}

func says(s string) []any {
	return []any{ikigai.Delta{Text: s}, ikigai.Delta{Stop: ikigai.StopEnd}}
}

// calls is a reply with calls, each given as "id name arguments".
func calls(specs ...string) []any {
	var reply []any
	for i, spec := range specs {
		f := strings.SplitN(spec, " ", 3)
		reply = append(reply, ikigai.Delta{Call: &ikigai.CallDelta{Index: i, ID: f[0], Name: f[1], Arguments: f[2]}})
	}
	return append(reply, ikigai.Delta{Stop: ikigai.StopToolCalls})
}

// tool returns a tool that takes any JSON object.
func tool(name string, readOnly bool, run func(context.Context, ikigai.Call) ikigai.Result) ikigai.Tool {
	return ikigai.Tool{
		ToolSpec: ikigai.ToolSpec{Name: name, Schema: json.RawMessage(`{"type":"object","properties":{"b":{},"a":{}}}`)},
		ReadOnly: readOnly,
		Check: func(args json.RawMessage) (json.RawMessage, error) {
			if len(args) == 0 {
				return json.RawMessage("{}"), nil
			}
			if !json.Valid(args) {
				return nil, &ikigai.Error{What: "The input is not valid JSON", Do: "Send a JSON object"}
			}
			return args, nil
		},
		Run: run,
	}
}

func echo(_ context.Context, c ikigai.Call) ikigai.Result {
	return ikigai.Result{Report: "echoed", Output: ikigai.JSONOutput(map[string]string{"output": string(c.Args)})}
}

func newAgent(t *testing.T, replies [][]any, tools ...ikigai.Tool) (*Agent, *log, *model) {
	l, m := &log{t: t}, &model{t: t, replies: replies}
	return &Agent{
		Model: m, ModelName: "test/model", Tools: tools, Recorder: l, History: everything{l}, Dir: t.TempDir(),
		MaxToolTurns: 50, MaxOutputSize: 1 << 20, Concurrency: 1,
	}, l, m
}

func run(t *testing.T, a *Agent) (Outcome, error) {
	return a.Run(t.Context(), ikigai.NewEvent(ikigai.KindUser, "do it", nil))
}

// S1.10, S1.21, S1.22, S2.18, S2.21
func TestToolTurn(t *testing.T) {
	a, l, m := newAgent(t, [][]any{calls(`1 echo {"a":1}`), says("done")}, tool("echo", false, echo))
	out, err := run(t, a)
	if err != nil || out.Answer != "done" || out.Turns != 1 || out.LimitReached {
		t.Fatalf("got %+v, %v", out, err)
	}
	if got, want := l.kinds(), "user tool_call usage tool_result assistant usage"; got != want {
		t.Errorf("events %q, want %q", got, want)
	}
	if n := len(m.requests[1].Messages); n != 3 {
		t.Errorf("the second request holds %d messages, want user, call and result", n)
	}
}

// S1.12: text beside calls is shown and the calls run. S1.14: all of them.
func TestTextAndSeveralCalls(t *testing.T) {
	reply := append([]any{ikigai.Delta{Text: "I look. "}}, calls("1 echo {}", "2 echo {}", "3 echo {}")...)
	a, l, _ := newAgent(t, [][]any{reply, says("done")}, tool("echo", false, echo))
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	if got := len(l.results()); got != 3 {
		t.Errorf("%d results, want 3", got)
	}
	if !strings.HasPrefix(l.shown.String(), "I look. ") {
		t.Errorf("shown %q", l.shown.String())
	}
}

// S2.75, D7: arguments come in any number of pieces, those of several calls
// mixed. S1.17: assembled by index.
func TestArgumentsInPieces(t *testing.T) {
	reply := []any{
		ikigai.Delta{Call: &ikigai.CallDelta{Index: 0, ID: "1", Name: "echo"}},
		ikigai.Delta{Call: &ikigai.CallDelta{Index: 1, ID: "2", Name: "echo", Arguments: `{"a"`}},
		ikigai.Delta{Call: &ikigai.CallDelta{Index: 0, Arguments: `{"b":`}},
		ikigai.Delta{Call: &ikigai.CallDelta{Index: 1, Arguments: `:2}`}},
		ikigai.Delta{Call: &ikigai.CallDelta{Index: 0, Arguments: `1}`}},
		ikigai.Delta{Stop: ikigai.StopToolCalls},
	}
	a, l, _ := newAgent(t, [][]any{reply, says("done")}, tool("echo", false, echo))
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	r := l.results()
	if r[0].Output != `{"output":"{\"b\":1}"}` || r[1].Output != `{"output":"{\"a\":2}"}` {
		t.Errorf("got %q and %q", r[0].Output, r[1].Output)
	}
}

func TestGateAnswersTheModel(t *testing.T) {
	ran := false
	touch := tool("touch", false, func(context.Context, ikigai.Call) ikigai.Result {
		ran = true
		return ikigai.Result{}
	})
	tests := []struct {
		name   string
		reply  []any
		change func(*Agent, *log)
		code   ikigai.ToolCode
		says   string
	}{
		{"unknown tool", calls("1 rm {}"), nil, ikigai.CodeToolNotFound, `No tool is named \"rm\". Use one of: touch.`}, // S0.11
		{"invalid JSON", calls(`1 touch {"a":`), nil, ikigai.CodeInvalidParams, "not valid JSON"},                       // S1.15
		{"cut off", []any{ // P32
			ikigai.Delta{Call: &ikigai.CallDelta{ID: "1", Name: "touch", Arguments: `{"a":1}`}},
			ikigai.Delta{Stop: ikigai.StopLength},
		}, nil, ikigai.CodeInvalidParams, "cut off"},
		{"cut off by a filter", []any{ // P32
			ikigai.Delta{Call: &ikigai.CallDelta{ID: "1", Name: "touch", Arguments: `{"a":1}`}},
			ikigai.Delta{Stop: ikigai.StopFilter},
		}, nil, ikigai.CodeInvalidParams, "content filter"},
		{"a check that panics", calls("1 touch {}"), func(a *Agent, _ *log) { // S2.71
			a.Tools[0].Check = func(json.RawMessage) (json.RawMessage, error) { panic("boom") }
		}, ikigai.CodeToolCrashed, "boom"},
		{"denied", calls("1 touch {}"), func(a *Agent, _ *log) { // S2.81
			a.Approve = func(context.Context, Approval) Verdict { return Verdict{Reason: "no terminal"} }
		}, ikigai.CodeDenied, "no terminal"},
		{"nothing durable", calls("1 touch {}"), func(_ *Agent, l *log) { // P9
			l.durability = ikigai.Volatile
		}, ikigai.CodeDenied, "cannot be recorded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ran = false
			a, l, _ := newAgent(t, [][]any{test.reply, says("well")}, touch)
			if test.change != nil {
				test.change(a, l)
			}
			out, err := run(t, a)
			if err != nil {
				t.Fatal(err)
			}
			r := l.results()[0]
			if ran || r.Success || !strings.Contains(r.Output, test.says) || !strings.Contains(r.Output, string(test.code)) {
				t.Errorf("ran %v, result %+v", ran, r)
			}
			if byPerson := test.name == "denied"; (out.Denied == 1) != byPerson {
				t.Errorf("%d denied calls", out.Denied)
			}
		})
	}
}

// S1.6: with none no tool runs, and a model that calls one all the same is
// asked no more.
func TestToolChoiceNone(t *testing.T) {
	ran := false
	spy := tool("spy", false, func(context.Context, ikigai.Call) ikigai.Result {
		ran = true
		return ikigai.Result{}
	})
	a, l, m := newAgent(t, [][]any{calls("1 spy {}")}, spy)
	a.ToolChoice.Mode = ikigai.ToolChoiceNone
	_, err := run(t, a)
	if ikigai.KindOf(err) != ikigai.ErrorIncomplete || ran || len(m.requests) != 1 {
		t.Errorf("got %v after %d requests, ran %v", err, len(m.requests), ran)
	}
	if r := l.results(); len(r) != 1 || !strings.Contains(r[0].Output, "DENIED") {
		t.Errorf("results %+v", r)
	}
}

// What a reply that broke off has cost is in the log.
func TestUsageOfBrokenReply(t *testing.T) {
	reply := []any{ikigai.Delta{Usage: &ikigai.Usage{Input: 7}}, &ikigai.Error{Kind: ikigai.ErrorServer, What: "It broke", Do: "Wait"}}
	a, l, _ := newAgent(t, [][]any{reply})
	if _, err := run(t, a); err == nil {
		t.Fatal("no error")
	}
	if got, want := l.kinds(), "user usage error"; got != want {
		t.Errorf("events %q, want %q", got, want)
	}
}

// D5, S3.4: every input is validated, before any tool runs.
func TestAllInputIsCheckedFirst(t *testing.T) {
	var order []string
	spy := tool("spy", false, func(context.Context, ikigai.Call) ikigai.Result {
		order = append(order, "run")
		return ikigai.Result{}
	})
	check := spy.Check
	spy.Check = func(args json.RawMessage) (json.RawMessage, error) {
		order = append(order, "check")
		return check(args)
	}
	a, _, _ := newAgent(t, [][]any{calls("1 spy {}", "2 spy {}"), says("done")}, spy)
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, " "); got != "check check run run" {
		t.Errorf("order %q", got)
	}
}

// S3.21, S2.71: a tool that panics is an error result, and the loop goes on.
// S1.25
func TestPanicInTool(t *testing.T) {
	bad := tool("bad", false, func(context.Context, ikigai.Call) ikigai.Result { panic("boom") })
	a, l, _ := newAgent(t, [][]any{calls("1 bad {}"), says("sorry")}, bad)
	out, err := run(t, a)
	if err != nil || out.Answer != "sorry" {
		t.Fatalf("got %+v, %v", out, err)
	}
	if r := l.results()[0]; r.Success || !strings.Contains(r.Output, "TOOL_CRASHED") || !strings.Contains(r.Output, "boom") {
		t.Errorf("got %+v", r)
	}
}

// S2.51, S2.52, S2.53, S2.54, S2.55, S4.21
func TestTurnLimit(t *testing.T) {
	replies := [][]any{calls("1 echo {}"), calls("2 echo {}"), calls("3 echo {}", "4 echo {}"), says("out of turns"),
		calls("5 echo {}"), says("a new statement counts anew")}
	a, l, m := newAgent(t, replies, tool("echo", false, echo))
	a.MaxToolTurns = 3
	out, err := run(t, a)
	if err != nil || out.Turns != 3 || !out.LimitReached || out.Answer != "out of turns" {
		t.Fatalf("got %+v, %v", out, err)
	}
	if mode := m.requests[3].ToolChoice.Mode; mode != ikigai.ToolChoiceNone {
		t.Errorf("the last request has tool choice %q", mode)
	}
	results := l.results()
	var last struct {
		Output  string `json:"output"`
		Reached bool   `json:"limit_reached"`
		Message string `json:"limit_message"`
	}
	if err := json.Unmarshal([]byte(results[3].Output), &last); err != nil {
		t.Fatal(err)
	}
	if last.Output != "{}" || !last.Reached || last.Message != "Tool call limit reached (3). Stopping tool loop." {
		t.Errorf("last result %+v", last)
	}
	for _, r := range results[:3] {
		if strings.Contains(r.Output, "limit_reached") {
			t.Errorf("result %s speaks of the limit too early", r.ToolCallID)
		}
	}
	if out, err = run(t, a); err != nil || out.Turns != 1 || out.LimitReached {
		t.Errorf("the next statement: %+v, %v", out, err)
	}
}

// A model that calls again when it must not gets no further request.
func TestCallsAfterTheLimit(t *testing.T) {
	a, l, m := newAgent(t, [][]any{calls("1 echo {}"), calls("2 echo {}")}, tool("echo", false, echo))
	a.MaxToolTurns = 1
	out, err := run(t, a)
	if err != nil || !out.LimitReached || len(m.requests) != 2 {
		t.Fatalf("got %+v, %v after %d requests", out, err, len(m.requests))
	}
	if r := l.results(); len(r) != 2 || r[1].Success {
		t.Errorf("the call after the limit has no refusal: %+v", r)
	}
}

// S1.7: what is demanded is demanded of the first request alone.
func TestToolChoiceRequired(t *testing.T) {
	a, _, m := newAgent(t, [][]any{calls("1 echo {}"), says("done")}, tool("echo", false, echo))
	a.ToolChoice.Mode = ikigai.ToolChoiceRequired
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	if m.requests[0].ToolChoice.Mode != ikigai.ToolChoiceRequired || m.requests[1].ToolChoice.Mode != ikigai.ToolChoiceAuto {
		t.Errorf("choices %v, %v", m.requests[0].ToolChoice, m.requests[1].ToolChoice)
	}
	a, _, _ = newAgent(t, [][]any{says("I would rather talk")}, tool("echo", false, echo))
	a.ToolChoice.Mode = ikigai.ToolChoiceRequired
	if _, err := run(t, a); ikigai.KindOf(err) != ikigai.ErrorIncomplete {
		t.Errorf("a reply without the demanded call: %v", err)
	}
}

// S1.23, P30: a reply that breaks off leaves what came and can be asked again.
func TestVendorError(t *testing.T) {
	broken := []any{ikigai.Delta{Text: "half"}, &ikigai.Error{Kind: ikigai.ErrorServer, What: "The vendor broke", Do: "Wait"}}
	a, l, _ := newAgent(t, [][]any{broken, says("whole")}, tool("echo", false, echo))
	if _, err := run(t, a); ikigai.KindOf(err) != ikigai.ErrorServer {
		t.Fatalf("got %v", err)
	}
	if got, want := l.kinds(), "user interrupted error"; got != want {
		t.Errorf("events %q, want %q", got, want)
	}
	if out, err := run(t, a); err != nil || out.Answer != "whole" {
		t.Errorf("asked again: %+v, %v", out, err)
	}
}

// P30: a stream that ends without its end is no answer.
func TestReplyWithoutEnd(t *testing.T) {
	a, _, _ := newAgent(t, [][]any{{ikigai.Delta{Text: "half"}}})
	if _, err := run(t, a); ikigai.KindOf(err) != ikigai.ErrorIncomplete {
		t.Errorf("got %v", err)
	}
}

func TestEmptyAndFilteredAnswers(t *testing.T) {
	a, _, _ := newAgent(t, [][]any{says(" ")})
	if _, err := run(t, a); ikigai.KindOf(err) != ikigai.ErrorIncomplete {
		t.Errorf("an empty answer: %v", err)
	}
	a, l, _ := newAgent(t, [][]any{{ikigai.Delta{Text: "I"}, ikigai.Delta{Stop: ikigai.StopFilter}}})
	if _, err := run(t, a); ikigai.KindOf(err) != ikigai.ErrorContentFilter {
		t.Errorf("a filtered answer: %v", err)
	}
	if !strings.Contains(l.kinds(), "assistant") {
		t.Error("what came before the filter is not in the log")
	}
}

// S1.24, P22, P1: cancelled while the first of two tools runs, both calls have
// results, the second tool never runs, and no further request goes out.
func TestCancelBetweenTools(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	ran := 0
	stop := tool("stop", false, func(ctx context.Context, _ ikigai.Call) ikigai.Result {
		ran++
		cancel(errors.New("ctrl-c"))
		<-ctx.Done()
		return ikigai.Failure(ikigai.CodeCancelled, "The command was stopped", "Ask the person")
	})
	a, l, m := newAgent(t, [][]any{calls("1 stop {}", "2 stop {}")}, stop)
	_, err := a.Run(ctx, ikigai.NewEvent(ikigai.KindUser, "do it", nil))
	if ikigai.KindOf(err) != ikigai.ErrorCancelled || ran != 1 || len(m.requests) != 1 {
		t.Fatalf("got %v after %d runs and %d requests", err, ran, len(m.requests))
	}
	if r := l.results(); len(r) != 2 || !strings.Contains(r[1].Output, "CANCELLED") {
		t.Errorf("results %+v", r)
	}
}

func TestCancelDuringReply(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reply := []any{ikigai.Delta{Text: "half"}, func() { cancel() }, context.Canceled}
	a, l, _ := newAgent(t, [][]any{reply})
	_, err := a.Run(ctx, ikigai.NewEvent(ikigai.KindUser, "do it", nil))
	if ikigai.KindOf(err) != ikigai.ErrorCancelled {
		t.Fatalf("got %v", err)
	}
	if got, want := l.kinds(), "user interrupted error"; got != want {
		t.Errorf("events %q, want %q", got, want)
	}
}

// P28: a reply that breaks off before its text began is asked for once more: no
// text is doubled, and none of its calls runs. One that was seen stays.
func TestBrokenOff(t *testing.T) {
	broken := func(kind ikigai.ErrorKind, pieces ...any) []any {
		return append(pieces, error(&ikigai.Error{Kind: kind, What: "It broke", Do: "Try again"}))
	}
	call := ikigai.Delta{Call: &ikigai.CallDelta{ID: "1", Name: "echo", Arguments: "{"}}
	thought := ikigai.Delta{Thinking: "hm"}
	for _, test := range []struct {
		name    string
		retries int
		replies [][]any
		events  string
		answer  string
	}{
		{"in a call", 3, [][]any{broken(ikigai.ErrorIncomplete, call), says("done")}, "user assistant usage", "done"},
		{"in thinking, twice", 3, [][]any{broken(ikigai.ErrorServer, thought), broken(ikigai.ErrorNetwork, thought), says("done")},
			"user interrupted interrupted assistant usage", "done"},
		{"too often", 3, [][]any{broken(ikigai.ErrorServer, call), broken(ikigai.ErrorServer, call), broken(ikigai.ErrorServer, call)}, "user error", ""},
		{"no retries wanted", 0, [][]any{broken(ikigai.ErrorServer, call)}, "user error", ""},
		{"before anything came, which was tried already", 3, [][]any{broken(ikigai.ErrorServer)}, "user error", ""},
		{"in text", 3, [][]any{broken(ikigai.ErrorIncomplete, ikigai.Delta{Text: "half"})}, "user interrupted error", ""},
		{"silence, which is paid for", 3, [][]any{broken(ikigai.ErrorTimeout, thought)}, "user interrupted error", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ran := tool("echo", false, func(context.Context, ikigai.Call) ikigai.Result {
					t.Error("a call of a reply that broke off was run")
					return ikigai.Result{}
				})
				a, l, m := newAgent(t, test.replies, ran)
				a.MaxRetries = test.retries
				outcome, err := run(t, a)
				if outcome.Answer != test.answer || (err == nil) != (test.answer != "") {
					t.Errorf("answer %q, error %v", outcome.Answer, err)
				}
				if l.kinds() != test.events || len(m.requests) != len(test.replies) {
					t.Errorf("%d requests, events %q, want %q", len(m.requests), l.kinds(), test.events)
				}
			})
		})
	}
}

// S2.48, D6: with a concurrency of 1 no two tools overlap; above it read-only
// tools do, and the others run alone.
func TestConcurrency(t *testing.T) {
	for _, test := range []struct {
		concurrency int
		want        int32
	}{{1, 1}, {2, 2}, {8, 3}} {
		t.Run(fmt.Sprint(test.concurrency), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var running, most, writers atomic.Int32
				look := tool("look", true, func(context.Context, ikigai.Call) ikigai.Result {
					for now, before := running.Add(1), most.Load(); now > before; before = most.Load() {
						most.CompareAndSwap(before, now)
					}
					if writers.Load() > 0 {
						t.Error("a read-only tool ran beside one that writes")
					}
					time.Sleep(time.Second) // of the bubble's clock
					running.Add(-1)
					return ikigai.Result{}
				})
				write := tool("write", false, func(context.Context, ikigai.Call) ikigai.Result {
					writers.Add(1)
					if running.Load() > 0 {
						t.Error("a tool that writes ran beside another")
					}
					time.Sleep(time.Second) // of the bubble's clock
					writers.Add(-1)
					return ikigai.Result{}
				})
				a, l, _ := newAgent(t, [][]any{calls("1 look {}", "2 look {}", "3 look {}", "4 write {}", "5 look {}"), says("done")}, look, write)
				a.Concurrency = test.concurrency
				if _, err := run(t, a); err != nil {
					t.Fatal(err)
				}
				if most.Load() != test.want {
					t.Errorf("%d tools ran at once, want %d", most.Load(), test.want)
				}
				if n := len(l.results()); n != 5 {
					t.Errorf("%d results", n)
				}
			})
		})
	}
}

// S2.49: without concurrency the order of running is that of the calls.
func TestOrder(t *testing.T) {
	var order []string
	spy := tool("spy", true, func(_ context.Context, c ikigai.Call) ikigai.Result {
		order = append(order, c.ID)
		return ikigai.Result{}
	})
	a, _, _ := newAgent(t, [][]any{calls("c spy {}", "a spy {}", "b spy {}"), says("done")}, spy)
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, ""); got != "cab" {
		t.Errorf("order %q", got)
	}
}

// S2.89: the log holds the input that was executed where it differs from the
// one received, and not otherwise.
func TestExecutedInput(t *testing.T) {
	a, l, _ := newAgent(t, [][]any{calls(`1 echo {"a": 1}`, "2 echo "), says("done")}, tool("echo", false, echo))
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	r := l.results()
	if r[0].Executed != nil || string(r[1].Executed) != "{}" {
		t.Errorf("executed %q and %q", r[0].Executed, r[1].Executed)
	}
}

// A vendor that gives its calls no IDs, or the same ones, leaves results that
// can be told apart.
func TestCallsWithoutIDs(t *testing.T) {
	a, l, _ := newAgent(t, [][]any{calls(" echo {}", " echo {}", "x echo {}", "x echo {}"), says("done")}, tool("echo", false, echo))
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, r := range l.results() {
		ids[r.ToolCallID] = true
	}
	if len(ids) != 4 || !ids["x"] {
		t.Errorf("IDs %v", ids)
	}
}

// What a vendor wants back with a reply is in the log even if the reply is
// calls alone.
func TestVendorStateOfCalls(t *testing.T) {
	reply := append([]any{ikigai.Delta{Vendor: ikigai.VendorState{"v/m": json.RawMessage(`{"x":1}`)}}}, calls("1 echo {}", "2 echo {}")...)
	a, l, _ := newAgent(t, [][]any{reply, says("done")}, tool("echo", false, echo))
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	if first, err := l.events[1].Message(); err != nil || string(first.Vendor["v/m"]) != `{"x":1}` {
		t.Errorf("got %+v, %v", first, err)
	}
}

// S3.2, S3.7, S3.8, S3.10, S3.12, S3.16, S3.17, S3.19, D15: what a tool
// tells the model, tells it about the run and tells the person are three
// things; the third never reaches the model.
func TestThreeChannels(t *testing.T) {
	full := tool("full", false, func(_ context.Context, c ikigai.Call) ikigai.Result {
		if c.ID != "1" || string(c.Args) != `{"a":1}` {
			t.Errorf("call %+v", c)
		}
		return ikigai.Result{
			Output: []ikigai.Part{{Type: ikigai.PartText, Text: "first"}, {Type: ikigai.PartText, Text: "second"}},
			Note:   "the list is not complete", Report: "two parts were found",
			Resources: []ikigai.Resource{{URI: "/x", Changed: true}},
		}
	})
	a, l, m := newAgent(t, [][]any{calls(`1 full {"a":1}`, "2 echo {}"), says("done")}, full, tool("echo", false, echo))
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	messages := m.requests[1].Messages
	got := messages[len(messages)-2].Result
	if got.Output != "first" || len(got.Parts) != 1 || got.Parts[0].Text != "second" || got.Note != "the list is not complete" {
		t.Errorf("the model gets %+v", got)
	}
	if plain := messages[len(messages)-1].Result; plain.Note != "" {
		t.Errorf("a note that no tool gave: %q", plain.Note)
	}
	if sent := fmt.Sprintf("%+v %+v", *got, messages[len(messages)-1].Result); strings.Contains(sent, "two parts") {
		t.Errorf("the report reaches the model: %s", sent)
	}
	d := l.results()[0]
	if d.Report != "two parts were found" || len(d.Resources) != 1 || !d.Resources[0].Changed {
		t.Errorf("the log has %+v", d)
	}
	for _, e := range l.events {
		if e.Kind == ikigai.KindToolResult && strings.Contains(string(e.Data), `"1"`) && e.Content != "two parts were found" {
			t.Errorf("the person is shown %q", e.Content)
		}
	}
}

// S5.4, D14, S2.41: an error object is a failure and a command that exits
// non-zero is none, in every place where it is told.
func TestSuccessAgrees(t *testing.T) {
	fails := tool("fails", false, func(context.Context, ikigai.Call) ikigai.Result {
		return ikigai.Failure("FILE_NOT_FOUND", "File not found: /x", "Check the path exists")
	})
	exits := tool("exits", false, func(context.Context, ikigai.Call) ikigai.Result {
		return ikigai.Result{Output: ikigai.JSONOutput(map[string]any{"output": "", "exit_code": 1})}
	})
	a, l, m := newAgent(t, [][]any{calls("1 fails {}", "2 exits {}"), says("done")}, fails, exits)
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	r, messages := l.results(), m.requests[1].Messages
	if r[0].Success || !r[1].Success || messages[3].Result.Success || !messages[4].Result.Success {
		t.Errorf("log %v %v, model %v %v", r[0].Success, r[1].Success, messages[3].Result.Success, messages[4].Result.Success)
	}
}
