package render

import (
	"fmt"
	"strconv"

	"ikigai"
	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// feedback shows how a statement stands after a round of tools: in a line, or as
// the model is told.
func (s Style) feedback(b transcript.Block) string {
	d, _ := b.Body.(ikigai.FeedbackData)
	if s.Verbose || d.Turn == 0 {
		return s.behind("  ", "  ", faint, safetext.Terminal(b.Text))
	}
	turn := fmt.Sprintf("turn %d", d.Turn)
	if d.Turns > 0 {
		turn += fmt.Sprintf("/%d", d.Turns)
	}
	words := []string{turn}
	for _, t := range d.Tools {
		words = append(words, s.tally(t))
	}
	return s.aside("  "+s.paint(faint, s.join(words...)), "")
}

// tally shows how often a tool succeeded and failed.
func (s Style) tally(t ikigai.ToolTally) string {
	text := line(t.Name)
	if t.Succeeded > 0 {
		text += " " + strconv.Itoa(t.Succeeded) + s.glyph(okMark)
	}
	if t.Failed > 0 {
		text += " " + strconv.Itoa(t.Failed) + s.glyph(failMark)
	}
	return text
}

// projection shows that from here on the conversation is sent in fewer words.
func (s Style) projection(b transcript.Block) string {
	d, ok := b.Body.(transcript.Projection)
	if !ok || b.Damage != "" {
		return s.other(b)
	}
	text := "about " + Tokens(d.Before) + " tokens are sent as " + Tokens(d.After)
	how := ""
	if n := len(d.Trimmed); n > 0 {
		how = count(n, "result") + " cut"
	}
	if d.Summary != nil {
		how = comma(how, "the beginning as a summary")
	}
	if how != "" {
		text += ": " + how
	}
	text = s.remark("context", text, d.Spent)
	if s.Verbose {
		for _, r := range d.Trimmed {
			text += "  " + s.paint(faint, fmt.Sprintf("#%d cut to %s", r.Seq, count(r.Keep, "byte"))) + "\n"
		}
		if d.Summary != nil {
			text += s.folded("  ", "  ", faint, safetext.Terminal(d.Summary.Text))
		}
	}
	return text
}
