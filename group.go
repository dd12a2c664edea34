package ikigai

import "iter"

// Joins reports whether message i belongs to one group with the message before
// it: a reply's text with its calls, or the results of one round. Vendors write
// a group as one message of theirs, or as a few that depend on each other.
func Joins(messages []Message, i int) bool {
	if i <= 0 || i >= len(messages) {
		return false
	}
	before := messages[i-1].Kind
	switch messages[i].Kind {
	case KindToolCall:
		return before == KindAssistant || before == KindToolCall
	case KindToolResult:
		return before == KindToolResult
	}
	return false
}

// Groups yields the groups of messages.
func Groups(messages []Message) iter.Seq[[]Message] {
	return func(yield func([]Message) bool) {
		for len(messages) > 0 {
			n := 1
			for Joins(messages, n) {
				n++
			}
			if !yield(messages[:n:n]) {
				return
			}
			messages = messages[n:]
		}
	}
}
