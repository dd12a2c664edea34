package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// wire speaks Messages.
type wire struct{ cfg provider.Config }

// Path implements provider.Wire.
func (w *wire) Path(ikigai.Request) string {
	if w.cfg.Quirks.Path != "" {
		return strings.ReplaceAll(w.cfg.Quirks.Path, "{model}", w.cfg.Model)
	}
	return "messages"
}

// Head implements provider.Wire. What varies most stands last. A system message
// alone is sent as the user's: one message there must be.
func (w *wire) Head(req ikigai.Request) (pieces [][]byte, done int) {
	pieces = [][]byte{opening(w.cfg, req)}
	if len(req.Messages) > 1 && req.Messages[0].Kind == ikigai.KindSystem {
		if piece := system(req.Messages[0]); piece != nil {
			pieces = append(pieces, piece)
		}
		done = 1
	}
	return append(pieces, options(w.cfg, req)), done
}

// Append implements provider.Wire.
func (w *wire) Append(b []byte, messages []ikigai.Message, last bool) []byte {
	for group := range ikigai.Groups(messages) {
		messages = messages[len(group):]
		final := last && len(messages) == 0
		switch group[0].Kind {
		case ikigai.KindAssistant, ikigai.KindToolCall:
			b = w.appendReply(b, group, final)
		case ikigai.KindToolResult:
			b = w.appendUser(b, final, func(b []byte) []byte { return appendResults(b, w.cfg, group) })
		default:
			b = w.appendUser(b, final, func(b []byte) []byte {
				return appendParts(appendText(b, group[0].Content), w.cfg, group[0].Parts)
			})
		}
	}
	return b
}

// nothing stands in a message that would else be empty, which is refused.
const nothing = "(empty)"

// appendUser appends a message of the user with the blocks that content
// appends.
func (w *wire) appendUser(b []byte, final bool, content func([]byte) []byte) []byte {
	b = append(b, `{"role":"user","content":[`...)
	empty := len(b)
	if b = content(b); len(b) == empty {
		b = appendText(b, nothing)
	}
	b = withoutComma(b)
	if final && w.cfg.Quirks.CacheMarks {
		b = mark(b)
	}
	return append(b, "]},"...)
}

// appendReply appends an assistant message of text, calls or both, and of what
// the model left with it. Text that ends the conversation must not end with
// white space.
func (w *wire) appendReply(b []byte, group []ikigai.Message, final bool) []byte {
	b = append(b, `{"role":"assistant","content":[`...)
	empty := len(b)
	text, calls := replyOf(group)
	if final && len(calls) == 0 {
		text = strings.TrimRight(text, " \t\r\n")
	}
	if layout := provider.LayoutOf(w.cfg.Name, group); layout != nil {
		b = appendLayout(b, layout, text, calls)
	} else {
		b = appendText(b, text)
		for _, c := range calls {
			b = appendCall(b, c, nil)
		}
	}
	if len(b) == empty {
		b = appendText(b, nothing)
	}
	return append(withoutComma(b), "]},"...)
}

// replyOf returns the text and the calls of a reply.
func replyOf(group []ikigai.Message) (text string, calls []*ikigai.ToolCall) {
	for _, m := range group {
		if m.Call != nil {
			calls = append(calls, m.Call)
		} else {
			text += m.Content
		}
	}
	return text, calls
}

// appendLayout appends the blocks of a reply as they came. A reply that was cut
// off while its model thought has thinking at its end, which is refused there.
func appendLayout(b []byte, layout provider.Layout, text string, calls []*ikigai.ToolCall) []byte {
	for len(layout) > 0 && isThinking(layout[len(layout)-1]) {
		layout = layout[:len(layout)-1]
	}
	for _, block := range layout {
		switch {
		case block.Text > 0:
			n := min(block.Text, len(text))
			b = appendTextBlock(b, text[:n], block.Own)
			text = text[n:]
		case block.Call > 0:
			b = appendCall(b, calls[block.Call-1], block.Own)
		default:
			b = append(append(b, block.Own...), ',')
		}
	}
	return b
}

// appendTextBlock appends text, with further members of its block.
func appendTextBlock(b []byte, text string, own json.RawMessage) []byte {
	if isBlank(text) {
		return b
	}
	return withMembers(appendText(b, text), own)
}

// appendCall appends one call, with further members of its block.
func appendCall(b []byte, c *ikigai.ToolCall, own json.RawMessage) []byte {
	b = append(b, `{"type":"tool_use","id":`...)
	b = wirejson.AppendString(b, c.ID)
	b = append(b, `,"name":`...)
	b = wirejson.AppendString(b, c.Name)
	b = append(b, `,"input":`...)
	if input := strings.TrimSpace(c.Arguments); strings.HasPrefix(input, "{") && json.Valid([]byte(input)) {
		b = wirejson.AppendJSON(b, unique(json.RawMessage(input)))
	} else {
		b = append(b, "{}"...)
	}
	return withMembers(append(b, "},"...), own)
}

// withMembers adds the members of an object to the block that b ends with.
func withMembers(b []byte, own json.RawMessage) []byte {
	own = bytes.TrimSpace(own)
	if len(own) <= len("{}") || own[0] != '{' {
		return b
	}
	b = append(b[:len(b)-len("},")], ',')
	return append(append(b, own[1:]...), ',')
}

// mark has the block that b ends with be cached with all before it.
func mark(b []byte) []byte { return append(append(b[:len(b)-1], cacheMark...), '}') }

// withoutComma takes the comma off b that follows its last block.
func withoutComma(b []byte) []byte { return b[:len(b)-1] }
