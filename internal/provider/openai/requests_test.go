package openai

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

// Every recorded request whose conversation has a place in ours is written again
// with the same meaning. S1.22, S1.29
func TestRecordedRequests(t *testing.T) {
	var tally providertest.Tally
	notHeld := map[string]int{}
	for _, rec := range providertest.Recordings(t, "openai.chat") {
		if rec.Request == "" || rec.Status != 200 {
			tally.Leave("no request was recorded, or it was refused")
			continue
		}
		p := &parsed{cfg: provider.Config{Name: "acme/x"}, notHeld: map[string]bool{}}
		if p.request(rec.Request); p.unfit != "" {
			tally.Leave(p.unfit)
			continue
		}
		for what := range p.notHeld {
			notHeld[what]++
		}
		tally.Try(t, rec.Name, func(t *testing.T) {
			if diff := cmp.Diff(meaning(t, rec.Request), meaning(t, body(p.cfg, p.req))); diff != "" {
				t.Errorf("%s (-recorded +written):\n%s", rec.Name, diff)
			}
		})
	}
	tally.Report(t)
	t.Logf("equal but for what is not held: %v", notHeld)
	if providertest.Known(t) && tally.Passed < 695 {
		t.Errorf("only %d requests", tally.Passed)
	}
}

// parsed is a request of the wire as one of ours.
type parsed struct {
	cfg     provider.Config
	req     ikigai.Request
	notHeld map[string]bool // what our requests have no place for, and does not change the rest
	unfit   string          // why the conversation has no place in ours
}

type wireRequest struct {
	Model    string
	Messages []wireMessage
	Tools    []struct {
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
	Functions  json.RawMessage
	ToolChoice json.RawMessage `json:"tool_choice"`

	MaxTokens int    `json:"max_tokens"`
	MaxOutput int    `json:"max_completion_tokens"`
	CacheKey  string `json:"prompt_cache_key"`
	Effort    string `json:"reasoning_effort"`
	Reasoning *struct {
		Effort string
		Budget int `json:"max_tokens"`
	} `json:"reasoning"`
	Thinking       *struct{ Type string }
	EnableThinking *bool `json:"enable_thinking"`
	Format         *struct {
		Type   string
		Schema *struct {
			Name   string
			Schema json.RawMessage
		} `json:"json_schema"`
	} `json:"response_format"`
}

type wireMessage struct {
	Role       string
	Content    json.RawMessage
	ToolCallID string `json:"tool_call_id"`
	Calls      []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
	raw map[string]json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *wireMessage) UnmarshalJSON(raw []byte) error {
	type plain wireMessage
	if err := json.Unmarshal(raw, &m.raw); err != nil {
		return err
	}
	return json.Unmarshal(raw, (*plain)(m))
}

type wirePart struct {
	Type, Text string
	Image      struct{ URL string } `json:"image_url"`
	File       struct {
		Name string `json:"filename"`
		Data string `json:"file_data"`
	}
}

// notHeldOptions are members of a request that ours have no place for.
var notHeldOptions = []string{
	"temperature", "top_p", "n", "seed", "random_seed", "usage", "stop", "provider", "parallel_tool_calls", "frequency_penalty",
	"presence_penalty", "logprobs", "web_search_options", "reasoning_format", "models", "transforms", "service_tier",
}

func (p *parsed) request(body string) {
	var r wireRequest
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &members) != nil {
		p.unfit = "no JSON"
		return
	}
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		p.unfit = "another form: " + err.Error()
		return
	}
	for _, name := range notHeldOptions {
		if members[name] != nil {
			p.notHeld[name] = true
		}
	}
	if strings.Contains(body, `"cache_control"`) {
		p.notHeld["marks of what is to be cached"] = true
	}
	if says(r.Functions) {
		p.unfit = "functions, which tools have replaced"
	}
	p.options(&r)
	for i, m := range r.Messages {
		p.message(i, m)
	}
}

func (p *parsed) options(r *wireRequest) {
	p.cfg.Model, p.cfg.Quirks.NoModel = r.Model, r.Model == ""
	p.req.MaxOutput, p.req.CacheKey = max(r.MaxTokens, r.MaxOutput), r.CacheKey
	if r.MaxTokens > 0 {
		p.cfg.Quirks.MaxOutput = "max_tokens"
	}
	for _, t := range r.Tools {
		if t.Function.Name == "" {
			p.unfit = "a tool that is no function"
		}
		p.req.Tools = append(p.req.Tools, ikigai.ToolSpec{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	var mode string
	var named struct{ Function struct{ Name string } }
	switch json.Unmarshal(r.ToolChoice, &mode); {
	case mode == "any" || mode == "required":
		p.req.ToolChoice.Mode = ikigai.ToolChoiceRequired
	case mode == "none":
		p.req.ToolChoice.Mode = ikigai.ToolChoiceNone
	case json.Unmarshal(r.ToolChoice, &named) == nil && named.Function.Name != "":
		p.req.ToolChoice = ikigai.ToolChoice{Mode: ikigai.ToolChoiceNamed, Name: named.Function.Name}
	}
	p.thinking(r)
	if r.Format != nil && r.Format.Schema != nil {
		p.req.Format = &ikigai.Format{Name: r.Format.Schema.Name, Schema: r.Format.Schema.Schema}
	} else if r.Format != nil && r.Format.Type == "json_object" {
		p.notHeld["an answer that is any JSON"] = true
	}
}

func (p *parsed) thinking(r *wireRequest) {
	thinking := ikigai.Thinking{Effort: r.Effort}
	switch {
	case r.Reasoning != nil:
		p.cfg.Quirks.Thinking = provider.ThinkingReasoning
		thinking.Effort, thinking.Budget = r.Reasoning.Effort, r.Reasoning.Budget
		if thinking == (ikigai.Thinking{}) {
			p.notHeld["thinking of no told extent"] = true
			return
		}
	case r.Thinking != nil && r.Thinking.Type != "":
		p.cfg.Quirks.Thinking = provider.ThinkingType
		thinking.Off = r.Thinking.Type == "disabled"
	case r.EnableThinking != nil:
		p.cfg.Quirks.Thinking = provider.ThinkingEnable
		thinking.Off = !*r.EnableThinking
	case r.Effort == "":
		return
	}
	p.cfg.Levels = map[ikigai.Level]ikigai.Thinking{ikigai.LevelDefault: thinking}
}

func (p *parsed) message(i int, m wireMessage) {
	if says(m.raw["name"]) {
		p.notHeld["the name of a message"] = true
	}
	text, parts := p.content(m)
	switch m.Role {
	case "system", "developer":
		if i > 0 {
			p.unfit = "a system message that is not the first"
		}
		p.add(ikigai.Message{Kind: ikigai.KindSystem, Content: text, Parts: parts})
	case "user":
		p.add(ikigai.Message{Kind: ikigai.KindUser, Content: text, Parts: parts})
	case "assistant":
		if len(m.Content) < len(`"x"`) && len(m.Calls) == 0 {
			p.unfit = "a reply of nothing"
		}
		p.reply(m, text)
	case "tool":
		if slices.ContainsFunc(parts, provider.IsMedia) {
			p.unfit = "an image inside a result"
		}
		p.add(ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: m.ToolCallID, Output: text, Parts: parts}})
	default:
		p.unfit = "the role " + m.Role
	}
	if strings.HasPrefix(string(m.Content), "[") && text == "" && len(parts) > 0 && !provider.IsMedia(parts[0]) {
		p.unfit = "empty texts"
	}
}

func (p *parsed) add(m ikigai.Message) { p.req.Messages = append(p.req.Messages, m) }

// content returns the first text of a message, and its other parts.
func (p *parsed) content(m wireMessage) (text string, parts []ikigai.Part) {
	if json.Unmarshal(m.Content, &text) == nil {
		return text, nil
	}
	var list []wirePart
	if json.Unmarshal(m.Content, &list) != nil {
		return "", nil // there is none, or it is thinking
	}
	for i, part := range list {
		switch part.Type {
		case "text":
			if i == 0 {
				text = part.Text
			} else {
				parts = append(parts, ikigai.Part{Type: ikigai.PartText, Text: part.Text})
			}
		case "image_url":
			parts = append(parts, p.media(ikigai.PartImage, "", part.Image.URL))
		case "file":
			parts = append(parts, p.media(ikigai.PartFile, part.File.Name, part.File.Data))
		default:
			p.unfit = "a part of the type " + part.Type
		}
	}
	return text, parts
}

func (p *parsed) media(kind ikigai.PartType, name, url string) ikigai.Part {
	media, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	raw, err := base64.StdEncoding.DecodeString(data)
	switch {
	case !ok:
		p.unfit = "media by address"
	case err != nil:
		p.unfit = "media that the recording leaves out"
	}
	return ikigai.Part{Type: kind, Name: name, Media: media, Bytes: raw}
}

// reply reads an assistant message, what its vendor wants back included.
func (p *parsed) reply(m wireMessage, text string) {
	back := map[string]json.RawMessage{}
	for _, name := range []string{"reasoning_content", "reasoning", "reasoning_details", "annotations"} {
		if says(m.raw[name]) && string(m.raw[name]) != "[]" {
			back[name] = m.raw[name]
		}
	}
	if strings.Contains(string(m.Content), `"thinking"`) {
		text = p.thoughts(m, back)
	}
	for name := range back {
		if !slices.Contains(p.cfg.Quirks.Replay, name) {
			p.cfg.Quirks.Replay = append(p.cfg.Quirks.Replay, name)
		}
	}
	first := len(p.req.Messages)
	if text != "" || len(m.Calls) == 0 {
		p.add(ikigai.Message{Kind: ikigai.KindAssistant, Content: text})
	}
	for _, c := range m.Calls {
		p.add(ikigai.Message{Kind: ikigai.KindToolCall, Call: &ikigai.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments}})
	}
	if len(back) > 0 {
		raw, _ := json.Marshal(back)
		p.req.Messages[first].Vendor = ikigai.VendorState{p.cfg.Name: raw}
	}
}

// thoughts takes the thinking out of a content of parts, and returns the text.
func (p *parsed) thoughts(m wireMessage, back map[string]json.RawMessage) (text string) {
	var list, thinking []json.RawMessage
	_ = json.Unmarshal(m.Content, &list) // content was seen to hold thinking
	for _, raw := range list {
		var part struct{ Type, Text string }
		if _ = json.Unmarshal(raw, &part); part.Type == "thinking" {
			thinking = append(thinking, raw)
		}
		text += part.Text
	}
	p.unfit = ""
	back[memberContent], _ = json.Marshal(thinking)
	return text
}

// meaning returns a body as values, in which what means the same is the same.
func meaning(t *testing.T, body string) map[string]any {
	t.Helper()
	var b map[string]any
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, name := range append([]string{"stream", "stream_options"}, notHeldOptions...) {
		delete(b, name)
	}
	if choice := b["tool_choice"]; choice == "auto" || choice == "any" {
		b["tool_choice"] = map[any]any{"any": "required"}[choice]
	}
	if r, ok := b["reasoning"].(map[string]any); ok && r["enabled"] == true {
		delete(r, "enabled")
	}
	if thinking, ok := b["thinking"].(map[string]any); ok {
		delete(thinking, "clear_thinking")
	}
	if format, ok := b["response_format"].(map[string]any); ok {
		schema, ok := format["json_schema"].(map[string]any)
		if !ok {
			delete(b, "response_format")
		}
		delete(schema, "strict")
		delete(schema, "description")
	}
	tools, _ := b["tools"].([]any)
	for _, tool := range tools {
		tool.(map[string]any)["type"] = "function"
		function := tool.(map[string]any)["function"].(map[string]any)
		delete(function, "strict")
		if p, ok := function["parameters"].(map[string]any); !ok || len(p) == 0 {
			function["parameters"] = map[string]any{"type": "object", "properties": map[string]any{}}
		}
	}
	messages, _ := b["messages"].([]any)
	for _, m := range messages {
		meaningOfMessage(m.(map[string]any))
	}
	withoutEmpty(b)
	return b
}

func meaningOfMessage(m map[string]any) {
	if m["role"] == "developer" {
		m["role"] = "system"
	}
	for _, name := range []string{"name", "prefix"} {
		delete(m, name)
	}
	calls, _ := m["tool_calls"].([]any)
	for _, c := range calls {
		delete(c.(map[string]any), "index")
		if f := c.(map[string]any)["function"].(map[string]any); f["arguments"] == "" {
			f["arguments"] = "{}"
		}
	}
	parts, _ := m["content"].([]any)
	var texts []string
	for _, part := range parts {
		part := part.(map[string]any)
		if image, ok := part["image_url"].(map[string]any); ok {
			delete(image, "detail")
		}
		if part["type"] == "text" {
			texts = append(texts, part["text"].(string))
		}
	}
	if len(texts) == len(parts) && len(parts) > 0 {
		m["content"] = strings.Join(texts, "\n")
	}
}

// withoutEmpty leaves out members that hold nothing, and marks for the cache.
func withoutEmpty(v any) {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(name string, value any) bool {
			withoutEmpty(value)
			m, isMap := value.(map[string]any)
			l, isList := value.([]any)
			return name == "cache_control" || value == nil || value == "" || isMap && len(m) == 0 || isList && len(l) == 0
		})
	case []any:
		for _, item := range v {
			withoutEmpty(item)
		}
	}
}
