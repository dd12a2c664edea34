package render

import (
	"ikigai"
	"ikigai/internal/transcript"
)

// Page puts blocks below one another, with an empty line where something new
// begins. Its zero value, with a Style, is an empty page.
//
// How a statement stands after a round of tools is shown below the files that these
// are found to have changed, which the log has after it, and what its objective is,
// which a model says meanwhile, below all of it and above what the person does next,
// unless Style is verbose.
type Page struct {
	Style    Style
	last     ikigai.Kind        // of the block before; "" at the top
	close    bool               // that was a line about what happens beside the conversation
	standing []transcript.Block // how the statement stands, as long as files may be found
	aims     []transcript.Block // what it is for, until the person does something else
}

// Block returns the text of b with the empty line before it, or "" if the style does
// not show b, or not yet.
func (p *Page) Block(b transcript.Block) string {
	if p.waits(b) {
		return ""
	}
	if stands(b) && !p.Style.Verbose {
		before := p.stood()
		p.standing = append(p.standing, b)
		return before
	}
	text := p.Style.Block(b)
	before := ""
	switch {
	case text == "":
		return ""
	case begins(b):
		before = p.End()
	case !found(b):
		before = p.stood()
	}
	return before + p.gap(b) + text
}

// End returns what is not shown yet, at the end of a statement or of the page.
func (p *Page) End() string { return p.stood() + p.shown(&p.aims) }

// stood returns how the statement stands, if that is not shown yet.
func (p *Page) stood() string { return p.shown(&p.standing) }

// shown returns the text of blocks that have waited, and forgets them.
func (p *Page) shown(blocks *[]transcript.Block) (text string) {
	for _, b := range *blocks {
		if own := p.Style.Block(b); own != "" {
			text += p.gap(b) + own
		}
	}
	*blocks = nil
	return text
}

// waits takes b in if it is for the end of the statement. It reports whether it is.
func (p *Page) waits(b transcript.Block) bool {
	if !b.Later() || p.Style.Verbose {
		return false
	}
	p.aims = append(p.aims, b)
	return true
}

// begins reports whether what came before b has ended: the person begins something,
// or b is the first that is shown of what they have begun.
func begins(b transcript.Block) bool {
	switch b.Kind {
	case ikigai.KindUser:
		d, _ := b.Body.(ikigai.MessageData)
		return b.Interaction == ikigai.Main && d.By == ""
	case ikigai.KindRewind, ikigai.KindClear, ikigai.KindFork, ikigai.KindUndo, ikigai.KindMark, ikigai.KindTrust:
		return true
	}
	switch d := b.Body.(type) {
	case transcript.Objective:
		return d.By == ikigai.ByPerson
	case transcript.Projection:
		return d.Reason == ikigai.FitPerson
	case transcript.Ended:
		return b.Side != nil && b.Side.Purpose == ikigai.PurposeCommit
	case transcript.Call:
		return b.Typed
	}
	return false
}

// stands reports whether b says how a statement stands after a round of tools.
func stands(b transcript.Block) bool {
	return b.Kind == ikigai.KindFeedback && b.Interaction == ikigai.Main
}

// found reports whether b is a file that a tool is found to have changed, after its
// result.
func found(b transcript.Block) bool {
	c, ok := b.Body.(transcript.Change)
	return ok && c.Noticed && c.Call == nil && b.Interaction == ikigai.Main
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
		switch last {
		case ikigai.KindToolCall, ikigai.KindToolResult, ikigai.KindChange, ikigai.KindApproval:
			return ""
		}
		if wasClose {
			return ""
		}
		return "\n"
	}
	switch b.Kind {
	case ikigai.KindUsage:
		if d, ok := b.Body.(ikigai.UsageData); !ok || d.Stop != ikigai.StopLength {
			return ""
		}
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
		if found(b) && last != ikigai.KindToolResult && last != ikigai.KindChange {
			return "\n"
		}
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
