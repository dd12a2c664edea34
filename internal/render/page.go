package render

import (
	"ikigai"
	"ikigai/internal/transcript"
)

// Page puts blocks below one another, with an empty line where something new
// begins. Its zero value, with a Style, is an empty page.
type Page struct {
	Style Style
	last  ikigai.Kind // of the block before; "" at the top
	close bool        // that was a line about what happens beside the conversation
}

// Block returns the text of b with the empty line before it, or "" if the
// style does not show b.
func (p *Page) Block(b transcript.Block) string {
	text := p.Style.Block(b)
	if text == "" {
		return ""
	}
	return p.gap(b) + text
}

// gap returns what comes between the block before and b, which it takes as
// shown.
func (p *Page) gap(b transcript.Block) string {
	last, wasClose := p.last, p.close
	p.took(b)
	if last == "" {
		return ""
	}
	if p.close {
		if wasClose || last == ikigai.KindToolCall || last == ikigai.KindToolResult {
			return ""
		}
		return "\n"
	}
	switch b.Kind {
	case ikigai.KindUsage:
		return ""
	case ikigai.KindSystem, ikigai.KindTools, ikigai.KindRequest:
		return ""
	case ikigai.KindToolCall:
		if last == ikigai.KindToolCall {
			return ""
		}
	case transcript.Notice:
		if last == transcript.Notice {
			return ""
		}
	case ikigai.KindToolResult:
		if r, ok := b.Body.(transcript.Result); ok && r.Follows {
			return ""
		}
	case ikigai.KindChange:
		if c, ok := b.Body.(transcript.Change); ok && (c.Call == nil || c.Follows) {
			return ""
		}
	case ikigai.KindApproval:
		if a, ok := b.Body.(transcript.Approval); ok && (a.Call == nil || a.Follows) {
			return ""
		}
	}
	return "\n"
}

// took notes that b is shown.
func (p *Page) took(b transcript.Block) { p.last, p.close = b.Kind, aside(b) }

// aside reports whether b is a line about what happens beside the conversation:
// such lines stand close.
func aside(b transcript.Block) bool {
	switch b.Kind {
	case ikigai.KindInteraction, transcript.End, ikigai.KindTitle, ikigai.KindGoal, ikigai.KindObjective, ikigai.KindFeedback, ikigai.KindProjection:
		return true
	}
	return b.Folded
}
