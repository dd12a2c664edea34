package agent

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"ikigai"
)

// steering returns a Steer that has one text for each time that it is called, ""
// for nothing.
func steering(texts ...string) (steer func() []ikigai.Event, called *int) {
	called = new(int)
	return func() []ikigai.Event {
		*called++
		if *called > len(texts) || texts[*called-1] == "" {
			return nil
		}
		return []ikigai.Event{ikigai.NewEvent(ikigai.KindUser, texts[*called-1], ikigai.MessageData{By: ikigai.BySteer})}
	}, called
}

// What the person adds stands behind the results and the feedback of a round and
// before the next request, counts no round, and is asked for only where a request
// follows.
func TestSteering(t *testing.T) {
	a, l, m := newAgent(t, [][]any{calls("1 echo {}", "2 echo {}"), calls("3 echo {}"), says("done")}, tool("echo", false, echo))
	a.Feedback, a.Standing = FeedbackOn, &standing{log: l}
	var called *int
	a.Steer, called = steering("", "Only the top.", "too late")
	out, err := run(t, a)
	if err != nil || out.Turns != 2 || out.Answer != "done" {
		t.Fatalf("%+v, %v", out, err)
	}
	want := "user tool_call tool_call usage tool_result tool_result feedback tool_call usage tool_result feedback user assistant usage"
	if got := l.kinds(); got != want {
		t.Errorf("events %q, want %q", got, want)
	}
	if *called != 2 {
		t.Errorf("it was asked for %d times, for two requests after results", *called)
	}
	sent := m.requests[2].Messages
	if last := sent[len(sent)-1]; last.Kind != ikigai.KindUser || last.Content != "Only the top." || sent[len(sent)-2].Kind != ikigai.KindToolResult {
		t.Errorf("the last messages are %+v", sent[len(sent)-2:])
	}
}

// What is said while the turn is stopped, or after the limit of rounds has given
// its last answer, is left to be a statement.
func TestSteeringIsLeft(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	a, _, _ := newAgent(t, [][]any{calls("1 stops {}")}, tool("stops", false, func(context.Context, ikigai.Call) ikigai.Result {
		stop()
		return ikigai.Result{}
	}))
	var called *int
	a.Steer, called = steering("lost?")
	_, err := a.Run(ctx, ikigai.NewEvent(ikigai.KindUser, "do it", nil))
	if ikigai.KindOf(err) != ikigai.ErrorCancelled || *called != 0 {
		t.Errorf("%v, asked for %d times", err, *called)
	}
	a, _, m := newAgent(t, [][]any{calls("1 echo {}"), calls("2 echo {}")}, tool("echo", false, echo))
	a.MaxToolTurns = 1
	a.Steer, called = steering("in time", "too late")
	if _, err := run(t, a); err != nil || *called != 1 || len(m.requests) != 2 {
		t.Errorf("%v, asked for %d times, %d requests", err, *called, len(m.requests))
	}
}

// until returns a tool that runs until its context ends, and says so in began. Its
// failure is like that of a command: it keeps what was printed.
func until(name string, readOnly bool, began chan string) ikigai.Tool {
	return tool(name, readOnly, func(ctx context.Context, c ikigai.Call) ikigai.Result {
		began <- c.ID
		<-ctx.Done()
		return ikigai.Result{Failed: true, Report: "stopped", Output: ikigai.JSONOutput(struct {
			Output string          `json:"output"`
			Error  string          `json:"error"`
			Code   ikigai.ToolCode `json:"error_code"`
		}{"half of it", "The command was stopped before its end. Wait for what the person says.", ikigai.CodeCancelled})}
	})
}

// One call of several that overlap is stopped alone: the others run on, the turn
// goes on, and the result says who stopped it and keeps what was printed.
func TestCancelOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := make(chan string)
		a, l, _ := newAgent(t, [][]any{calls("1 waits {}", "2 waits {}"), says("done")}, until("waits", true, began))
		a.Concurrency = 2
		ended := make(chan error)
		go func() {
			_, err := run(t, a)
			ended <- err
		}()
		<-began
		<-began
		if !a.Cancel("2") {
			t.Error("call 2 is not known")
		}
		synctest.Wait()
		r := l.results()
		want := `{"output":"half of it","error":"The person stopped this call. Go on without it, or ask them.","error_code":"CANCELLED"}`
		if len(r) != 1 || r[0].ToolCallID != "2" || r[0].Success || r[0].Output != want {
			t.Errorf("%+v", r)
		}
		if a.Cancel("2") {
			t.Error("call 2 has its result, and is stopped once more")
		}
		if a.Cancel("1"); <-ended != nil || len(l.results()) != 2 || a.Cancel("1") {
			t.Errorf("%+v", l.results())
		}
	})
}

// A call that waits for its turn is not run once it is stopped, and neither is one
// about which the person is asked. What a tool has done all the same stands.
func TestCancelBeforeAndAfter(t *testing.T) {
	var a *Agent
	ran := ""
	touch := tool("touch", false, func(_ context.Context, c ikigai.Call) ikigai.Result {
		ran += c.ID
		for _, id := range []string{c.ID, "2"} {
			if !a.Cancel(id) {
				t.Errorf("call %s is not known", id)
			}
		}
		return ikigai.Result{Output: ikigai.JSONOutput(map[string]string{"output": "all of it"})}
	})
	a, l, _ := newAgent(t, [][]any{calls("1 touch {}", "2 touch {}", "3 touch {}"), says("done")}, touch)
	a.Approve = func(ctx context.Context, r Approval) Verdict {
		if r.Call.ID == "3" {
			a.Cancel("3")
		}
		return Verdict{Allowed: ctx.Err() == nil, Reason: "nobody answered"}
	}
	out, err := run(t, a)
	if err != nil || out.Denied != 0 || ran != "1" {
		t.Fatalf("%+v, %v, ran %q", out, err, ran)
	}
	r := l.results()
	if !r[0].Success || !strings.Contains(r[0].Output, "all of it") {
		t.Errorf("%+v", r[0])
	}
	for _, r := range r[1:] {
		if r.Success || !strings.Contains(r.Output, `"The person stopped this call before it was run. Go on without it, or ask them."`) ||
			!strings.Contains(r.Output, `"CANCELLED"`) || r.Report != "not run: the call was stopped" {
			t.Errorf("%+v", r)
		}
	}
}

// A tool that fails in words of its own when it is stopped is told of in ours, and
// nothing is known of calls while there is no round.
func TestStoppedResult(t *testing.T) {
	for _, text := range []string{"", "plain", `{"error":"x","error_code":"OTHER"}`, `{"output":"y","error_code":"CANCELLED"}`, `["error"]`} {
		got := stoppedResult(ikigai.Result{Failed: true, Output: []ikigai.Part{{Type: ikigai.PartText, Text: text}}})
		if got.Output[0].Text != `{"error":"The person stopped this call. Go on without it, or ask them.","error_code":"CANCELLED"}` || got.Report != "stopped" {
			t.Errorf("%q gives %+v", text, got)
		}
	}
	a, _, _ := newAgent(t, nil)
	if a.Cancel("1") {
		t.Error("a call is known where there is none")
	}
}

// The person is asked once in a statement whether calls may run that no disk
// takes, and once more in the next one.
//
// P9
func TestAllowVolatileOnce(t *testing.T) {
	for _, answer := range []bool{true, false} {
		a, l, _ := newAgent(t, [][]any{calls("1 touch {}", "2 touch {}"), calls("3 touch {}"), says("done"), calls("4 touch {}"), says("done")}, tool("touch", false, echo))
		l.durability = ikigai.Volatile
		asked := 0
		a.AllowVolatile = func(context.Context) bool { asked++; return answer }
		for statement := 1; statement <= 2; statement++ {
			if _, err := run(t, a); err != nil || asked != statement {
				t.Errorf("%v, asked %d times in %d statements", err, asked, statement)
			}
		}
		for _, r := range l.results() {
			if r.Success != answer {
				t.Errorf("the answer is %t: %+v", answer, r)
			}
		}
	}
}
