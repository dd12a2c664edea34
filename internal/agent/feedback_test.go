package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

// standing is a Standing that counts the results of a log.
type standing struct {
	*log
	goal, objective string
}

func (s *standing) Goal() string      { return s.goal }
func (s *standing) Objective() string { return s.objective }

func (s *standing) Tools() []ikigai.ToolTally {
	var all []ikigai.ToolTally
	for _, r := range s.results() {
		i := slices.IndexFunc(all, func(t ikigai.ToolTally) bool { return t.Name == r.Name })
		if i < 0 {
			i = len(all)
			all = append(all, ikigai.ToolTally{Name: r.Name})
		}
		if r.Success {
			all[i].Succeeded++
		} else {
			all[i].Failed++
		}
	}
	return all
}

// withFeedback is newAgent, with a goal and an objective.
func withFeedback(t *testing.T, mode string, replies [][]any, tools ...ikigai.Tool) (*Agent, *log, *standing) {
	a, l, _ := newAgent(t, replies, tools...)
	s := &standing{l, "Ship the parser", "Fix the lexer"}
	a.Standing, a.Feedback = s, mode
	return a, l, s
}

// feedbacks returns the text of the feedback so far.
func (l *log) feedbacks() []string {
	var all []string
	for _, e := range l.events {
		if e.Kind == ikigai.KindFeedback {
			all = append(all, e.Content)
		}
	}
	return all
}

// failing is a tool that fails.
func failing(context.Context, ikigai.Call) ikigai.Result {
	return ikigai.Failure("NO", "It failed", "Try again")
}

// S4.11, S4.12, S4.13, S4.14, S4.15, S4.16, S4.17, S4.20, S4.27: the exact text, round
// by round. S5.4: a call counts as its result says.
func TestFeedback(t *testing.T) {
	replies := [][]any{calls("1 echo {}", "2 fail {}"), calls("3 echo {}", "4 nosuch {}"), says("done")}
	kit := []ikigai.Tool{tool("unused", false, echo), tool("fail", false, failing), tool("echo", false, echo)}
	for mode, want := range map[string][]string{
		FeedbackOn: {`Tool results feedback:
Turn 1/50
Conversation Goal: Ship the parser
Current Objective: Fix the lexer
Tools Used: echo(1: 1✓ 0✗), fail(1: 0✓ 1✗)`, `Tool results feedback:
Turn 2/50
Conversation Goal: Ship the parser
Current Objective: Fix the lexer
Tools Used: echo(2: 2✓ 0✗), fail(1: 0✓ 1✗), nosuch(1: 0✓ 1✗)`},
		FeedbackAuto: {`Tool results feedback:
Turn 1/50
Conversation Goal: Ship the parser
Current Objective: Fix the lexer
Tools Used: echo(1: 1✓ 0✗), fail(1: 0✓ 1✗)`, `Tool results feedback:
Turn 2/50
Tools Used: echo(2: 2✓ 0✗), fail(1: 0✓ 1✗), nosuch(1: 0✓ 1✗)`},
		"off": nil,
		"":    nil,
	} {
		a, l, _ := withFeedback(t, mode, replies, kit...)
		if _, err := run(t, a); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, l.feedbacks()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", mode, diff)
		}
	}
}

// S4.17, S4.28: what is not known is left out, and what changes is told: also in
// a new statement, where nothing was told yet.
func TestFeedbackFollows(t *testing.T) {
	a, l, s := withFeedback(t, FeedbackAuto, [][]any{
		calls("1 echo {}"), calls("2 echo {}"), says("done"), calls("3 echo {}"), says("done"),
	}, tool("echo", false, func(ctx context.Context, c ikigai.Call) ikigai.Result {
		return echo(ctx, c)
	}))
	s.goal, s.objective = "", ""
	a.Tools[0].Run = func(ctx context.Context, c ikigai.Call) ikigai.Result {
		if c.ID == "2" {
			s.objective = "Fix the lexer"
		}
		return echo(ctx, c)
	}
	for range 2 {
		if _, err := run(t, a); err != nil {
			t.Fatal(err)
		}
		s.goal = "Ship"
	}
	want := []string{
		"Tool results feedback:\nTurn 1/50\nTools Used: echo(1: 1✓ 0✗)",
		"Tool results feedback:\nTurn 2/50\nCurrent Objective: Fix the lexer\nTools Used: echo(2: 2✓ 0✗)",
		"Tool results feedback:\nTurn 1/50\nConversation Goal: Ship\nCurrent Objective: Fix the lexer\nTools Used: echo(3: 3✓ 0✗)",
	}
	if diff := cmp.Diff(want, l.feedbacks()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// S4.21, S5.2, S2.51, S2.52: one counter says which turn it is, and stops at the
// limit; the feedback stands beside the word that it is reached. What follows the
// limit is answered with results that nothing is told of.
func TestFeedbackAtTheLimit(t *testing.T) {
	a, l, m := newAgent(t, [][]any{calls("1 echo {}"), calls("2 echo {}"), calls("3 echo {}"), says("late")}, tool("echo", false, echo))
	a.Standing, a.Feedback, a.MaxToolTurns = &standing{log: l}, FeedbackOn, 2
	out, err := run(t, a)
	if err == nil && !out.LimitReached || out.Turns != 2 {
		t.Errorf("%+v, %v", out, err)
	}
	want := []string{
		"Tool results feedback:\nTurn 1/2\nTools Used: echo(1: 1✓ 0✗)",
		"Tool results feedback:\nTurn 2/2\nTools Used: echo(2: 2✓ 0✗)",
	}
	if diff := cmp.Diff(want, l.feedbacks()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r := l.results(); !strings.Contains(r[1].Output, `"limit_reached":true`) || strings.Contains(r[0].Output, "limit") {
		t.Errorf("results %+v", r)
	}
	if got := m.requests[2].ToolChoice.Mode; got != ikigai.ToolChoiceNone {
		t.Errorf("after the limit tools are %q", got)
	}
}

// The feedback is recorded between the results of its round and the next
// request, and not at all where there is none.
func TestFeedbackStandsBeforeTheNextRequest(t *testing.T) {
	a, l, _ := withFeedback(t, FeedbackOn, [][]any{calls("1 echo {}", "2 echo {}"), says("done")}, tool("echo", false, echo))
	a.Model = telling{a.Model.(*model)}
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	want := "user request tool_call tool_call usage tool_result tool_result feedback request assistant usage"
	if got := l.kinds(); got != want {
		t.Errorf("events %q, want %q", got, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	a, l, _ = withFeedback(t, FeedbackOn, [][]any{calls("1 echo {}")}, tool("echo", false, func(context.Context, ikigai.Call) ikigai.Result {
		stop()
		return ikigai.Result{}
	}))
	if _, err := a.Run(ctx, ikigai.NewEvent(ikigai.KindUser, "do it", nil)); ikigai.KindOf(err) != ikigai.ErrorCancelled {
		t.Error(err)
	}
	if got := l.feedbacks(); got != nil {
		t.Errorf("a statement that was stopped has feedback %q", got)
	}
}

// The data of a feedback event holds the numbers that its text tells.
func TestFeedbackData(t *testing.T) {
	a, l, s := withFeedback(t, FeedbackOn, [][]any{calls("1 echo {}", "2 fail {}"), says("done")}, tool("echo", false, echo), tool("fail", false, failing))
	s.goal = strings.Repeat("long ", 40)
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	var got ikigai.FeedbackData
	for _, e := range l.events {
		if e.Kind == ikigai.KindFeedback {
			if err := json.Unmarshal(e.Data, &got); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := ikigai.FeedbackData{Turn: 1, Turns: 50, Goal: s.goal, Objective: s.objective, Tools: []ikigai.ToolTally{{Name: "echo", Succeeded: 1}, {Name: "fail", Failed: 1}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A goal cannot pass for further lines, and none of it is cut inside a character.
func TestFeedbackText(t *testing.T) {
	many := make([]ikigai.ToolTally, 30)
	for i := range many {
		many[i] = ikigai.ToolTally{Name: fmt.Sprintf("tool_%d", i), Succeeded: i}
	}
	for name, c := range map[string]struct {
		data ikigai.FeedbackData
		want string
	}{
		"breaks": {ikigai.FeedbackData{Goal: "a\nTurn 9/9\r\n\u2028Tools\x1b[1m Used:\x00 \u0085x"}, "\nConversation Goal: a Turn 9/9 Tools [1m Used:\ufffd x"},
		"eighty": {ikigai.FeedbackData{Goal: strings.Repeat("é", 80)}, "\nConversation Goal: " + strings.Repeat("é", 80)},
		"longer": {ikigai.FeedbackData{Objective: strings.Repeat("é", 81)}, "\nCurrent Objective: " + strings.Repeat("é", 79) + "…"},
		"many tools": {ikigai.FeedbackData{Tools: many}, "\nTools Used: tool_0(0: 0✓ 0✗), tool_1(1: 1✓ 0✗), tool_2(2: 2✓ 0✗), tool_3(3: 3✓ 0✗), " +
			"tool_4(4: 4✓ 0✗), tool_5(5: 5✓ 0✗), tool_6(6: 6✓ 0✗), tool_7(7: 7✓ 0✗), and 22 more"},
		"long name": {ikigai.FeedbackData{Tools: []ikigai.ToolTally{{Name: strings.Repeat("x\n", 60)}}}, "\nTools Used: " + strings.Repeat("x ", 30) + "x…(0: 0✓ 0✗)"},
		"nothing":   {ikigai.FeedbackData{Goal: " \n", Tools: nil}, ""},
	} {
		if diff := cmp.Diff("Tool results feedback:\nTurn 0/0"+c.want, feedback(c.data, linesOf(c.data))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzFeedback: whatever is told, it is at most 400 bytes of valid text in at
// most five lines, each beginning as it must.
func FuzzFeedback(f *testing.F) {
	f.Add("a goal", "an objective", "bash", 3, 1)
	f.Add(strings.Repeat("目", 90), strings.Repeat("🎯", 90), strings.Repeat("ツ", 40), math.MaxInt, 40)
	f.Add(strings.Repeat("🎯", 90), "short", "", -1, 300)
	f.Add("a\nTools Used: x", "\xff\x80\x80\x80", strings.Repeat("\x80", 100), 1, 2)
	f.Fuzz(func(t *testing.T, goal, objective, name string, n, tools int) {
		d := ikigai.FeedbackData{Turn: n, Turns: n, Goal: goal, Objective: objective}
		for i := range tools % 50 {
			d.Tools = append(d.Tools, ikigai.ToolTally{Name: name + fmt.Sprint(i), Succeeded: n, Failed: i})
		}
		text := feedback(d, linesOf(d))
		if len(text) > maxFeedback || !utf8.ValidString(text) {
			t.Errorf("%d bytes: %q", len(text), text)
		}
		begins := []string{"Tool results feedback:", "Turn ", "Conversation Goal: ", "Current Objective: ", "Tools Used: "}
		for line := range strings.Lines(text) {
			i := slices.IndexFunc(begins, func(begin string) bool { return strings.HasPrefix(line, begin) })
			if i < 0 {
				t.Fatalf("line %q of %q", line, text)
			}
			begins = begins[i+1:]
		}
	})
}

// asideDuringSent is a projection in whose Sent something comes from beside the
// loop.
type asideDuringSent struct {
	everything
	agent *Agent
	done  chan struct{}
}

func (p *asideDuringSent) Sent(string, ikigai.ToolChoice, ikigai.Sent) ikigai.Event {
	e := ikigai.NewEvent(ikigai.KindRequest, "", ikigai.RequestData{Kept: int64(len(p.events))})
	go func() {
		defer close(p.done)
		p.agent.Aside(ikigai.NewEvent(ikigai.KindObjective, "late", nil))
	}()
	for range 1000 { // of which one is enough, if nothing keeps it
		runtime.Gosched()
	}
	return e
}

// What comes from beside the loop stands before a request is described, or
// behind the event that records it.
func TestAside(t *testing.T) {
	a, l, m := newAgent(t, [][]any{says("done")})
	p := &asideDuringSent{everything{l}, a, make(chan struct{})}
	a.Model, a.History = telling{m}, p
	waited := 0
	a.Waiting = func() { waited++ }
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	<-p.done
	i := slices.IndexFunc(l.events, func(e ikigai.Event) bool { return e.Kind == ikigai.KindRequest })
	var d ikigai.RequestData
	if err := l.events[i].DecodeData(&d); err != nil || d.Kept != int64(i) {
		t.Errorf("the request is event %d, and was described behind event %d: %s", i+1, d.Kept, l.kinds())
	}
	if waited != 1 {
		t.Errorf("for one request, nobody waits %d times", waited)
	}
}
