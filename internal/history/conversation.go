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
	origins   []ikigai.Seq     // of the events that the messages are; 0 for a result that was made up
	hasSystem bool
	hasUser   bool
	round     round
	names     callNames
	media     mediaWindow
	filled    int        // messages that have the bytes of what goes with them
	summary   ikigai.Seq // of the projection whose summary the first message is, after the system message; 0 if none is
	trimmed   map[ikigai.Seq]trimmed
	statement ikigai.Seq // the last one, whatever was added to it since
	knows     ikigai.Seq // the last statement or clear: undos before it were told, or concern nothing
}

// take takes in a step. It reports whether messages that were there have
// changed.
func (c *conversation) take(s step) (changed bool) {
	m := s.message
	switch m.Kind {
	case ikigai.KindSystem:
		return c.setSystem(m, s.seq)
	case ikigai.KindUser, ikigai.KindAssistant:
		changed = c.closeRound()
		// A conversation that does not begin with the person is refused by
		// some vendors.
		if blank(m) || m.Kind == ikigai.KindAssistant && !c.hasUser {
			return changed
		}
		c.hasUser = true
		if m.Kind == ikigai.KindUser {
			c.knows = s.seq
		}
		if s.statement {
			c.statement = s.seq
		}
		c.round.edited = s.edited && m.Kind == ikigai.KindAssistant // m may be the text of calls
		c.messages, c.origins = append(c.messages, m), append(c.origins, s.seq)
		return c.attach(len(c.messages)-1) || changed
	case ikigai.KindToolCall:
		if c.round.answered > 0 {
			changed = c.closeRound() // calls after results belong to the next reply
		}
		if c.hasUser {
			c.round.call(m, s.seq, c.names.unique(m.Call.ID, s.seq))
			c.round.edited = c.round.edited || s.edited
		}
		return changed
	case ikigai.KindToolResult:
		c.round.result(m, s.seq)
		return c.round.complete() && c.closeRound()
	case ikigai.KindFeedback:
		c.addFeedback(m.Content)
	case ikigai.KindRewind:
		c.closeRound() // what was open there is answered by nobody any more
		return true
	case ikigai.KindProjection:
		return c.project(s)
	case ikigai.KindClear:
		c.clear()
		c.knows = s.seq
		return true
	}
	return false
}

// setSystem puts m in the first place: vendors take one system message, there.
func (c *conversation) setSystem(m ikigai.Message, seq ikigai.Seq) (changed bool) {
	if blank(m) {
		return false
	}
	if c.hasSystem {
		c.messages, c.origins = slices.Clone(c.messages), slices.Clone(c.origins)
		c.messages[0], c.origins[0] = m, seq
		return true
	}
	c.messages = slices.Insert(slices.Clone(c.messages), 0, m)
	c.origins = slices.Insert(slices.Clone(c.origins), 0, seq)
	c.media.shift(1)
	c.hasSystem = true
	return true
}

// clear leaves the system message alone.
func (c *conversation) clear() {
	n := 0
	if c.hasSystem {
		n = 1
	}
	*c = conversation{messages: c.messages[:n:n], origins: c.origins[:n:n], hasSystem: c.hasSystem, filled: n}
}

// closeRound settles the open round, if there is one. It reports whether
// messages that were there have changed.
func (c *conversation) closeRound() (changed bool) {
	if c.round.open() {
		from := len(c.messages)
		c.messages, c.origins = c.round.settle(c.messages, c.origins)
		changed = c.attach(from)
	}
	c.round = round{}
	return changed
}

// blank reports whether a vendor would find nothing in m.
func blank(m ikigai.Message) bool {
	return len(m.Parts) == 0 && strings.TrimSpace(m.Content) == ""
}
