package anthropic

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// cacheMark, a member of a block, has all be cached that stands before it, and
// the block itself.
const cacheMark = `,"cache_control":{"type":"ephemeral"}`

// opening returns the body up to the system prompt: what is the same for all
// sessions with the same model and tools.
func opening(cfg provider.Config, req ikigai.Request) []byte {
	b := []byte("{")
	if !cfg.Quirks.NoModel {
		b = append(b, `"model":`...)
		b = wirejson.AppendString(b, cfg.Model)
		b = append(b, ',')
	}
	b = append(b, `"tools":[`...) // also where there are none: calls without a list are refused
	for i, t := range req.Tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendTool(b, cfg, t, i == len(req.Tools)-1)
	}
	return append(b, "],"...)
}

func appendTool(b []byte, cfg provider.Config, t ikigai.ToolSpec, last bool) []byte {
	b = append(b, `{"name":`...)
	b = wirejson.AppendString(b, t.Name)
	b = append(b, `,"description":`...)
	b = wirejson.AppendString(b, t.Description)
	b = append(b, `,"input_schema":`...)
	taken, whole := inputSchema(t.Schema)
	b = append(b, taken...)
	if cfg.Quirks.Strict && whole && isStrict(t.Schema) {
		b = append(b, `,"strict":true`...)
	}
	if last {
		b = append(b, cacheMark...)
	}
	return append(b, '}')
}

// system returns the system prompt, which is no message on this wire.
func system(m ikigai.Message) []byte {
	b := []byte(`"system":[`)
	empty := len(b)
	b = appendText(b, m.Content)
	for _, p := range m.Parts {
		b = appendText(b, p.Text)
	}
	if len(b) == empty {
		return nil
	}
	return append(mark(withoutComma(b)), "],"...)
}

// options returns what stands between the system prompt and the messages. It
// may change from one request of a session to the next.
func options(cfg provider.Config, req ikigai.Request) []byte {
	thinking := cfg.Levels[req.Level]
	forced := len(req.Tools) > 0 && (req.ToolChoice.Mode == ikigai.ToolChoiceRequired || req.ToolChoice.Mode == ikigai.ToolChoiceNamed)
	b := append([]byte(nil), `"max_tokens":`...)
	b = strconv.AppendInt(b, int64(maxTokens(cfg, req, thinking, forced)), 10)
	b = append(b, `,"stream":true`...)
	if !cfg.Quirks.CacheMarks {
		b = append(b, cacheMark...) // moves along with the last message
	}
	if len(req.Tools) > 0 {
		b = appendChoice(b, req.ToolChoice)
	}
	b = appendThinking(b, thinking, forced)
	b = appendOutput(b, thinking.Effort, req.Format)
	for _, name := range slices.Sorted(maps.Keys(cfg.Quirks.Body)) {
		b = wirejson.AppendMember(b, name, cfg.Quirks.Body[name])
	}
	return append(b, `,"messages":[`...)
}

func appendChoice(b []byte, c ikigai.ToolChoice) []byte {
	switch c.Mode {
	case ikigai.ToolChoiceNone:
		return append(b, `,"tool_choice":{"type":"none"}`...)
	case ikigai.ToolChoiceRequired:
		return append(b, `,"tool_choice":{"type":"any"}`...)
	case ikigai.ToolChoiceNamed:
		b = append(b, `,"tool_choice":{"type":"tool","name":`...)
		b = wirejson.AppendString(b, c.Name)
		return append(b, '}')
	}
	return append(b, `,"tool_choice":{"type":"auto"}`...)
}

// appendOutput appends how much effort goes into the answer, and the form that
// it must have.
func appendOutput(b []byte, effort string, format *ikigai.Format) []byte {
	var config struct {
		Effort string          `json:"effort,omitempty"`
		Format json.RawMessage `json:"format,omitempty"`
	}
	config.Effort = effort
	if format != nil {
		config.Format = slices.Concat([]byte(`{"type":"json_schema","schema":`), strictSchema(format.Schema), []byte("}"))
	}
	if effort == "" && format == nil {
		return b
	}
	return wirejson.AppendMember(b, "output_config", wirejson.Marshal(config))
}
