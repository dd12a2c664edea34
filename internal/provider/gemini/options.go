package gemini

import (
	"encoding/json"
	"maps"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/schema"
	"ikigai/internal/wirejson"
)

// options returns the members of the body that say how to answer, without the
// braces of an object.
func (w *wire) options(req ikigai.Request) []byte {
	body := map[string]any{}
	for name, value := range w.cfg.Quirks.Body {
		body[name] = value
	}
	body["generationConfig"] = w.generation(req)
	if mode := w.callingMode(req); mode != nil {
		body["toolConfig"] = map[string]any{"functionCallingConfig": mode}
	}
	raw := wirejson.Marshal(body)
	return raw[1 : len(raw)-1]
}

// generation returns the generationConfig: what is asked for, and what the
// settings add to it.
func (w *wire) generation(req ikigai.Request) map[string]any {
	config := map[string]any{}
	if req.MaxOutput > 0 {
		config["maxOutputTokens"] = req.MaxOutput
	}
	if t := w.thinking(req.Level); t != nil {
		config["thinkingConfig"] = t
	}
	if req.Format != nil && w.formatWords(req) == "" {
		config["responseMimeType"] = "application/json"
		config["responseJsonSchema"] = json.RawMessage(wirejson.AppendJSON(nil, req.Format.Schema))
	}
	var more map[string]any
	if json.Unmarshal(w.cfg.Quirks.Body["generationConfig"], &more) == nil {
		maps.Copy(config, more)
	}
	return config
}

// thinking returns the thinkingConfig, nil for a model of which no levels are
// known: one that does not think refuses any.
func (w *wire) thinking(level ikigai.Level) map[string]any {
	if len(w.cfg.Levels) == 0 {
		return nil
	}
	t := w.cfg.Levels[level]
	config := map[string]any{}
	if t.Off {
		config["thinkingBudget"] = 0
		return config
	}
	config["includeThoughts"] = true // summaries of them, or nothing is seen of the thinking
	if t.Effort != "" {
		config["thinkingLevel"] = t.Effort
	}
	if t.Budget > 0 {
		config["thinkingBudget"] = t.Budget
	}
	return config
}

// callingMode returns the functionCallingConfig, nil for the vendor's own.
func (w *wire) callingMode(req ikigai.Request) map[string]any {
	if len(req.Tools) == 0 {
		return nil
	}
	switch req.ToolChoice.Mode {
	case ikigai.ToolChoiceNone:
		return map[string]any{"mode": "NONE"}
	case ikigai.ToolChoiceRequired:
		return map[string]any{"mode": "ANY"}
	case ikigai.ToolChoiceNamed:
		return map[string]any{"mode": "ANY", "allowedFunctionNames": []string{req.ToolChoice.Name}}
	}
	if w.cfg.Quirks.Strict {
		return map[string]any{"mode": "VALIDATED"}
	}
	return nil
}

// formatWords returns what the system prompt has to say of the form of the
// answer, "" where the vendor is told by a schema or any form will do.
func (w *wire) formatWords(req ikigai.Request) string {
	bySchema := w.cfg.Quirks.Format == "" && (len(req.Tools) == 0 || w.since3())
	if req.Format == nil || bySchema {
		return ""
	}
	return provider.FormatInWords(req.Format)
}

// appendTools appends the tools as a member of the body, and a comma.
func appendTools(b []byte, tools []ikigai.ToolSpec) []byte {
	b = append(b, `"tools":[{"functionDeclarations":[`...)
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		b = wirejson.AppendString(b, t.Name)
		b = append(b, `,"description":`...)
		b = wirejson.AppendString(b, t.Description)
		if len(t.Schema) > 0 {
			fitted, _ := schema.Rules{}.Fit(t.Schema)
			b = wirejson.AppendMember(b, "parametersJsonSchema", fitted)
		}
		b = append(b, '}')
	}
	return append(b, "]}],"...)
}
