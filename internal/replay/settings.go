package replay

import (
	"math"
	"strings"

	"ikigai"
	"ikigai/internal/agent"
)

// settings are those of an agent while it ran a statement, as far as they show in
// the recording.
type settings struct {
	models    []string // that were asked, one in place of the other
	cacheKey  string
	choice    ikigai.ToolChoice
	turns     int // rounds of tools at most
	retries   int // replies that broke off and were asked for once more
	approvals map[string]ikigai.ApprovalData
	asked     map[string]bool // tools that somebody was asked about
	tokens    int64           // after which no more tools ran; 0 if there was no such limit
	feedback  string          // as agent.Agent has it
	aimless   bool            // it told of no objective
}

// reading is what is known of a statement while its events are read.
type reading struct {
	settings
	requests, rounds int
	inRound          bool
	pending          bool  // a request has had no reply yet
	corrected        bool  // the model was just told that its answer does not fit
	spent            int64 // tokens
	last             int   // rounds before tools were switched off; 0 if they were not
	lastSpent        int64 // tokens by then
	told             int   // rounds that there may be, as feedback has it; 0 if there is none
}

// settingsOf returns the settings under which events came to be, those of a
// statement.
func settingsOf(events []ikigai.Event) settings {
	r := &reading{settings: settings{turns: math.MaxInt32, approvals: map[string]ikigai.ApprovalData{}, asked: map[string]bool{}}}
	for _, e := range events {
		r.read(e)
	}
	switch {
	case r.told > 0 && r.last > 0 && r.last < r.told: // it was not the rounds
		r.turns, r.tokens = r.told, r.lastSpent
	case r.told > 0:
		r.turns = r.told
	case r.last > 0:
		r.turns = r.last
	}
	if len(r.models) == 0 {
		r.models = []string{""}
	}
	return r.settings
}

func (r *reading) read(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindUser:
		r.corrected = said(e).By == ikigai.ByLoop
	case ikigai.KindRequest:
		r.request(e)
	case ikigai.KindToolCall:
		if !r.inRound {
			r.rounds++
		}
		r.inRound, r.pending = true, false
	case ikigai.KindAssistant, ikigai.KindQuarantine, ikigai.KindProjection:
		r.pending = false
	case ikigai.KindToolResult:
		r.inRound = false
	case ikigai.KindFallback:
		var d ikigai.FallbackData
		_ = e.DecodeData(&d) // what is damaged names no model
		r.addModel(d.From)
		r.addModel(d.To)
		r.pending = false
	case ikigai.KindUsage:
		var d ikigai.UsageData
		_ = e.DecodeData(&d)
		r.addModel(d.Model)
		r.spent += d.Input + d.Output
	case ikigai.KindFeedback:
		r.feed(e)
	case ikigai.KindApproval:
		var d ikigai.ApprovalData
		_ = e.DecodeData(&d)
		r.approvals[d.CallID], r.asked[d.Name] = d, true
	}
}

func (r *reading) request(e ikigai.Event) {
	d := requested(e)
	switch {
	case r.requests == 0:
		r.choice, r.cacheKey = ikigai.ParseToolChoice(d.ToolChoice), string(e.Session)
	case r.pending:
		r.retries++
	}
	if d.ToolChoice == "none" && r.choice.Mode != ikigai.ToolChoiceNone && r.rounds > 0 && r.last == 0 && !r.corrected {
		r.last, r.lastSpent = r.rounds, r.spent
	}
	r.addModel(d.Model)
	r.requests, r.inRound, r.pending, r.corrected = r.requests+1, false, true, false
}

// feed reads what a feedback shows of the settings.
func (r *reading) feed(e ikigai.Event) {
	var d ikigai.FeedbackData
	_ = e.DecodeData(&d) // what is damaged shows nothing
	lacks := func(value, line string) bool { return value != "" && !strings.Contains(e.Content, "\n"+line+": ") }
	if r.feedback == "" {
		r.feedback = agent.FeedbackOn
	}
	if lacks(d.Goal, "Conversation Goal") || lacks(d.Objective, "Current Objective") {
		r.feedback = agent.FeedbackAuto // lines that say nothing new are left out
	}
	r.told, r.aimless = d.Turns, d.Objective == ""
}

// addModel adds a model if it is another one than the last. What is damaged names
// none.
func (s *settings) addModel(name string) {
	if name == "" {
		return
	}
	if n := len(s.models); n == 0 || s.models[n-1] != name {
		s.models = append(s.models, name)
	}
}
