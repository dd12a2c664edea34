package anthropic

import (
	"slices"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// appendResults appends the results of one round, and behind them, as results
// must come first, what is said beside them.
func appendResults(b []byte, cfg provider.Config, group []ikigai.Message) []byte {
	for _, m := range group {
		b = appendResult(b, cfg, m.Result)
	}
	for _, m := range group {
		if media := leftOver(m.Result); len(media) > 0 {
			b = appendText(b, "From the result of "+m.Result.Name+" ("+m.Result.CallID+"):")
			b = appendParts(b, cfg, media)
		}
	}
	for _, m := range group {
		b = appendText(b, m.Result.Feedback)
	}
	for _, m := range group {
		b = appendText(b, m.Result.Note)
	}
	return b
}

// appendResult appends one result. Text alone is a string.
func appendResult(b []byte, cfg provider.Config, r *ikigai.ToolResult) []byte {
	b = append(b, `{"type":"tool_result","tool_use_id":`...)
	b = wirejson.AppendString(b, r.CallID)
	if parts := inside(r); len(parts) > 0 {
		b = appendContent(b, cfg, r.Output, parts)
	} else if !isBlank(r.Output) {
		b = append(b, `,"content":`...)
		b = wirejson.AppendString(b, r.Output)
	}
	if !r.Success {
		b = append(b, `,"is_error":true`...)
	}
	return append(b, "},"...)
}

// appendContent appends the blocks of a result, if there are any.
func appendContent(b []byte, cfg provider.Config, output string, parts []ikigai.Part) []byte {
	start := len(b)
	b = append(b, `,"content":[`...)
	empty := len(b)
	if b = appendParts(appendText(b, output), cfg, parts); len(b) == empty {
		return b[:start]
	}
	return append(withoutComma(b), ']')
}

// inside returns the parts that stand in a result. One that tells of a failure
// takes nothing but text.
func inside(r *ikigai.ToolResult) []ikigai.Part {
	if r.Success {
		return r.Parts
	}
	return slices.DeleteFunc(slices.Clone(r.Parts), provider.IsMedia)
}

// leftOver returns the parts of a result that cannot stand in it.
func leftOver(r *ikigai.ToolResult) []ikigai.Part {
	if r.Success {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Parts), func(p ikigai.Part) bool { return !provider.IsMedia(p) })
}
