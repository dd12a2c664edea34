package render

import (
	"strings"
	"unicode/utf8"

	"ikigai/internal/safetext"
	"ikigai/internal/transcript"
)

// commandCall shows a command as it is typed.
func commandCall(s Style, params []transcript.Field) (head, below string, ok bool) {
	command, rest, ok := take(params, "command")
	if !ok {
		return "", "", false
	}
	prompt := s.paint(faint, "$") + " "
	head = s.inlined(rest)
	if inALine(command) {
		head = beside(head, prompt+safetext.Terminal(command))
	} else {
		below = s.folded("  "+prompt, "    ", plain, safetext.Terminal(command))
	}
	return head, below + s.below(rest), true
}

// again names a call that stands further up, also where its command stood below its
// line: by its beginning.
func (s Style) again(c transcript.Call, summary string) string {
	text := s.callLine(c, summary)
	command, _, ok := take(c.Params, "command")
	if !ok || formOf(c.Name).call == nil || inALine(command) {
		return text
	}
	first, _, _ := strings.Cut(strings.TrimSpace(safetext.Terminal(command)), "\n")
	if runes := []rune(first); len(runes) > maxInlineJSON {
		first = string(runes[:maxInlineJSON])
	}
	return beside(text, s.paint(faint, "$")+" "+first+" "+s.glyph(ellipsis))
}

// inALine reports whether a command stands in the line of its call.
func inALine(command string) bool {
	command = safetext.Terminal(command)
	return !strings.Contains(command, "\n") && utf8.RuneCountInString(command) <= maxInlineText
}

// commandField tells how a command has ended.
func commandField(v *resultView, _ transcript.Result, f transcript.Field) bool {
	if f.Name != "exit_code" {
		return false
	}
	code := string(f.Value)
	if code != "0" {
		v.tone = warn
	}
	if !v.summarised(code) {
		v.facts = append(v.facts, "exit code "+line(code))
	}
	return true
}
