package openai

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/schema"
	"ikigai/internal/wirejson"
)

// options returns the body up to its messages. They stand last, so that the
// body of a request begins with that of the request before.
func options(cfg provider.Config, req ikigai.Request) []byte {
	b := wirejson.AppendString([]byte(`{"model":`), cfg.Model)
	if cfg.Quirks.NoModel {
		b = []byte(`{"stream":true`)
	} else {
		b = append(b, `,"stream":true`...)
	}
	if !cfg.Quirks.NoUsageOption {
		b = append(b, `,"stream_options":{"include_usage":true}`...)
	}
	if len(req.Tools) > 0 {
		b = appendTools(b, cfg, req.Tools)
		b = appendChoice(b, req.ToolChoice)
	}
	if thinking, ok := cfg.Levels[req.Level]; ok {
		b = appendThinking(b, cfg, thinking)
	}
	if req.Format != nil {
		b = appendFormat(b, cfg, req.Format)
	}
	if n := maxOutput(cfg, req); n > 0 {
		name := cfg.Quirks.MaxOutput
		if name == "" {
			name = "max_completion_tokens"
		}
		b = wirejson.AppendMember(b, name, number(n))
	}
	if req.CacheKey != "" && !cfg.Quirks.NoCacheKey {
		b = wirejson.AppendMember(b, "prompt_cache_key", wirejson.AppendString(nil, req.CacheKey))
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Quirks.Body)) {
		b = wirejson.AppendMember(b, name, cfg.Quirks.Body[name])
	}
	return append(b, `,"messages":[`...)
}

func number(n int) json.RawMessage { return strconv.AppendInt(nil, int64(n), 10) }

// maxOutput returns the tokens that the reply may have, 0 if the server is not
// told.
func maxOutput(cfg provider.Config, req ikigai.Request) int {
	if req.MaxOutput == 0 && !cfg.Quirks.TellMaxOutput {
		return 0
	}
	return cfg.OutputLimit(req)
}

func appendTools(b []byte, cfg provider.Config, tools []ikigai.ToolSpec) []byte {
	b = append(b, `,"tools":[`...)
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendTool(b, cfg, t)
	}
	return append(b, ']')
}

func appendTool(b []byte, cfg provider.Config, t ikigai.ToolSpec) []byte {
	b = append(b, `{"type":"function","function":{"name":`...)
	b = wirejson.AppendString(b, t.Name)
	b = append(b, `,"description":`...)
	b = wirejson.AppendString(b, t.Description)
	parameters, whole := schema.OpenAI().Fit(t.Schema)
	strictly := schema.Strict
	if !whole {
		strictly = nil // what is left out could not be taken back from the input
	}
	b = appendSchema(b, cfg, "parameters", parameters, strictly)
	return append(b, "}}"...)
}

// appendSchema appends a schema as the member with the given name. That it is
// to be followed to the letter is asked for where strictly, if any, knows how.
func appendSchema(b []byte, cfg provider.Config, name string, raw json.RawMessage, strictly func(json.RawMessage) (json.RawMessage, bool)) []byte {
	if cfg.Quirks.Strict && strictly != nil {
		if strict, ok := strictly(raw); ok {
			b = append(b, `,"strict":true`...)
			raw = strict
		}
	}
	return wirejson.AppendMember(b, name, raw)
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

// appendThinking tells how much to think, in the form that the server knows.
// What a form has no word for is not said.
func appendThinking(b []byte, cfg provider.Config, t ikigai.Thinking) []byte {
	effort := t.Effort
	if t.Off {
		effort = "none"
	}
	member := func(name string, value any) { b = wirejson.AppendMember(b, name, wirejson.Marshal(value)) }
	switch cfg.Quirks.Thinking {
	case provider.ThinkingReasoning:
		if effort != "" {
			member("reasoning", map[string]string{"effort": effort})
		} else if t.Budget > 0 {
			member("reasoning", map[string]int{"max_tokens": t.Budget})
		}
	case provider.ThinkingType:
		if t.Off {
			member("thinking", map[string]string{"type": "disabled"})
			break
		}
		thinking := map[string]any{"type": "enabled"}
		if t.Budget > 0 {
			thinking["budget_tokens"] = t.Budget
		}
		member("thinking", thinking)
		if effort != "" {
			member("reasoning_effort", effort)
		}
	case provider.ThinkingEnable:
		member("enable_thinking", !t.Off)
		if t.Budget > 0 {
			member("thinking_budget", t.Budget)
		}
	case provider.ThinkingTemplateKwargs:
		member("chat_template_kwargs", map[string]bool{"enable_thinking": !t.Off})
	default:
		if effort != "" {
			member("reasoning_effort", effort)
		}
	}
	return b
}

// appendFormat asks for an answer of the form f.
func appendFormat(b []byte, cfg provider.Config, f *ikigai.Format) []byte {
	switch cfg.Quirks.Format {
	case provider.FormatObject:
		return append(b, `,"response_format":{"type":"json_object"}`...)
	case provider.FormatWords:
		return b
	}
	b = append(b, `,"response_format":{"type":"json_schema","json_schema":{"name":`...)
	b = wirejson.AppendString(b, f.Name)
	b = appendSchema(b, cfg, "schema", f.Schema, schema.StrictAsIs) // nobody takes nulls out of an answer
	return append(b, "}}"...)
}

// formatWords returns what the system prompt has to say of the form of the
// answer, "" where the server is told by a schema or any form will do.
func formatWords(cfg provider.Config, f *ikigai.Format) string {
	if f == nil || cfg.Quirks.Format == "" {
		return ""
	}
	return provider.FormatInWords(f)
}
