package export

import (
	"cmp"
	"fmt"
	"strings"

	"ikigai"
	"ikigai/internal/transcript"
)

// sideOf returns the side interaction whose folded part b stands in, "" if it
// stands in none: what came of one is seen without unfolding it.
func sideOf(b transcript.Block) string {
	if b.Interaction == ikigai.Main || b.Kind == transcript.End {
		return ""
	}
	return b.Interaction
}

// sideTitle says what a folded part is about.
func sideTitle(b transcript.Block) string {
	text := "Beside the conversation, " + b.Interaction
	if b.Side != nil && b.Side.Title != "" {
		text += ": " + firstLine(b.Side.Title)
	}
	return text
}

// sideEnd says what came of a side interaction, and what it used.
func sideEnd(b transcript.Block) string {
	d, _ := b.Body.(transcript.Ended)
	name := b.Interaction
	if b.Side != nil {
		name = cmp.Or(string(b.Side.Purpose), name)
		if b.Side.Purpose == ikigai.PurposeTask {
			name = "task " + firstLine(b.Side.Title)
		}
	}
	text := "Beside the conversation: " + name
	if d.Failed {
		text += " failed"
	}
	return text + ", " + used(d.Spent, d.Turns)
}

func used(s transcript.Spent, turns int) string {
	parts := []string{counting(s.Requests, "request", "requests")}
	if turns > 0 {
		parts = append(parts, counting(turns, "turn", "turns"))
	}
	if tokens := s.Input + s.Output; tokens > 0 {
		parts = append(parts, number(tokens)+" tokens")
	}
	if s.Cost != nil {
		parts = append(parts, dollars(*s.Cost))
	}
	return strings.Join(parts, ", ") + "."
}

// fed says how a statement stood after a round of tools, in short: the rest has
// been said.
func fed(b transcript.Block) string {
	d := body[ikigai.FeedbackData](b)
	if d.Turn == 0 {
		return "Feedback: " + b.Text
	}
	return fmt.Sprintf("Turn %d of %d.", d.Turn, d.Turns)
}

func projected(d ikigai.ProjectionData) string {
	text := fmt.Sprintf("From here on the conversation is sent in fewer words: about %s tokens instead of %s", number(d.After), number(d.Before))
	if n := len(d.Trimmed); n > 0 {
		text += ", " + counting(n, "result", "results") + " cut"
	}
	if d.Summary != nil {
		text += fmt.Sprintf(", a summary in the place of what came before event %d", d.Summary.To+1)
	}
	return text + "."
}
