package history

import (
	"slices"
	"strings"

	"ikigai"
)

// conversation is what some steps make, one after the other. The zero value is
// empty.
type conversation struct {
	messages  []ikigai.Message // the system message, if there is one, then what is settled
	hasSystem bool
	hasUser   bool
	round     round
	names     callNames
}

// take takes in a step. It reports whether messages that were there have
// changed.
func (c *conversation) take(s step) (changed bool) {
	m := s.message
	switch m.Kind {
	case ikigai.KindSystem:
		return c.setSystem(m)
	case ikigai.KindUser:
		c.closeRound()
		if !blank(m) {
			c.hasUser = true
			c.messages = append(c.messages, m)
		}
	case ikigai.KindAssistant:
		c.closeRound()
		// A conversation that does not begin with the person is refused by
		// some vendors.
		if c.hasUser && !blank(m) {
			c.messages = append(c.messages, m)
		}
	case ikigai.KindToolCall:
		if c.round.answered > 0 {
			c.closeRound() // calls after results belong to the next reply
		}
		if c.hasUser {
			c.round.call(m, c.names.unique(m.Call.ID, s.seq))
		}
	case ikigai.KindToolResult:
		c.round.result(m)
		if c.round.complete() {
			c.closeRound()
		}
	case ikigai.KindRewind:
		c.closeRound() // what was open there is answered by nobody any more
		return true
	case ikigai.KindClear:
		c.clear()
		return true
	}
	return false
}

// setSystem puts m in the first place: vendors take one system message, there.
func (c *conversation) setSystem(m ikigai.Message) (changed bool) {
	if blank(m) {
		return false
	}
	if c.hasSystem {
		c.messages = slices.Clone(c.messages)
		c.messages[0] = m
	} else {
		c.messages = slices.Insert(slices.Clone(c.messages), 0, m)
		c.hasSystem = true
	}
	return true
}

// clear leaves the system message alone.
func (c *conversation) clear() {
	var system []ikigai.Message
	if c.hasSystem {
		system = c.messages[:1:1]
	}
	*c = conversation{messages: system, hasSystem: c.hasSystem}
}

// closeRound settles the open round, if there is one.
func (c *conversation) closeRound() {
	if c.round.open() {
		c.messages = c.round.settle(c.messages)
		c.round = round{}
	}
}

// blank reports whether a vendor would find nothing in m.
func blank(m ikigai.Message) bool {
	return len(m.Parts) == 0 && strings.TrimSpace(m.Content) == ""
}
