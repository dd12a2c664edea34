package gemini

import (
	"bytes"
	"encoding/json"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// What a layout holds of a reply: with a text or a call its signature, a JSON
// string; as a block of its own a whole part, as the vendor sent it, or sources.

// appendReply appends a reply of text, calls or both: as the model gave it where
// it is the same model's own, and otherwise its text and then its calls.
func (w *wire) appendReply(b []byte, group []ikigai.Message) []byte {
	var text string
	var calls []*ikigai.ToolCall
	for _, m := range group {
		if m.Call != nil {
			calls = append(calls, m.Call)
		} else {
			text += m.Content
		}
	}
	layout := provider.LayoutOf(w.cfg.Name, group)
	if layout == nil {
		layout = plainLayout(text, len(calls))
	}
	return appendContent(b, "model", func(b []byte) []byte {
		for _, block := range layout {
			switch {
			case block.Text > 0:
				b = wirejson.AppendString(append(b, `{"text":`...), text[:block.Text])
				b = appendSignature(b, block.Own)
				text = text[block.Text:]
			case block.Call > 0:
				b = w.appendCall(b, calls[block.Call-1], w.signature(block))
			case given(block.Own) && !bytes.HasPrefix(block.Own, []byte(sourcesBlock)):
				b = append(wirejson.AppendJSON(b, block.Own), ',')
			}
		}
		return b
	})
}

func plainLayout(text string, calls int) (l provider.Layout) {
	if text != "" {
		l.AddText(len(text))
	}
	for i := range calls {
		l = append(l, provider.Block{Call: i + 1})
	}
	return l
}

// signature returns the signature of a call, nil if it needs none. The calls of
// a reply share that of the first.
func (w *wire) signature(call provider.Block) json.RawMessage {
	if call.Own == nil && call.Call == 1 && w.since3() {
		return json.RawMessage(anySignature)
	}
	return call.Own
}

// appendSignature appends a signature, if there is one, and the end of its part,
// and a comma.
func appendSignature(b []byte, signature json.RawMessage) []byte {
	if given(signature) {
		b = wirejson.AppendMember(b, "thoughtSignature", signature)
	}
	return append(b, "},"...)
}

func (w *wire) appendCall(b []byte, c *ikigai.ToolCall, signature json.RawMessage) []byte {
	b = append(b, `{"functionCall":{`...)
	b = w.appendCallID(b, c.ID)
	b = append(b, `"name":`...)
	b = wirejson.AppendString(b, c.Name)
	b = append(b, `,"args":`...)
	if strings.TrimSpace(c.Arguments) == "" {
		b = append(b, "{}"...)
	} else {
		b = appendObject(b, c.Arguments, "arguments")
	}
	return appendSignature(append(b, '}'), signature)
}

// appendCallID appends the ID of a call as a first member, and a comma.
func (w *wire) appendCallID(b []byte, id string) []byte {
	if !w.since3() {
		return b
	}
	b = append(b, `"id":`...)
	b = wirejson.AppendString(b, id)
	return append(b, ',')
}
