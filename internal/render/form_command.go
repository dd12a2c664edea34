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
	command = safetext.Terminal(command)
	head = s.inlined(rest)
	if strings.Contains(command, "\n") || utf8.RuneCountInString(command) > maxInlineText {
		below = s.folded("  "+prompt, "    ", plain, command)
	} else {
		head = beside(head, prompt+command)
	}
	return head, below + s.below(rest), true
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
