package history

import (
	"strings"

	"ikigai"
)

// addFeedback takes in what the model is told after a round of tools. It belongs
// to the round: anywhere else it changes nothing.
func (l *Line) addFeedback(e ikigai.Event) {
	result := l.now.lastResult()
	if result == nil {
		return
	}
	// It stands before the next request as a rule. A model that has been sent
	// the result without it is sent another conversation from here on.
	n := len(l.now.messages)
	sent := len(l.asked) >= n && l.asked[n-1].Result == result
	l.add(step{seq: e.Seq, message: ikigai.Message{Kind: e.Kind, Content: ikigai.CleanText(e.Content)}})
	if sent {
		l.changed()
	}
}

// lastResult returns the last result of a round that is complete and the last
// thing that happened; nil if something else is.
func (c *conversation) lastResult() *ikigai.ToolResult {
	if n := len(c.messages); n > 0 && !c.round.open() {
		return c.messages[n-1].Result
	}
	return nil
}

// addFeedback puts feedback on the last result, which others may still hold as
// it is.
func (c *conversation) addFeedback(text string) {
	last := c.lastResult()
	if last == nil || strings.TrimSpace(text) == "" {
		return
	}
	result := *last
	result.Feedback = text
	c.messages[len(c.messages)-1].Result = &result
}
