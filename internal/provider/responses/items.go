package responses

import (
	"strings"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// appendMessage appends a message of a role that has text and parts. Text alone
// is sent as a string, which every server understands.
func appendMessage(b []byte, cfg provider.Config, role string, m ikigai.Message) []byte {
	b = append(b, `{"role":"`...)
	b = append(b, role...)
	b = append(b, `","content":`...)
	return append(appendContent(b, cfg, textAnd(m.Content, m.Parts)), "},"...)
}

// textAnd returns text and parts as one list of parts.
func textAnd(text string, parts []ikigai.Part) []ikigai.Part {
	return append([]ikigai.Part{{Type: ikigai.PartText, Text: text}}, parts...)
}

// appendReply appends the items of a reply: as they came where they are the
// vendor's own, and text and calls alone otherwise.
func appendReply(b []byte, cfg provider.Config, group []ikigai.Message) []byte {
	if layout := provider.LayoutOf(cfg.Name, group); layout != nil {
		return appendLayout(b, layout, group)
	}
	for _, m := range group {
		switch {
		case m.Call != nil:
			b = appendCall(b, m.Call, nil)
		case m.Content != "":
			b = append(b, `{"role":"assistant","content":`...)
			b = append(wirejson.AppendString(b, m.Content), "},"...)
		}
	}
	return b
}

// appendCall appends a call, with further members. Arguments that were empty
// mean an object without members, and are sent as one.
func appendCall(b []byte, c *ikigai.ToolCall, own members) []byte {
	b = append(b, `{"type":"function_call","call_id":`...)
	b = wirejson.AppendString(b, c.ID)
	b = append(b, `,"name":`...)
	b = wirejson.AppendString(b, c.Name)
	b = append(b, `,"arguments":`...)
	if strings.TrimSpace(c.Arguments) == "" {
		b = append(b, `"{}"`...)
	} else {
		b = wirejson.AppendString(b, c.Arguments)
	}
	return append(own.append(b), "},"...)
}

// appendResults appends the results of one round. The state of the statement
// and the notes about the runs follow in the last one, each in a block of its
// own: a message of the user would end the model's train of thought.
func appendResults(b []byte, cfg provider.Config, group []ikigai.Message) []byte {
	for i, m := range group {
		content := textAnd(m.Result.Output, m.Result.Parts)
		if i == len(group)-1 {
			content = append(content, remarks(group)...)
		}
		b = append(b, `{"type":"function_call_output","call_id":`...)
		b = wirejson.AppendString(b, m.Result.CallID)
		b = append(b, `,"output":`...)
		b = append(appendContent(b, cfg, content), "},"...)
	}
	return b
}

// remarks returns what is told at the end of a round.
func remarks(group []ikigai.Message) []ikigai.Part {
	var parts []ikigai.Part
	add := func(text string) {
		if text != "" {
			parts = append(parts, ikigai.Part{Type: ikigai.PartText, Text: text})
		}
	}
	for _, m := range group {
		add(m.Result.Feedback)
	}
	for _, m := range group {
		add(m.Result.Note)
	}
	return parts
}
