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
	feedback  string          // as agent.Agent has it
}

// settingsOf returns the settings under which events came to be, those of a
// statement.
func settingsOf(events []ikigai.Event) settings {
	s := settings{turns: math.MaxInt32, approvals: map[string]ikigai.ApprovalData{}, asked: map[string]bool{}}
	rounds, requests, inRound := 0, 0, false
	pending := false // a request has had no reply yet
	for _, e := range events {
		switch e.Kind {
		case ikigai.KindRequest:
			d := requested(e)
			if requests == 0 {
				s.choice = ikigai.ParseToolChoice(d.ToolChoice)
				s.cacheKey = string(e.Session)
			} else if pending {
				s.retries++
			}
			if d.ToolChoice == "none" && rounds > 0 && s.choice.Mode != ikigai.ToolChoiceNone {
				s.turns = min(s.turns, rounds)
			}
			s.addModel(d.Model)
			requests, inRound, pending = requests+1, false, true
		case ikigai.KindToolCall:
			if !inRound {
				rounds++
			}
			inRound, pending = true, false
		case ikigai.KindAssistant:
			pending = false
		case ikigai.KindToolResult:
			inRound = false
		case ikigai.KindFallback:
			var d ikigai.FallbackData
			_ = e.DecodeData(&d) // what is damaged names no model
			s.addModel(d.From)
			s.addModel(d.To)
			pending = false
		case ikigai.KindQuarantine, ikigai.KindProjection:
			pending = false
		case ikigai.KindUsage:
			var d ikigai.UsageData
			_ = e.DecodeData(&d)
			s.addModel(d.Model)
		case ikigai.KindFeedback:
			var d ikigai.FeedbackData
			_ = e.DecodeData(&d)
			s.turns = d.Turns
			if s.feedback == "" {
				s.feedback = agent.FeedbackOn
			}
			if d.Tools != nil && !strings.Contains(e.Content, "\nTools Used: ") || d.Objective != "" && !strings.Contains(e.Content, "\nCurrent Objective: ") {
				s.feedback = agent.FeedbackAuto // lines that say nothing new are left out
			}
		case ikigai.KindApproval:
			var d ikigai.ApprovalData
			_ = e.DecodeData(&d)
			s.approvals[d.CallID], s.asked[d.Name] = d, true
		}
	}
	if len(s.models) == 0 {
		s.models = []string{""}
	}
	return s
}

// addModel adds a model if it is another one than the last.
func (s *settings) addModel(name string) {
	if n := len(s.models); n == 0 || s.models[n-1] != name {
		s.models = append(s.models, name)
	}
}
