package responses

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
)

// wireRequest is the body of a recorded request.
type wireRequest struct {
	Model        string
	Input        json.RawMessage
	Instructions string
	Tools        []struct {
		Type, Name, Description string
		Parameters              json.RawMessage
		Strict                  bool
	}
	ToolChoice json.RawMessage `json:"tool_choice"`
	MaxOutput  int             `json:"max_output_tokens"`
	CacheKey   string          `json:"prompt_cache_key"`
	Reasoning  struct{ Effort, Summary string }
	Text       struct {
		Format struct {
			Type, Name, Description string
			Schema                  json.RawMessage
		}
	}
}

// wirePart is a part of a message, or of a result.
type wirePart struct {
	Type, Text, Refusal, Filename string
	ImageURL                      string `json:"image_url"`
	FileData                      string `json:"file_data"`
	Breakpoint                    any    `json:"prompt_cache_breakpoint"`
}

// notHeld is why a request cannot be held as a conversation of ours.
type notHeld string

func (n notHeld) Error() string { return string(n) }

// hold reads a recorded request as a conversation, with the settings that send
// the options of which a conversation knows nothing.
func hold(raw string) (provider.Config, ikigai.Request, error) {
	cfg := provider.Config{Name: config.Name, Quirks: provider.Quirks{Body: map[string]json.RawMessage{}}}
	h := &holder{cfg: &cfg, names: map[string]string{}}
	var w wireRequest
	all := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(raw), &all) != nil {
		return cfg, h.req, notHeld("no body was recorded")
	}
	if err := json.Unmarshal([]byte(raw), &w); err != nil {
		return cfg, h.req, fmt.Errorf("%w in %s", err, raw)
	}
	if err := h.options(w, all); err != nil {
		return cfg, h.req, err
	}
	err := h.input(w)
	return cfg, h.req, err
}

type holder struct {
	cfg   *provider.Config
	req   ikigai.Request
	names map[string]string // of functions, by the IDs of calls

	group  []ikigai.Message // the reply at work
	layout provider.Layout
}

// options takes in what is no message. What ikigai has no word for goes to the
// further members of the settings.
func (h *holder) options(w wireRequest, all map[string]json.RawMessage) error {
	for _, name := range []string{"previous_response_id", "conversation"} {
		if says(all[name]) {
			return notHeld("it begins in what the vendor has stored")
		}
	}
	known := words("model input instructions stream store include tools max_output_tokens prompt_cache_key")
	h.cfg.Model = w.Model
	for _, t := range w.Tools {
		if t.Type != "function" { // a tool of the vendor is no business of ours
			known = slices.DeleteFunc(known, func(name string) bool { return name == "tools" })
			h.req.Tools = nil
			break
		}
		h.cfg.Quirks.Strict = h.cfg.Quirks.Strict || t.Strict
		h.req.Tools = append(h.req.Tools, ikigai.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Parameters})
	}
	h.req.MaxOutput, h.req.CacheKey = w.MaxOutput, w.CacheKey
	if w.Reasoning.Summary == "auto" && w.Reasoning.Effort != "" {
		h.cfg.Levels = map[ikigai.Level]ikigai.Thinking{ikigai.LevelHigh: {Effort: w.Reasoning.Effort}}
		h.req.Level = ikigai.LevelHigh
		known = append(known, "reasoning")
	}
	if f := w.Text.Format; f.Type == "json_schema" && f.Description == "" {
		h.req.Format = &ikigai.Format{Name: f.Name, Schema: f.Schema}
		known = append(known, "text")
	}
	var mode string
	var named struct{ Type, Name string }
	switch {
	case h.req.Tools == nil:
	case json.Unmarshal(w.ToolChoice, &mode) == nil:
		h.req.ToolChoice = ikigai.ParseToolChoice(mode)
		known = append(known, "tool_choice")
	case json.Unmarshal(w.ToolChoice, &named) == nil && named.Type == "function":
		h.req.ToolChoice = ikigai.ParseToolChoice(named.Name)
		known = append(known, "tool_choice")
	}
	for name, value := range all {
		if !slices.Contains(known, name) {
			h.cfg.Quirks.Body[name] = value
		}
	}
	return nil
}

func words(s string) []string { return strings.Fields(s) }

func (h *holder) input(w wireRequest) error {
	if w.Instructions != "" {
		h.add(ikigai.Message{Kind: ikigai.KindSystem, Content: w.Instructions})
	}
	var text string
	if json.Unmarshal(w.Input, &text) == nil {
		h.add(ikigai.Message{Kind: ikigai.KindUser, Content: text})
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(w.Input, &items); err != nil {
		return err
	}
	for _, raw := range items {
		if err := h.item(raw); err != nil {
			return err
		}
	}
	return h.endReply()
}

func (h *holder) add(m ikigai.Message) { h.req.Messages = append(h.req.Messages, m) }

func (h *holder) item(raw json.RawMessage) error {
	var it struct {
		wireItem
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(raw, &it); err != nil {
		return err
	}
	switch {
	case it.Type == "function_call":
		h.names[it.CallID] = it.Name
		call := &ikigai.ToolCall{ID: it.CallID, Name: it.Name, Arguments: string(it.Arguments)}
		h.group = append(h.group, ikigai.Message{Kind: ikigai.KindToolCall, Call: call})
		own := membersOf(raw, "type", "call_id", "name", "arguments")
		h.layout = append(h.layout, provider.Block{Call: h.calls(), Own: own.raw()})
		return nil
	case it.Role == "assistant":
		return h.answer(raw, it.Content)
	case it.Type == "function_call_output":
		return h.result(it.CallID, it.Output)
	case it.Type != "" && it.Type != "message":
		if it.Type == "reasoning" && !says(membersOf(raw)["encrypted_content"]) && !says(it.Content) {
			return notHeld("reasoning that only the vendor has")
		}
		own := membersOf(raw)
		if it.Type == "reasoning" {
			delete(own, "status")
			if own["summary"] == nil {
				own["summary"] = json.RawMessage("[]")
			}
		}
		h.layout = append(h.layout, provider.Block{Own: own.raw()})
		return nil
	}
	if err := h.endReply(); err != nil {
		return err
	}
	text, parts, err := contentOf(it.Content)
	if err != nil {
		return err
	}
	if it.Role == "user" {
		h.add(ikigai.Message{Kind: ikigai.KindUser, Content: text, Parts: parts})
		return nil
	}
	if len(h.req.Messages) > 0 {
		return notHeld("a system message that is not the first, or not the only one")
	}
	h.add(ikigai.Message{Kind: ikigai.KindSystem, Content: text, Parts: parts})
	return nil
}

// calls returns how many calls the reply at work has.
func (h *holder) calls() (n int) {
	for _, m := range h.group {
		if m.Call != nil {
			n++
		}
	}
	return n
}

// answer takes in a message of the model.
func (h *holder) answer(raw, content json.RawMessage) error {
	own := membersOf(raw, "type", "role", "content")
	if last := len(h.layout) - 1; own == nil && last >= 0 && h.layout[last].Text+h.layout[last].Call > 0 {
		if err := h.endReply(); err != nil {
			return err
		}
	}
	var text string
	parts := []wirePart{}
	raws := []json.RawMessage{nil}
	if json.Unmarshal(content, &text) == nil {
		parts = append(parts, wirePart{Text: text})
	} else if err := json.Unmarshal(content, &parts); err != nil {
		return err
	} else if err := json.Unmarshal(content, &raws); err != nil {
		return err
	}
	for i, p := range parts {
		said := p.Text + p.Refusal
		if said == "" {
			return notHeld("an empty message")
		}
		s := textState{Item: own, Part: membersOf(raws[i], "text", "refusal", "type"), More: i > 0}
		if p.Refusal != "" {
			s.Part = members{"type": json.RawMessage(`"refusal"`)}
		}
		if h.calls() == 0 && len(h.group) > 0 {
			h.group[0].Content += said
		} else {
			h.group = slices.Insert(h.group, 0, ikigai.Message{Kind: ikigai.KindAssistant, Content: said})
		}
		h.layout = append(h.layout, provider.Block{Text: len(said), Own: s.raw()})
	}
	return nil
}

// endReply ends the reply at work.
func (h *holder) endReply() error {
	if len(h.group) == 0 && len(h.layout) > 0 {
		return notHeld("what a model left beside no text and no call")
	}
	if state := h.layout.State(h.cfg.Name); len(h.group) > 0 && state != nil {
		h.group[0].Vendor = state
	}
	h.req.Messages = append(h.req.Messages, h.group...)
	h.group, h.layout = nil, nil
	return nil
}

func (h *holder) result(id string, output json.RawMessage) error {
	if err := h.endReply(); err != nil {
		return err
	}
	if _, ok := h.names[id]; !ok {
		return notHeld("a result without its call")
	}
	text, parts, err := contentOf(output)
	h.add(ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: id, Name: h.names[id], Output: text, Parts: parts}})
	return err
}

// contentOf reads content that the model is given.
func contentOf(raw json.RawMessage) (text string, parts []ikigai.Part, err error) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil, nil
	}
	var list []wirePart
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", nil, err
	}
	for _, p := range list {
		part := ikigai.Part{Type: ikigai.PartText, Text: p.Text}
		url := ""
		if p.Breakpoint != nil {
			return "", nil, notHeld("a mark for the cache")
		}
		switch p.Type {
		case "input_text":
		case "input_image":
			part, url = ikigai.Part{Type: ikigai.PartImage}, p.ImageURL
		case "input_file":
			part, url = ikigai.Part{Type: ikigai.PartFile, Name: p.Filename}, p.FileData
		default:
			return "", nil, notHeld("a part of the type " + p.Type)
		}
		if part.Type != ikigai.PartText {
			media, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
			if part.Media = media; !ok {
				return "", nil, notHeld("a file that lies elsewhere")
			}
			if part.Bytes, err = base64.StdEncoding.DecodeString(data); err != nil {
				return "", nil, err
			}
		}
		parts = append(parts, part)
	}
	return "", parts, nil
}

// counts are reasons with how often there was each.
type counts map[string]int

func (c counts) String() string {
	var b strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, "\n%4d %s", c[reason], reason)
	}
	return b.String()
}
