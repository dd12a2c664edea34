package render

import (
	"fmt"
	"strings"

	"ikigai"
	"ikigai/internal/transcript"
)

// travel shows where a conversation goes on from another place than its end.
func (s Style) travel(b transcript.Block) string {
	text := ""
	switch d := b.Body.(type) {
	case ikigai.RewindData:
		text = fmt.Sprintf("to event %d%s: what came after it is no longer sent to the model", d.To, named(d.Mark))
	case ikigai.ForkData:
		text = fmt.Sprintf("%s of session %s after event %d", line(string(b.Session)), line(string(d.Session)), d.Seq)
		if d.Reason != "" {
			text += ": " + line(d.Reason)
		}
	default:
		text = "what came before is no longer sent to the model"
	}
	kind := line(string(b.Kind)) + "  "
	return s.prose(s.paint(faint, kind), strings.Repeat(" ", len(kind)), plain, text)
}

// named is the name of a mark behind the number of its event.
func named(mark string) string {
	if mark == "" {
		return ""
	}
	return ", the mark " + quoted(line(mark))
}
