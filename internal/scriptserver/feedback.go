package scriptserver

import (
	"slices"
	"strings"
)

// feedbackHead is the first line of the block in which clients tell how the
// statement stands after a round of tools; feedbackLines begin the others.
const feedbackHead = "Tool results feedback:\n"

var feedbackLines = []string{"Turn ", "Conversation Goal: ", "Current Objective: ", "Tools Used: "}

// cutFeedback takes the feedback out of a text that it begins, or in which it is
// a paragraph behind results that are written as text.
func cutFeedback(s string) (feedback, rest string) {
	start := 0
	if !strings.HasPrefix(s, feedbackHead) {
		i := strings.Index(s, "\n\n"+feedbackHead)
		if i < 0 || !strings.HasPrefix(s, `{"tool":`) {
			return "", s
		}
		start = i + len("\n\n")
	}
	end := start + len(feedbackHead) - len("\n")
	for end < len(s) && slices.ContainsFunc(feedbackLines, func(l string) bool { return strings.HasPrefix(s[end:], "\n"+l) }) {
		end += len("\n")
		if n := strings.IndexByte(s[end:], '\n'); n >= 0 {
			end += n
		} else {
			end = len(s)
		}
	}
	if start == 0 {
		return s[:end], strings.TrimPrefix(s[end:], "\n")
	}
	return s[start:end], strings.TrimSuffix(s[:start], "\n\n") + s[end:]
}

// newMessage returns a message of some blocks of text.
func newMessage(role, callID string, texts []string) message {
	m := message{role: role, callID: callID}
	if m.blocks = m.withoutFeedback(texts); len(m.blocks) == 0 {
		m.blocks = []string{""} // an image alone
	}
	m.text = strings.Join(m.blocks, "\n")
	return m
}

// withoutFeedback returns texts without the feedback among them, which m keeps.
func (m *message) withoutFeedback(texts []string) []string {
	var others []string
	for _, t := range texts {
		feedback, rest := cutFeedback(t)
		if feedback != "" {
			m.feedback = feedback
		}
		if rest != "" {
			others = append(others, rest)
		}
	}
	return others
}
