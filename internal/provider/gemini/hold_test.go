package gemini

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// holder reads the normal form of a request as a conversation that belongs to no
// vendor, with the settings that go with it.
type holder struct {
	cfg  provider.Config
	req  ikigai.Request
	why  string             // the request cannot be held
	open []*ikigai.ToolCall // calls without a result yet
}

var modelInURL = regexp.MustCompile(`/models/([^:/]+):`)

// hold reads body, which was sent to url. why says what cannot be held.
func hold(url string, body map[string]any) (cfg provider.Config, req ikigai.Request, why string) {
	model := modelInURL.FindStringSubmatch(url)[1]
	h := &holder{cfg: provider.Config{Name: "google/" + model, Model: model}}
	h.cfg.Quirks.Body = map[string]json.RawMessage{}
	for name, value := range body {
		switch name {
		case "contents", "systemInstruction", "generationConfig", "tools", "toolConfig":
		default:
			h.cfg.Quirks.Body[name] = wirejson.Marshal(value)
		}
	}
	h.system(body)
	h.tools(body)
	h.config(body)
	for _, c := range list(body["contents"]) {
		content := c.(map[string]any)
		if parts := list(content["parts"]); content["role"] == "model" {
			h.reply(parts)
		} else {
			h.input(parts)
		}
	}
	if len(h.open) > 0 {
		h.refuse("calls without results")
	}
	return h.cfg, h.req, h.why
}

func (h *holder) refuse(why string) {
	if h.why == "" {
		h.why = why
	}
}

func (h *holder) add(m ikigai.Message) { h.req.Messages = append(h.req.Messages, m) }

func (h *holder) system(body map[string]any) {
	system, ok := body["systemInstruction"].(map[string]any)
	if !ok {
		return
	}
	parts := list(system["parts"])
	if len(parts) != 1 {
		h.refuse("a system prompt in several parts")
		return
	}
	text, _ := parts[0].(map[string]any)["text"].(string)
	h.add(ikigai.Message{Kind: ikigai.KindSystem, Content: text})
}

func (h *holder) tools(body map[string]any) {
	config, _ := body["toolConfig"].(map[string]any)
	for _, t := range list(body["tools"]) {
		functions := list(t.(map[string]any)["functionDeclarations"])
		for _, f := range functions {
			function := f.(map[string]any)
			spec := ikigai.ToolSpec{Name: function["name"].(string)}
			spec.Description, _ = function["description"].(string)
			if schema, ok := function["parametersJsonSchema"]; ok {
				spec.Schema = wirejson.Marshal(schema)
			}
			h.req.Tools = append(h.req.Tools, spec)
		}
		if functions == nil {
			h.cfg.Quirks.Body["tools"] = wirejson.Marshal(body["tools"])
		}
	}
	if h.req.Tools != nil && h.cfg.Quirks.Body["tools"] != nil {
		h.refuse("tools of the vendor beside those of ours")
	}
	calling, _ := config["functionCallingConfig"].(map[string]any)
	allowed := list(calling["allowedFunctionNames"])
	switch calling["mode"] {
	case "ANY":
		h.req.ToolChoice.Mode = ikigai.ToolChoiceRequired
		if len(allowed) == 1 {
			h.req.ToolChoice = ikigai.ToolChoice{Mode: ikigai.ToolChoiceNamed, Name: allowed[0].(string)}
		} else if len(allowed) > 1 && len(allowed) != len(h.req.Tools) {
			h.refuse("a choice between some of the tools")
		} else if len(allowed) > 1 {
			delete(calling, "allowedFunctionNames") // all of them
		}
	case "NONE":
		h.req.ToolChoice.Mode = ikigai.ToolChoiceNone
	case "VALIDATED":
		h.cfg.Quirks.Strict = true
	default:
		if config != nil {
			h.cfg.Quirks.Body["toolConfig"] = wirejson.Marshal(config)
		}
		return
	}
	if len(config) > 1 {
		h.refuse("settings of the vendor's tools beside a choice of ours")
	}
}

func (h *holder) config(body map[string]any) {
	more := map[string]any{}
	config, _ := body["generationConfig"].(map[string]any)
	for name, value := range config {
		switch name {
		case "maxOutputTokens":
			h.req.MaxOutput = int(value.(float64))
		case "responseJsonSchema":
			h.req.Format = &ikigai.Format{Name: "answer", Schema: wirejson.Marshal(value)}
		case "thinkingConfig":
			h.thinking(value.(map[string]any))
		default:
			more[name] = value
		}
	}
	if h.req.Format != nil {
		delete(more, "responseMimeType")
	}
	if len(more) > 0 {
		h.cfg.Quirks.Body["generationConfig"] = wirejson.Marshal(more)
	}
}

func (h *holder) thinking(config map[string]any) {
	var t ikigai.Thinking
	t.Effort, _ = config["thinkingLevel"].(string)
	if budget, ok := config["thinkingBudget"].(float64); ok {
		t.Budget, t.Off = int(budget), budget == 0
	}
	h.req.Level = ikigai.LevelMed
	h.cfg.Levels = map[ikigai.Level]ikigai.Thinking{h.req.Level: t}
}

// reply reads what the model said: its texts and calls, and the order and the
// rest as the state of the vendor.
func (h *holder) reply(parts []any) {
	var layout provider.Layout
	var text string
	var calls []*ikigai.ToolCall
	for _, part := range parts {
		p := part.(map[string]any)
		var own json.RawMessage
		if signature, ok := p["thoughtSignature"]; ok {
			own = wirejson.Marshal(signature)
		}
		said, isText := p["text"].(string)
		f, isCall := p["functionCall"].(map[string]any)
		switch {
		case isCall:
			calls = append(calls, &ikigai.ToolCall{ID: h.id(f, len(calls)), Name: f["name"].(string), Arguments: string(wirejson.Marshal(f["args"]))})
			layout = append(layout, provider.Block{Call: len(calls), Own: own})
		case isText && said != "" && p["thought"] == nil:
			text += said
			layout = append(layout, provider.Block{Text: len(said), Own: own})
		default:
			layout = append(layout, provider.Block{Own: wirejson.Marshal(p)})
		}
	}
	if text == "" && len(calls) == 0 {
		h.refuse("a reply of neither text nor calls")
		return
	}
	state := layout.State(h.cfg.Name)
	if text != "" {
		m := ikigai.Message{Kind: ikigai.KindAssistant, Content: text}
		if len(calls) == 0 {
			m.Vendor = state
		}
		h.add(m)
	}
	for i, c := range calls {
		m := ikigai.Message{Kind: ikigai.KindToolCall, Call: c}
		if i == 0 {
			m.Vendor = state
		}
		h.add(m)
	}
	if len(h.open) > 0 {
		h.refuse("calls without results")
	}
	h.open = calls
}

// id returns the ID of a call or of its result, the nth of its message.
func (h *holder) id(f map[string]any, n int) string {
	if id, ok := f["id"].(string); ok {
		return id
	}
	return fmt.Sprintf("call_%d", n)
}

// input reads what the person says, or the results of a round.
func (h *holder) input(parts []any) {
	if len(h.open) > 0 {
		h.results(parts)
		return
	}
	m := ikigai.Message{Kind: ikigai.KindUser}
	for i, part := range parts {
		p := h.media(part.(map[string]any))
		if i == 0 && p.Type == ikigai.PartText {
			m.Content = p.Text
		} else {
			m.Parts = append(m.Parts, p)
		}
	}
	if len(parts) == 0 {
		h.refuse("an empty text")
	}
	h.add(m)
}

func (h *holder) results(parts []any) {
	var results []*ikigai.ToolResult
	for _, part := range parts {
		p := part.(map[string]any)
		f, ok := p["functionResponse"].(map[string]any)
		if !ok {
			h.beside(p, results)
			continue
		}
		r := &ikigai.ToolResult{
			CallID: h.id(f, len(results)), Name: f["name"].(string), Success: true, Output: string(wirejson.Marshal(f["response"])),
		}
		for _, inside := range list(f["parts"]) {
			r.Parts = append(r.Parts, h.media(inside.(map[string]any)))
		}
		results = append(results, r)
	}
	if len(results) != len(h.open) {
		h.refuse("another number of results than of calls")
	}
	for _, r := range results {
		h.add(ikigai.Message{Kind: ikigai.KindToolResult, Result: r})
	}
	h.open = nil
}

// beside reads what stands after the results of a round.
func (h *holder) beside(p map[string]any, results []*ikigai.ToolResult) {
	text, isText := p["text"].(string)
	if !isText || len(results) == 0 {
		h.refuse("an image beside results, without a word about where it comes from")
		return
	}
	results[len(results)-1].Feedback = text
}

// media reads a part of an input or of a result.
func (h *holder) media(p map[string]any) ikigai.Part {
	if text, ok := p["text"].(string); ok {
		return ikigai.Part{Type: ikigai.PartText, Text: text}
	}
	data, ok := p["inlineData"].(map[string]any)
	if !ok {
		h.refuse("a file by its address")
		return ikigai.Part{}
	}
	raw, _ := base64.StdEncoding.DecodeString(data["data"].(string))
	part := ikigai.Part{Type: ikigai.PartFile, Media: data["mimeType"].(string), Bytes: raw}
	if part.Media == "" || raw == nil {
		h.refuse("bytes that were not recorded")
	}
	return part
}
