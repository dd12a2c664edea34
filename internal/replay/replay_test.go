package replay

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"iter"
	"slices"
	"testing"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/history"
)

// Replays of whole sessions, with the bytes of their requests, are tested where
// the program records them: in package cli. Here is what needs no vendor.

// memory is a session in memory.
type memory struct {
	line   *history.Line
	events []ikigai.Event
}

func (m *memory) Record(_ context.Context, events ...ikigai.Event) (ikigai.Durability, error) {
	m.Queue(events...)
	return ikigai.Stored, nil
}

func (m *memory) Queue(events ...ikigai.Event) {
	for _, e := range events {
		e.Seq = ikigai.Seq(len(m.events) + 1)
		m.events = append(m.events, e)
		m.line.Add(e)
	}
}

func (m *memory) Show(ikigai.Delta) {}

// writing is a model that writes requests, and sends nothing.
type writing struct{}

func (writing) Stream(_ context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	return func(func(ikigai.Delta, error) bool) {
		body, err := json.Marshal(req.Messages)
		if err != nil {
			panic(err)
		}
		req.Sending(ikigai.Sent{Conversation: [][]byte{body}, Size: int64(len(body)), SHA256: sha256.Sum256(body)})
	}
}

// looking is a model that calls a tool, then answers.
type looking struct{}

func (looking) Stream(ctx context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	return func(yield func(ikigai.Delta, error) bool) {
		for range (writing{}).Stream(ctx, req) {
		}
		if req.Messages[len(req.Messages)-1].Kind == ikigai.KindUser {
			_ = yield(ikigai.Delta{Call: &ikigai.CallDelta{ID: "c1", Name: "look", Arguments: `{}`}}, nil) &&
				yield(ikigai.Delta{Stop: ikigai.StopToolCalls}, nil)
			return
		}
		_ = yield(ikigai.Delta{Text: "Seen."}, nil) && yield(ikigai.Delta{Stop: ikigai.StopEnd}, nil)
	}
}

// recording returns the events of a session in which a tool looked. prepare may
// change the agent before it runs; it may be nil.
func recording(t *testing.T, prepare func(*agent.Agent)) []ikigai.Event {
	t.Helper()
	look := ikigai.Tool{
		ToolSpec: ikigai.ToolSpec{Name: "look", Schema: json.RawMessage(`{"type":"object"}`)}, ReadOnly: true,
		Check: func(args json.RawMessage) (json.RawMessage, error) { return args, nil },
		Run: func(context.Context, ikigai.Call) ikigai.Result {
			return ikigai.Result{Output: ikigai.JSONOutput(map[string]string{"output": "a tree"})}
		},
	}
	m := &memory{line: history.New(ikigai.Main)}
	m.Queue(
		ikigai.NewEvent(ikigai.KindSession, "/w", ikigai.SessionData{Dir: "/w", Model: "test/model"}),
		ikigai.NewEvent(ikigai.KindSystem, "Look.", nil),
		ikigai.NewEvent(ikigai.KindTools, "look", ikigai.ToolsData{Tools: []ikigai.ToolSpec{look.ToolSpec}}))
	a := agent.Agent{Model: looking{}, ModelName: "test/model", Tools: []ikigai.Tool{look}, Recorder: m, History: m.line,
		MaxToolTurns: 5, MaxOutputSize: 1 << 20, Concurrency: 1}
	if prepare != nil {
		prepare(&a)
	}
	if _, err := a.Run(t.Context(), ikigai.NewEvent(ikigai.KindUser, "What is there?", nil)); err != nil {
		t.Fatal(err)
	}
	return m.events
}

// S5.6
func TestRun(t *testing.T) {
	for name, tt := range map[string]struct {
		change func([]ikigai.Event) []ikigai.Event
		turns  int    // that a statement may take now; the recorded one could take 5
		what   string // of the first difference; "" for none
	}{
		"as it was":     {slices.Clone[[]ikigai.Event], 5, ""},
		"another limit": {slices.Clone[[]ikigai.Event], 1, "request"},
		"a gap": {func(all []ikigai.Event) []ikigai.Event {
			return slices.DeleteFunc(all, func(e ikigai.Event) bool { return e.Kind == ikigai.KindAssistant })
		}, 5, "log"},
	} {
		report, err := Run(t.Context(), Config{
			Events:  tt.change(recording(t, nil)),
			Encoder: func(string) (ikigai.Model, error) { return writing{}, nil },
			Prepare: func(a *agent.Agent, _ Interaction) {
				a.MaxToolTurns, a.MaxOutputSize, a.Concurrency = tt.turns, 1<<20, 1
			},
		})
		if err != nil || report.Statements != 1 || report.Requests != 2 || report.Results != 1 {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		got := ""
		if len(report.Differences) > 0 {
			got = report.Differences[0].What
		}
		if got != tt.what {
			t.Errorf("%s: %+v", name, report.Differences)
		}
	}
}

// What the person adds to a statement, and calls that they stop, are played as they
// were: neither is asked for again, and no tool runs that was stopped.
func TestSteeringAndStoppedCalls(t *testing.T) {
	added := 0
	events := recording(t, func(a *agent.Agent) {
		a.Steer = func() []ikigai.Event {
			if added++; added > 1 {
				return nil
			}
			return []ikigai.Event{ikigai.NewEvent(ikigai.KindUser, "Only the top.", ikigai.MessageData{By: ikigai.BySteer})}
		}
		a.Tools[0].Run = func(ctx context.Context, call ikigai.Call) ikigai.Result {
			if added > 0 && !a.Cancel(call.ID) {
				t.Error("the call is not known")
			}
			if ctx.Err() != nil {
				return ikigai.Failure(ikigai.CodeCancelled, "Stopped", "Wait")
			}
			return ikigai.Result{Output: ikigai.JSONOutput(map[string]string{"output": "a tree"})}
		}
	})
	ran := 0
	real := ikigai.Tool{ToolSpec: ikigai.ToolSpec{Name: "look"}, ReadOnly: true,
		Check: func(args json.RawMessage) (json.RawMessage, error) { return args, nil },
		Run: func(context.Context, ikigai.Call) ikigai.Result {
			ran++
			return ikigai.Result{Output: ikigai.JSONOutput(map[string]string{"output": "a tree"})}
		}}
	for _, tools := range [][]ikigai.Tool{nil, {real}} {
		report, err := Run(t.Context(), Config{
			Events: events, Tools: tools,
			Encoder: func(string) (ikigai.Model, error) { return writing{}, nil },
			Prepare: func(a *agent.Agent, _ Interaction) { a.MaxToolTurns, a.MaxOutputSize, a.Concurrency = 5, 1<<20, 1 },
		})
		if err != nil || report.Requests != 3 || report.Results != 2 || len(report.Differences) > 0 {
			t.Errorf("%+v, %v", report, err)
		}
	}
	if ran != 1 {
		t.Errorf("%d calls were run, of two, one of which was stopped", ran)
	}
}
