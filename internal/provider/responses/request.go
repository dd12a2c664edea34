package responses

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/schema"
	"ikigai/internal/wirejson"
)

// wire speaks Responses.
type wire struct{ cfg provider.Config }

// Path implements provider.Wire.
func (w *wire) Path(ikigai.Request) string {
	if w.cfg.Quirks.Path != "" {
		return strings.ReplaceAll(w.cfg.Quirks.Path, "{model}", w.cfg.Model)
	}
	return "responses"
}

// Head implements provider.Wire. The system prompt is an item of the input:
// every server takes it there, and some refuse instructions.
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
	for group := range ikigai.Groups(messages) {
		switch group[0].Kind {
		case ikigai.KindAssistant, ikigai.KindToolCall:
			b = appendReply(b, w.cfg, group)
		case ikigai.KindToolResult:
			b = appendResults(b, w.cfg, group)
		case ikigai.KindSystem:
			b = appendMessage(b, w.cfg, "system", group[0])
		default:
			b = appendMessage(b, w.cfg, "user", group[0])
		}
	}
	return b
}

// options returns the body up to the items of its input. They stand last, so
// that the body of a request begins with that of the request before.
func options(cfg provider.Config, req ikigai.Request) []byte {
	b := []byte(`{"stream":true`)
	add := func(name string, value []byte) {
		if _, replaced := cfg.Quirks.Body[name]; !replaced && value != nil {
			b = append(wirejson.AppendString(append(b, ','), name), ':')
			b = append(b, value...)
		}
	}
	if !cfg.Quirks.NoModel {
		add("model", wirejson.AppendString(nil, cfg.Model))
	}
	add("store", []byte("false")) // the log is ours
	if len(cfg.Levels) > 0 {
		add("include", []byte(`["reasoning.encrypted_content"]`))
	}
	add("reasoning", reasoning(cfg, req.Level))
	if len(req.Tools) > 0 {
		add("tools", tools(req.Tools, cfg.Quirks.Strict))
		add("tool_choice", choice(req.ToolChoice))
	}
	if req.Format != nil {
		add("text", format(req.Format))
	}
	if n := maxOutput(cfg, req); n > 0 {
		add("max_output_tokens", strconv.AppendInt(nil, int64(n), 10))
	}
	if req.CacheKey != "" && !cfg.Quirks.NoCacheKey {
		add("prompt_cache_key", wirejson.AppendString(nil, req.CacheKey))
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Quirks.Body)) {
		b = wirejson.AppendMember(b, name, cfg.Quirks.Body[name])
	}
	return append(b, `,"input":[`...)
}

// leastOutput is the smallest limit of the output that is accepted.
const leastOutput = 16

// maxOutput returns the tokens that the reply may have, 0 if the server is not
// told.
func maxOutput(cfg provider.Config, req ikigai.Request) int {
	if req.MaxOutput == 0 && !cfg.Quirks.TellMaxOutput {
		return 0
	}
	return max(cfg.OutputLimit(req), leastOutput)
}

// reasoning returns how the model is told to think, nil for the vendor's way.
// A budget is what gateways know that put the interface before other vendors.
func reasoning(cfg provider.Config, level ikigai.Level) []byte {
	t := cfg.Levels[level]
	b := []byte("{")
	switch {
	case t.Off:
		return []byte(`{"effort":"none"}`)
	case t.Effort != "":
		b = wirejson.AppendString(append(b, `"effort":`...), t.Effort)
	case t.Budget > 0:
		b = strconv.AppendInt(append(b, `"max_tokens":`...), int64(t.Budget), 10)
	default:
		return nil
	}
	if !cfg.Quirks.NoSummary {
		b = append(b, `,"summary":"auto"`...)
	}
	return append(b, '}')
}

func tools(all []ikigai.ToolSpec, strict bool) []byte {
	b := []byte("[")
	for i, t := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendTool(b, t, strict)
	}
	return append(b, ']')
}

// appendTool appends a tool. What it does not say of strictness the vendor
// decides for itself, so it always says.
func appendTool(b []byte, t ikigai.ToolSpec, strict bool) []byte {
	parameters, whole := schema.OpenAI().Fit(t.Schema)
	if strict = strict && whole; strict {
		parameters, strict = strictly(parameters, schema.Strict)
	}
	b = append(b, `{"type":"function","name":`...)
	b = wirejson.AppendString(b, t.Name)
	b = append(b, `,"description":`...)
	b = wirejson.AppendString(b, t.Description)
	b = append(b, `,"parameters":`...)
	b = wirejson.AppendJSON(b, parameters)
	b = append(b, `,"strict":`...)
	return append(strconv.AppendBool(b, strict), '}')
}

// strictly returns a schema as to says it strictly, or as it is.
func strictly(s json.RawMessage, to func(json.RawMessage) (json.RawMessage, bool)) (json.RawMessage, bool) {
	if strict, ok := to(s); ok {
		return strict, true
	}
	return s, false
}

func choice(c ikigai.ToolChoice) []byte {
	switch c.Mode {
	case ikigai.ToolChoiceNone:
		return []byte(`"none"`)
	case ikigai.ToolChoiceRequired:
		return []byte(`"required"`)
	case ikigai.ToolChoiceNamed:
		return append(wirejson.AppendString([]byte(`{"type":"function","name":`), c.Name), '}')
	}
	return nil // auto
}

// format returns the form that the answer must have. It is strict only where
// that means the same: the answer goes to somebody who knows the schema as it
// is, and has no use for nulls in it.
func format(f *ikigai.Format) []byte {
	s, strict := strictly(f.Schema, schema.StrictAsIs)
	b := wirejson.AppendString([]byte(`{"format":{"type":"json_schema","name":`), f.Name)
	b = append(b, `,"schema":`...)
	b = wirejson.AppendJSON(b, s)
	b = append(b, `,"strict":`...)
	return append(strconv.AppendBool(b, strict), "}}"...)
}
