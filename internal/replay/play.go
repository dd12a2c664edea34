package replay

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"sync"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/history"
)

// player plays one interaction.
type player struct {
	*replay
	Interaction
	line    *history.Line
	purpose *history.Purpose
	tally   *history.Tally
	tape    *tape
	specs   []ikigai.ToolSpec // that are offered

	encoders  map[string]*encoder       // by model
	differing map[ikigai.Seq]*differing // the requests that differ
	sent      ikigai.Sent               // of the last request
	turn      int                       // requests of the statement
	good      ikigai.Seq                // the last request that was the recorded one
	shrinks   bool                      // the last request was too long, and the conversation was then sent in fewer words
}

// play plays an interaction from its first statement to its last.
func (r *replay) play(ctx context.Context, name string) {
	p := &player{replay: r, Interaction: Interaction{Name: name}, encoders: map[string]*encoder{}, differing: map[ikigai.Seq]*differing{},
		line: history.New(name), purpose: history.NewPurpose(), tally: history.NewTally(name)}
	p.line.SetBlobs(func(hash string) ([]byte, error) { return r.Blobs.Blob(ctx, hash) })
	p.tape = &tape{views: []Projection{p.line, p.purpose, p.tally, p}, judge: p.judge, lacks: p.lacks}
	p.tape.taken = sync.NewCond(&p.tape.mu)
	if name == ikigai.Main {
		p.tape.views = append(p.tape.views, r.Views...)
	}
	for _, e := range r.Events {
		if e.Interaction == name {
			p.tape.events = append(p.tape.events, e)
		}
	}
	for ctx.Err() == nil && p.statement(ctx) {
	}
}

// Add takes in an event for what the player itself must know of it.
func (p *player) Add(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindInteraction:
		_ = e.DecodeData(&p.Data) // what is damaged says nothing
		p.What = e.Content
	case ikigai.KindSystem:
		p.System = e.Content
	case ikigai.KindTools:
		var d ikigai.ToolsData
		_ = e.DecodeData(&d)
		p.specs = d.Tools
	}
}

// statement plays the next statement, and reports whether there was one.
func (p *player) statement(ctx context.Context) bool {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	statement, rest, ok := p.tape.begin(cancel)
	if !ok {
		return false
	}
	p.turn = 0
	_, _ = p.agent(settingsOf(rest)).Run(ctx, ikigai.Event{Interaction: p.Name, Kind: statement.Kind, Content: statement.Content, Data: statement.Data})
	for _, e := range p.tape.finish() {
		if !p.tape.over {
			p.miss(e)
		}
	}
	return true
}

// agent returns the agent that runs a statement.
func (p *player) agent(s settings) *agent.Agent {
	a := &agent.Agent{
		Recorder: p.tape, History: p.line, Dir: p.Dir, Tools: p.tools(s.asked),
		ToolChoice: s.choice, MaxToolTurns: s.turns, MaxRetries: s.retries, Concurrency: 1,
		CacheKey: s.cacheKey, MaxTokens: s.tokens,
		Feedback: s.feedback, Standing: standing{p, s.aimless}, Fitter: fitter{p}, Steer: p.tape.steering,
	}
	if p.Name != ikigai.Main {
		a.CacheKey += "/" + string(p.Data.Purpose)
	}
	for i, name := range s.models {
		m := &model{player: p, name: name}
		if i == 0 {
			a.Model, a.ModelName = m, name
		} else {
			a.Fallbacks = append(a.Fallbacks, agent.Candidate{Name: name, Model: m})
		}
	}
	if len(s.approvals) > 0 {
		a.Approve = func(_ context.Context, request agent.Approval) agent.Verdict {
			d, asked := s.approvals[request.Call.ID]
			return agent.Verdict{Allowed: d.Allowed || !asked, Unasked: !asked, Reason: d.Reason}
		}
	}
	if p.Prepare != nil {
		p.Prepare(a, p.Interaction)
	}
	return a
}

// tools returns what the agent has run: tools that give the recorded results,
// or the real ones, but for calls that the person stopped. asked are those that
// somebody was asked about.
func (p *player) tools(asked map[string]bool) []ikigai.Tool {
	tools := slices.Clone(p.Tools)
	for i := range tools {
		run := tools[i].Run
		tools[i].Run = func(ctx context.Context, call ikigai.Call) ikigai.Result {
			if p.tape.cancelled(call.ID) {
				return p.recorded(call.ID)
			}
			return run(ctx, call)
		}
	}
	for _, spec := range p.specs {
		if p.Tools != nil && !slices.Contains(p.Recorded, spec.Name) {
			continue
		}
		tools = append(tools, ikigai.Tool{ToolSpec: spec, ReadOnly: !asked[spec.Name], Announces: true,
			Check: func(args json.RawMessage) (json.RawMessage, error) { return args, nil },
			Run:   func(_ context.Context, call ikigai.Call) ikigai.Result { return p.recorded(call.ID) },
		})
	}
	return tools
}

// recorded returns the recorded result of a call. Where there is none, the
// recording ends in the middle of it.
func (p *player) recorded(callID string) ikigai.Result {
	d, ok := p.tape.result(callID)
	if !ok {
		p.tape.stop()
	}
	return ikigai.Result{Output: []ikigai.Part{{Type: ikigai.PartText, Text: d.Output}}, Failed: !d.Success}
}

// model plays a model.
type model struct {
	*player
	name string
}

// Stream implements ikigai.Model.
func (m *model) Stream(ctx context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	return func(yield func(ikigai.Delta, error) bool) {
		x := nextExchange(m.tape.left())
		m.turn++
		m.shrinks = x.outcome != nil && x.outcome.Kind == ikigai.KindProjection
		if x.outcome != nil && x.outcome.Kind == ikigai.KindQuarantine {
			x.refused = refusedOf(*x.outcome, m.line)
		}
		if x.request != nil {
			m.compare(ctx, req, *x.request)
		}
		if x.outcome != nil && stops(*x.outcome) {
			m.tape.cancel(nil)
		}
		if len(x.reply) > 0 || x.outcome != nil && x.outcome.Kind != ikigai.KindToolResult {
			x.play(ctx, yield)
			return
		}
		m.exhausted()
		yield(ikigai.Delta{}, context.Canceled)
	}
}

// exhausted ends a statement whose recording holds no reply any more.
func (p *player) exhausted() {
	if all := p.tape.events[:p.tape.end]; whole(all) {
		p.note(all[len(all)-1].Seq, Difference{What: whatRequest, Was: "none", Is: "the model is asked once more"})
	}
	p.tape.stop()
}

// whole reports whether a statement whose events are the last came to its end.
// One that was killed did not.
func whole(events []ikigai.Event) bool {
	answered, choice := false, ""
	calls := 0
	for _, e := range events {
		switch e.Kind {
		case ikigai.KindRequest:
			answered, calls, choice = false, 0, requested(e).ToolChoice
		case ikigai.KindToolCall:
			answered = true
			calls++
		case ikigai.KindError:
			answered, calls = true, 0
		case ikigai.KindUser:
			answered, calls, choice = false, 0, ""
		case ikigai.KindAssistant:
			answered = true
		}
	}
	return answered && (calls == 0 || choice == "none")
}

// fitter has the conversation sent in fewer words where it was: the projections
// are input, since models have written parts of them.
type fitter struct{ *player }

func (fitter) Tokens() int64        { return 0 }
func (fitter) Full(int64) bool      { return false }
func (fitter) Refused(string) int64 { return 0 }

// Compact implements agent.Fitter. The event is the recorded one's stand-in.
func (f fitter) Compact(context.Context, string, string, int64) (ikigai.Event, bool) {
	return ikigai.NewEvent(ikigai.KindProjection, "", nil), f.shrinks
}

// standing is how the conversation stands.
type standing struct {
	*player
	aimless bool // no objectives were wanted, and no goal but the person's
}

// Goal implements agent.Standing. That of a side interaction is one of those whom
// it serves.
func (s standing) Goal() string {
	switch {
	case s.Name != ikigai.Main:
		return s.tape.feedback().Goal
	case s.aimless && s.purpose.GoalBy() != ikigai.ByPerson:
		return ""
	}
	return s.purpose.Goal()
}

// Objective implements agent.Standing.
func (s standing) Objective() string {
	switch {
	case s.Name != ikigai.Main:
		return s.tape.feedback().Objective
	case s.aimless:
		return ""
	}
	return s.purpose.Objective()
}

// Tools implements agent.Standing.
func (s standing) Tools() []ikigai.ToolTally { return s.tally.Tools() }
