package openai

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
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
	if len(req.Messages) > 1 && req.Messages[0].Kind == ikigai.KindSystem {
		pieces = append(pieces, w.Append(nil, req.Messages[:1], false))
		done = 1
	}
	return pieces, done
}

// Append implements provider.Wire.
func (w *wire) Append(b []byte, messages []ikigai.Message, last bool) []byte {
	for group := range provider.Groups(messages) {
		switch group[0].Kind {
		case ikigai.KindAssistant, ikigai.KindToolCall:
			b = appendReply(b, w.cfg, group)
		case ikigai.KindToolResult:
			b = appendResults(b, w.cfg, group)
		case ikigai.KindSystem:
			b = appendText(b, "system", group[0])
		default:
			b = appendText(b, "user", group[0])
		}
	}
	return b
}

// options returns the body up to its messages. They stand last, so that the
// body of a request begins with that of the request before.
func options(cfg provider.Config, req ikigai.Request) []byte {
	b := wirejson.AppendString([]byte(`{"model":`), cfg.Model)
	b = append(b, `,"stream":true`...)
	if !cfg.Quirks.NoUsageOption {
		b = append(b, `,"stream_options":{"include_usage":true}`...)
	}
	if len(req.Tools) > 0 {
		b = append(b, `,"tools":[`...)
		for i, t := range req.Tools {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendTool(b, t)
		}
		b = append(b, ']')
		b = appendChoice(b, req.ToolChoice)
	}
	if req.MaxOutput > 0 {
		name := cfg.Quirks.MaxOutput
		if name == "" {
			name = "max_completion_tokens"
		}
		b = wirejson.AppendMember(b, name, strconv.AppendInt(nil, int64(req.MaxOutput), 10))
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Quirks.Body)) {
		b = wirejson.AppendMember(b, name, cfg.Quirks.Body[name])
	}
	return append(b, `,"messages":[`...)
}

func appendTool(b []byte, t ikigai.ToolSpec) []byte {
	b = append(b, `{"type":"function","function":{"name":`...)
	b = wirejson.AppendString(b, t.Name)
	b = append(b, `,"description":`...)
	b = wirejson.AppendString(b, t.Description)
	b = append(b, `,"parameters":`...)
	if len(t.Schema) == 0 {
		b = append(b, `{"type":"object","properties":{}}`...)
	} else {
		b = wirejson.AppendJSON(b, t.Schema)
	}
	return append(b, "}}"...)
}

func appendChoice(b []byte, c ikigai.ToolChoice) []byte {
	switch c.Mode {
	case ikigai.ToolChoiceNone:
		return append(b, `,"tool_choice":"none"`...)
	case ikigai.ToolChoiceRequired:
		return append(b, `,"tool_choice":"required"`...)
	case ikigai.ToolChoiceNamed:
		b = append(b, `,"tool_choice":{"type":"function","function":{"name":`...)
		b = wirejson.AppendString(b, c.Name)
		return append(b, "}}"...)
	}
	return b
}

// appendText appends a message of a role that has text and parts. Text alone
// is sent as a string, which every server understands.
func appendText(b []byte, role string, m ikigai.Message) []byte {
	b = append(b, `{"role":"`...)
	b = append(b, role...)
	b = append(b, `","content":`...)
	if slices.ContainsFunc(m.Parts, isMedia) {
		parts := m.Parts
		if m.Content != "" {
			parts = append([]ikigai.Part{{Type: ikigai.PartText, Text: m.Content}}, parts...)
		}
		b = appendParts(b, parts)
	} else {
		b = wirejson.AppendString(b, joinText(m.Content, m.Parts))
	}
	return append(b, "},"...)
}

func isMedia(p ikigai.Part) bool { return p.Type != ikigai.PartText }

// joinText returns text and the texts of parts, a line feed between them.
func joinText(text string, parts []ikigai.Part) string {
	for _, p := range parts {
		if p.Type != ikigai.PartText {
			continue
		}
		if text != "" {
			text += "\n"
		}
		text += p.Text
	}
	return text
}

// appendReply appends an assistant message of text, calls or both.
func appendReply(b []byte, cfg provider.Config, group []ikigai.Message) []byte {
	b = append(b, `{"role":"assistant","content":`...)
	calls := group
	text := ""
	if group[0].Kind == ikigai.KindAssistant {
		text, calls = group[0].Content, group[1:]
	}
	if text == "" && len(calls) > 0 {
		b = append(b, "null"...)
	} else {
		b = wirejson.AppendString(b, text)
	}
	if len(cfg.Quirks.Replay) > 0 {
		b = appendVendor(b, cfg, group)
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

// appendVendor appends what the vendor wants back with a message. It is kept
// with the first message of the reply that has it.
func appendVendor(b []byte, cfg provider.Config, group []ikigai.Message) []byte {
	for _, m := range group {
		var state map[string]json.RawMessage
		if json.Unmarshal(m.Vendor[cfg.Name], &state) != nil || len(state) == 0 {
			continue
		}
		for _, name := range cfg.Quirks.Replay {
			if value := state[name]; len(value) > 0 {
				b = wirejson.AppendMember(b, name, value)
			}
		}
		break
	}
	return b
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
		text := joinText(m.Result.Output, m.Result.Parts)
		if i == len(group)-1 && len(lead) > 0 {
			text = strings.Join(lead, "\n") + "\n" + text
		}
		b = append(b, `{"role":"tool","tool_call_id":`...)
		b = wirejson.AppendString(b, callID(cfg, m.Result.CallID))
		b = append(b, `,"content":`...)
		b = wirejson.AppendString(b, text)
		b = append(b, "},"...)
		media = appendMedia(media, m.Result)
	}
	if len(media) > 0 {
		b = append(b, `{"role":"user","content":`...)
		b = appendParts(b, media)
		b = append(b, "},"...)
	}
	return b
}

// appendMedia appends the images and files of a result, under a line that says
// where they come from.
func appendMedia(media []ikigai.Part, r *ikigai.ToolResult) []ikigai.Part {
	said := false
	for _, p := range r.Parts {
		if !isMedia(p) {
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

// appendParts appends a list of content parts.
func appendParts(b []byte, parts []ikigai.Part) []byte {
	b = append(b, '[')
	for i, p := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPart(b, p)
	}
	return append(b, ']')
}

func appendPart(b []byte, p ikigai.Part) []byte {
	switch {
	case p.Type == ikigai.PartText:
		b = append(b, `{"type":"text","text":`...)
		b = wirejson.AppendString(b, p.Text)
		return append(b, '}')
	case len(p.Bytes) == 0:
		b = append(b, `{"type":"text","text":`...)
		b = wirejson.AppendString(b, strings.TrimSpace("(no longer available: "+string(p.Type)+" "+p.Name)+")")
		return append(b, '}')
	case p.Type == ikigai.PartImage:
		b = append(b, `{"type":"image_url","image_url":{"url":`...)
		b = wirejson.AppendDataURL(b, p.Media, p.Bytes)
		return append(b, "}}"...)
	}
	b = append(b, `{"type":"file","file":{"filename":`...)
	b = wirejson.AppendString(b, p.Name)
	b = append(b, `,"file_data":`...)
	b = wirejson.AppendDataURL(b, p.Media, p.Bytes)
	return append(b, "}}"...)
}
