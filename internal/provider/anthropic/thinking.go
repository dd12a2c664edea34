package anthropic

import (
	"context"
	"encoding/json"
	"iter"
	"strconv"

	"ikigai"
	"ikigai/internal/provider"
)

// model sends requests so that their turn is thought through as it was begun.
type model struct {
	ikigai.Model
	cfg provider.Config
}

// unthinking is the level of a turn that began without thinking. No
// Config.Levels knows it, so that nothing is sent of it.
const unthinking ikigai.Level = "unthinking"

// Stream implements ikigai.Model.
func (m *model) Stream(ctx context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	req.Level = m.level(req)
	return m.Model.Stream(ctx, req)
}

// level returns the level of a request. A turn is brought to its end as it
// began: with a budget one is refused that began without thinking, such as one
// that another model began, and where thinking is off one that began with it.
func (m *model) level(req ikigai.Request) ikigai.Level {
	thinking := m.cfg.Levels[req.Level]
	begun, thinks := beginning(m.cfg.Name, openTurn(req.Messages))
	switch {
	case begun && !thinks && thinking.Budget > 0:
		return unthinking
	case begun && thinks && thinking.Off:
		for _, level := range ikigai.Levels() {
			if t := m.cfg.Levels[level]; t.Budget > 0 || t.Effort != "" {
				return level
			}
		}
	}
	return req.Level
}

// openTurn returns what followed the person's last statement. A statement that
// came between the results of a round and the next reply began no new turn.
func openTurn(messages []ikigai.Message) []ikigai.Message {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Kind == ikigai.KindUser && !followsResults(messages, i) {
			return messages[i+1:]
		}
	}
	return messages
}

// followsResults reports whether nothing but the person's words stand between
// message i and the results of a round.
func followsResults(messages []ikigai.Message, i int) bool {
	for i > 0 && messages[i-1].Kind == ikigai.KindUser {
		i--
	}
	return i > 0 && messages[i-1].Kind == ikigai.KindToolResult
}

// beginning reports whether there is a reply in a turn, and whether the first
// one begins with thinking of the model with the given name.
func beginning(name string, turn []ikigai.Message) (begun, thinks bool) {
	for group := range ikigai.Groups(turn) {
		switch group[0].Kind {
		case ikigai.KindAssistant, ikigai.KindToolCall:
			layout := provider.LayoutOf(name, group)
			return true, len(layout) > 0 && isThinking(layout[0])
		}
	}
	return false, false
}

// isThinking reports whether b is a block of thinking, readable or not.
func isThinking(b provider.Block) bool {
	var own struct{ Type string }
	if b.Text > 0 || b.Call > 0 || json.Unmarshal(b.Own, &own) != nil {
		return false
	}
	return own.Type == "thinking" || own.Type == "redacted_thinking"
}

// leastBudget is the smallest budget that is accepted.
const leastBudget = 1024

// appendThinking appends how the model is to think. A choice that forces a call
// is refused beside thinking. Models that decide themselves how much they think
// only show it when asked to.
func appendThinking(b []byte, t ikigai.Thinking, forced bool) []byte {
	switch {
	case t.Off:
		return append(b, `,"thinking":{"type":"disabled"}`...)
	case forced:
	case t.Budget > 0:
		b = append(b, `,"thinking":{"type":"enabled","budget_tokens":`...)
		b = strconv.AppendInt(b, int64(max(t.Budget, leastBudget)), 10)
		return append(b, '}')
	case t.Effort != "":
		return append(b, `,"thinking":{"type":"adaptive","display":"summarized"}`...)
	}
	return b
}

// maxTokens returns the limit of a reply, thinking included: where that would
// leave nothing to the answer, it comes on top.
func maxTokens(cfg provider.Config, req ikigai.Request, t ikigai.Thinking, forced bool) int {
	limit := cfg.OutputLimit(req)
	if budget := max(t.Budget, leastBudget); t.Budget > 0 && !t.Off && !forced && limit <= budget {
		limit += budget
	}
	return limit
}
