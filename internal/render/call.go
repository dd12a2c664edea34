package render

import (
	"strings"
	"unicode/utf8"

	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// The most characters of a value that stand in the line of a call.
const (
	maxInlineText = 400
	maxInlineJSON = 80
)

// call shows a tool call with all its parameters: short ones in its first
// line, others below, or with the result if they are late.
func (s Style) call(b transcript.Block) string {
	c, _ := b.Body.(transcript.Call)
	if c.MayHaveRun {
		return s.paint(warn, s.glyph(alertMark)) + " " + s.callLine(c, b.Text) + "\n" + s.Late(c) +
			s.prose("  ", "  ", plain, "The call has no result: it may have run. Check what it did before it is run again.")
	}
	text := s.paint(good, s.glyph(callMark)) + " " + s.callLine(c, b.Text) + "\n"
	if s.late(c) && c.Params != nil {
		return text
	}
	return text + s.whole(c)
}

// late reports whether the lines below a call come with its result.
func (s Style) late(c transcript.Call) bool { return formOf(c.Name).late && !s.Verbose }

// Late returns the lines below a call that were left to its result: what a file
// would hold, or the edits of it. They are for those who are asked about a call.
func (s Style) Late(c transcript.Call) string {
	if !s.late(c) {
		return ""
	}
	_, below := s.params(c)
	return below
}

// Asked shows a call that waits for the person's leave: its name and all of its
// parameters whole, whatever the style folds, with the command or the edits that
// it is about. summary stands in for a name that cannot be read.
func (s Style) Asked(c transcript.Call, summary string) string {
	s.Compact, s.Verbose = false, false
	return s.paint(warn, s.glyph(alertMark)) + " " + s.callLine(c, summary) + "\n" + s.whole(c)
}

// whole returns the lines below a call.
func (s Style) whole(c transcript.Call) string {
	_, below := s.params(c)
	if c.Params == nil && strings.TrimSpace(c.Arguments) != "" {
		below += s.label("arguments, which are no JSON object") +
			s.folded("    ", "    ", plain, safetext.Terminal(c.Arguments))
	}
	return below
}

// callLine returns the name of a call and those of its parameters that fit in
// a line. summary stands in for a name that cannot be read.
func (s Style) callLine(c transcript.Call, summary string) string {
	name := c.Name
	if name == "" {
		name = summary
	}
	head, _ := s.params(c)
	return beside(s.paint(strong, line(name)), head)
}

// params returns the parameters of a call: those of its first line, and the
// lines below it.
func (s Style) params(c transcript.Call) (head, below string) {
	if call := formOf(c.Name).call; call != nil {
		if head, below, ok := call(s, c.Params); ok {
			return head, below
		}
	}
	return s.inlined(c.Params), s.below(c.Params)
}

// inline returns the value of f as part of a line, and false if it needs lines
// of its own.
func inline(f transcript.Field) (string, bool) {
	if text, ok := f.Text(); ok {
		text = safetext.Terminal(text)
		fits := !strings.Contains(text, "\n") && utf8.RuneCountInString(text) <= maxInlineText
		return quoted(text), fits
	}
	text := line(short(f.Value))
	return text, utf8.RuneCountInString(text) <= maxInlineJSON
}

// labelled shows f on lines of its own: text as it is, anything else as JSON.
func (s Style) labelled(f transcript.Field) string {
	text, ok := f.Text()
	if !ok {
		text = pretty(f.Value)
	}
	return s.label(f.Name) + s.folded("    ", "    ", plain, safetext.Terminal(text))
}

func (s Style) label(name string) string {
	return "  " + s.paint(faint, line(name)+":") + "\n"
}
