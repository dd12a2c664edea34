package openai

import (
	"crypto/sha256"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// wire speaks Chat Completions.
type wire struct{ cfg provider.Config }

// Path implements provider.Wire.
func (w *wire) Path(ikigai.Request) string {
	if w.cfg.Quirks.Path != "" {
		return strings.ReplaceAll(w.cfg.Quirks.Path, "{model}", w.cfg.Model)
	}
	return "chat/completions"
}

// Head implements provider.Wire.
func (w *wire) Head(req ikigai.Request) (pieces [][]byte, done int) {
	pieces = [][]byte{options(w.cfg, req)}
	system := ikigai.Message{Kind: ikigai.KindSystem}
	if len(req.Messages) > 1 && req.Messages[0].Kind == ikigai.KindSystem {
		system, done = req.Messages[0], 1
	}
	words := formatWords(w.cfg, req.Format)
	switch {
	case words != "" && done > 0:
		system.Content += "\n\n" + words
	case words != "":
		system.Content = words
	case done == 0:
		return pieces, 0
	}
	return append(pieces, w.Append(nil, []ikigai.Message{system}, false)), done
}

// Append implements provider.Wire.
func (w *wire) Append(b []byte, messages []ikigai.Message, last bool) []byte {
	for group := range ikigai.Groups(messages) {
		switch group[0].Kind {
		case ikigai.KindAssistant, ikigai.KindToolCall:
			b = appendReply(b, w.cfg, group)
		case ikigai.KindToolResult:
			b = appendResults(b, w.cfg, group)
		case ikigai.KindSystem:
			b = appendText(b, w.cfg, "system", group[0])
		default:
			b = appendText(b, w.cfg, "user", group[0])
		}
	}
	return b
}

// appendText appends a message of a role that has text and parts. Text alone
// is sent as a string, which every server understands.
func appendText(b []byte, cfg provider.Config, role string, m ikigai.Message) []byte {
	b = append(b, `{"role":"`...)
	b = append(b, role...)
	b = append(b, `","content":`...)
	if parts := fitting(cfg, m.Parts); slices.ContainsFunc(parts, provider.IsMedia) {
		if m.Content != "" {
			parts = append([]ikigai.Part{{Type: ikigai.PartText, Text: m.Content}}, parts...)
		}
		b = appendParts(b, parts)
	} else {
		b = wirejson.AppendString(b, joinText(m.Content, parts))
	}
	return append(b, "},"...)
}

// appendReply appends an assistant message of text, calls or both.
func appendReply(b []byte, cfg provider.Config, group []ikigai.Message) []byte {
	calls := group
	text := ""
	if group[0].Kind == ikigai.KindAssistant {
		text, calls = group[0].Content, group[1:]
	}
	back := givenBack(cfg, group)
	b = append(b, `{"role":"assistant","content":`...)
	switch thoughts := back[memberContent]; {
	case len(thoughts) > 0:
		b = appendThoughts(b, thoughts, text)
	case text == "" && len(calls) > 0:
		b = append(b, "null"...)
	default:
		b = wirejson.AppendString(b, text)
	}
	for _, name := range cfg.Quirks.Replay {
		if value := back[name]; name != memberContent && len(value) > 0 {
			b = wirejson.AppendMember(b, name, value)
		}
	}
	for i, m := range calls {
		if i == 0 {
			b = append(b, `,"tool_calls":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendCall(b, cfg, m.Call)
	}
	if len(calls) > 0 {
		b = append(b, ']')
	}
	return append(b, "},"...)
}

// appendCall appends one tool call. Arguments that were empty mean an object
// without members, and are sent as one.
func appendCall(b []byte, cfg provider.Config, c *ikigai.ToolCall) []byte {
	b = append(b, `{"id":`...)
	b = wirejson.AppendString(b, callID(cfg, c.ID))
	b = append(b, `,"type":"function","function":{"name":`...)
	b = wirejson.AppendString(b, c.Name)
	b = append(b, `,"arguments":`...)
	if strings.TrimSpace(c.Arguments) == "" {
		b = append(b, `"{}"`...)
	} else {
		b = wirejson.AppendString(b, c.Arguments)
	}
	return append(b, "}}"...)
}

// callID returns the ID of a call as the vendor takes it. An ID that does not
// fit becomes the beginning of its hash, so that call and result still agree
// and no state is needed.
func callID(cfg provider.Config, id string) string {
	n := cfg.Quirks.CallIDLength
	if n == 0 || len(id) == n && strings.Trim(id, alphanumeric) == "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	short := make([]byte, min(n, len(sum)))
	for i := range short {
		short[i] = alphanumeric[int(sum[i])%len(alphanumeric)]
	}
	return string(short)
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// appendResults appends the results of one round. The state of the statement
// and the notes about the runs stand in front of the last one's text. Images
// follow in a message of the user: results can hold only text.
func appendResults(b []byte, cfg provider.Config, group []ikigai.Message) []byte {
	var lead []string
	for _, m := range group {
		if m.Result.Feedback != "" {
			lead = append(lead, m.Result.Feedback)
		}
	}
	for _, m := range group {
		if m.Result.Note != "" {
			lead = append(lead, m.Result.Note)
		}
	}
	var media []ikigai.Part
	for i, m := range group {
		parts := fitting(cfg, m.Result.Parts)
		text := joinText(m.Result.Output, parts)
		if i == len(group)-1 && len(lead) > 0 {
			text = strings.Join(lead, "\n") + "\n" + text
		}
		b = append(b, `{"role":"tool","tool_call_id":`...)
		b = wirejson.AppendString(b, callID(cfg, m.Result.CallID))
		b = append(b, `,"content":`...)
		b = wirejson.AppendString(b, text)
		b = append(b, "},"...)
		media = appendMedia(media, m.Result, parts)
	}
	if len(media) > 0 {
		b = append(b, `{"role":"user","content":`...)
		b = appendParts(b, media)
		b = append(b, "},"...)
	}
	return b
}

// appendMedia appends the images and files among the parts of a result, under a
// line that says where they come from.
func appendMedia(media []ikigai.Part, r *ikigai.ToolResult, parts []ikigai.Part) []ikigai.Part {
	said := false
	for _, p := range parts {
		if !provider.IsMedia(p) {
			continue
		}
		if !said {
			media = append(media, ikigai.Part{Type: ikigai.PartText, Text: "From the result of " + r.Name + " (" + r.CallID + "):"})
			said = true
		}
		media = append(media, p)
	}
	return media
}
