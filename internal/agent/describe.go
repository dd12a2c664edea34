package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// maxShown is the most characters of a value that a summary shows. The whole
// value is in the event's data.
const maxShown = 120

// describeCall returns a call as people read it, name(k="v", …), parameters in
// the order of the tool's schema. tool may be nil.
func describeCall(call ikigai.ToolCall, tool *ikigai.Tool) string {
	args, ok := objectFields(call.Arguments)
	if !ok {
		return call.Name + "(" + cutShown(strings.TrimSpace(call.Arguments)) + ")"
	}
	if tool != nil {
		sortBySchema(args, tool.Schema)
	}
	shown := make([]string, len(args))
	for i, f := range args {
		shown[i] = f.name + "=" + showValue(f.value)
	}
	return call.Name + "(" + strings.Join(shown, ", ") + ")"
}

// sortBySchema puts args in the order in which the schema names them; those it
// does not name come last, as they were.
func sortBySchema(args []field, schema json.RawMessage) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return
	}
	properties, _ := objectFields(string(s.Properties))
	place := func(f field) int {
		i := slices.IndexFunc(properties, func(p field) bool { return p.name == f.name })
		if i < 0 {
			return len(properties)
		}
		return i
	}
	slices.SortStableFunc(args, func(a, b field) int { return place(a) - place(b) })
}

func showValue(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return quote(cutShown(text))
	}
	return cutShown(string(value))
}

func cutShown(s string) string {
	if utf8.RuneCountInString(s) <= maxShown {
		return s
	}
	runes := []rune(s[:min(len(s), 4*maxShown)])
	return string(runes[:maxShown]) + "…"
}

func quote(s string) string { return encode(s) }

// describeResult returns a result as people read it in a line: the first of the
// tool's own words, or of its output.
func describeResult(r *ikigai.Result) string {
	if r.Report != "" {
		return firstLine(r.Report)
	}
	for _, part := range r.Output {
		if part.Type == ikigai.PartText {
			return cutShown(firstLine(part.Text))
		}
	}
	return "done"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
