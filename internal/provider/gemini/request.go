package gemini

import (
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// wire speaks generateContent.
type wire struct{ cfg provider.Config }

// Path implements provider.Wire.
func (w *wire) Path(ikigai.Request) string {
	path := w.cfg.Quirks.Path
	if path == "" {
		path = "models/{model}:streamGenerateContent?alt=sse"
	}
	return strings.ReplaceAll(path, "{model}", w.cfg.Model)
}

// Head implements provider.Wire. A system message that nothing follows is left
// to the list, which must not be empty.
func (w *wire) Head(req ikigai.Request) (pieces [][]byte, done int) {
	var system []string
	if len(req.Messages) > 1 && req.Messages[0].Kind == ikigai.KindSystem {
		system = append(system, joinText(req.Messages[0].Content, req.Messages[0].Parts))
		done = 1
	}
	system = slices.DeleteFunc(append(system, w.formatWords(req)), func(s string) bool { return s == "" })
	if len(req.Tools) > 0 {
		pieces = append(pieces, appendTools(nil, req.Tools))
	}
	if len(system) > 0 {
		pieces = append(pieces, appendSystem(nil, strings.Join(system, "\n\n")))
	}
	pieces = append(pieces, append(w.options(req), `,"contents":[`...))
	pieces[0] = append([]byte("{"), pieces[0]...)
	return pieces, done
}

// appendSystem appends the system prompt as a member of the body, and a comma.
func appendSystem(b []byte, text string) []byte {
	b = append(b, `"systemInstruction":{"parts":[{"text":`...)
	b = wirejson.AppendString(b, text)
	return append(b, "}]},"...)
}

// Append implements provider.Wire.
func (w *wire) Append(b []byte, messages []ikigai.Message, last bool) []byte {
	for group := range ikigai.Groups(messages) {
		switch group[0].Kind {
		case ikigai.KindAssistant, ikigai.KindToolCall:
			b = w.appendReply(b, group)
		case ikigai.KindToolResult:
			b = w.appendResults(b, group)
		default:
			b = w.appendInput(b, group[0])
		}
	}
	return b
}

// appendContent appends one message of the wire, with a comma, and with the
// parts that write appends, each with a comma. A message without parts would be
// refused, and is left out.
func appendContent(b []byte, role string, write func(b []byte) []byte) []byte {
	start := len(b)
	b = append(b, `{"role":"`+role+`","parts":[`...)
	empty := len(b)
	if b = write(b); len(b) == empty {
		return b[:start]
	}
	return append(b[:len(b)-1], "]},"...)
}

// appendInput appends what the person says, or a system message that stands
// alone.
func (w *wire) appendInput(b []byte, m ikigai.Message) []byte {
	return appendContent(b, "user", func(b []byte) []byte {
		b = appendText(b, m.Content)
		for _, p := range m.Parts {
			b = w.appendPart(b, p)
		}
		return b
	})
}
