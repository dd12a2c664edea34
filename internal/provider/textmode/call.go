package textmode

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"ikigai"
	"ikigai/internal/wirejson"
)

// call is a call as a model has written it.
type call struct {
	tool      string
	arguments string // a JSON object, or what stands in the place of one
}

// calling is calls, with the model's words on why it makes them.
type calling struct {
	reasoning string
	calls     []call
}

// callKeys are the keys that the JSON of a call may begin with.
var callKeys = map[string]bool{
	"reasoning": true, "tool_calls": true, "tool": true, "params": true,
	"name": true, "arguments": true, "parameters": true, // as other dialects have it
}

// appendCalling appends calls, and the text before them, as the JSON that a
// model is asked to write.
func appendCalling(b []byte, reasoning string, calls []*ikigai.ToolCall) []byte {
	if reasoning == "" && len(calls) == 1 {
		return appendCall(b, calls[0])
	}
	b = append(b, '{')
	if reasoning != "" {
		b = append(b, `"reasoning":`...)
		b = append(wirejson.AppendString(b, reasoning), ',')
	}
	b = append(b, `"tool_calls":[`...)
	for i, c := range calls {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendCall(b, c)
	}
	return append(b, "]}"...)
}

func appendCall(b []byte, c *ikigai.ToolCall) []byte {
	b = append(b, `{"tool":`...)
	b = wirejson.AppendString(b, c.Name)
	b = append(b, `,"params":`...)
	switch arguments := strings.TrimSpace(c.Arguments); {
	case arguments == "":
		b = append(b, "{}"...)
	case arguments[0] == '{' && json.Valid([]byte(arguments)):
		b = wirejson.AppendJSON(b, json.RawMessage(arguments))
	default:
		b = wirejson.AppendString(b, c.Arguments)
	}
	return append(b, '}')
}

// decode reads the calls in JSON that a model has written. It is false for JSON
// that is no call. Control characters inside strings, which models leave
// unescaped in long texts, are taken for what they are.
func decode(raw []byte, known map[string]bool) (calling, bool) {
	if !json.Valid(raw) {
		raw = escapeControls(raw)
	}
	var list []json.RawMessage
	if raw[0] == '[' {
		if json.Unmarshal(raw, &list) != nil {
			return calling{}, false
		}
		return decodeList(list, known)
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return calling{}, false
	}
	reasoning, _ := stringOf(o["reasoning"])
	calls, ok := o["tool_calls"]
	if !ok {
		one, ok := decodeCall(o, known)
		return calling{reasoning, []call{one}}, ok
	}
	if json.Unmarshal(calls, &list) != nil {
		list = []json.RawMessage{calls}
	}
	c := calling{reasoning: reasoning}
	for _, item := range list {
		one, ok := decodeItem(item, known)
		if !ok { // meant as a call, whatever it is: the model is told that it is none
			one = stray(item, known)
		}
		c.calls = append(c.calls, one)
	}
	return c, reasoning != "" || len(list) > 0
}

// decodeList reads a list of nothing but calls.
func decodeList(list []json.RawMessage, known map[string]bool) (c calling, ok bool) {
	for _, item := range list {
		one, ok := decodeItem(item, known)
		if !ok {
			return calling{}, false
		}
		c.calls = append(c.calls, one)
	}
	return c, len(list) > 0
}

func decodeItem(raw json.RawMessage, known map[string]bool) (call, bool) {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return call{}, false
	}
	return decodeCall(o, known)
}

// decodeCall reads one call: in the form that the model was told, with the names
// that other dialects have for its members, or with the parameters beside the
// tool's name. The more it differs the surer the tool must be.
func decodeCall(o map[string]json.RawMessage, known map[string]bool) (call, bool) {
	name, own := stringOf(o["tool"])
	if !own {
		if name, _ = stringOf(o["name"]); !known[name] {
			return call{}, false
		}
	}
	for _, key := range []string{"params", "parameters", "arguments"} {
		if raw, ok := o[key]; ok {
			return call{name, argumentsOf(raw)}, true
		}
	}
	if _, isResult := o["result"]; isResult || !own || !known[name] {
		return call{}, false
	}
	delete(o, "tool")
	delete(o, "reasoning")
	return call{name, string(wirejson.Marshal(o))}, true
}

// argumentsOf returns the arguments of a call: an object, also where it came as
// a string. Anything else is left for the tool to refuse.
func argumentsOf(raw json.RawMessage) string {
	if text, ok := stringOf(raw); ok {
		return text
	}
	if string(raw) == "null" {
		return "{}"
	}
	return string(wirejson.AppendJSON(nil, raw))
}

func stringOf(raw json.RawMessage) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// unknown is the name of a tool that cannot be told.
const unknown = "unknown"

// broken is a call that cannot be read. Its arguments are all of it, which no
// tool takes: the model is told that they are no JSON.
func broken(raw []byte) call {
	for _, name := range []func() *regexp.Regexp{toolName, otherName} {
		if m := name().FindSubmatch(raw); m != nil {
			return call{string(m[1]), string(raw)}
		}
	}
	return call{unknown, string(raw)}
}

// stray is an item of a list of calls that is none. The model is told so of the
// tool that the item names, unless there is such a tool: that could run with what
// was not meant for it.
func stray(item []byte, known map[string]bool) call {
	c := broken(item)
	if known[c.tool] {
		c.tool = unknown
	}
	return c
}

var (
	toolName  = lazy(`"tool"\s*:\s*"([^"\\]+)"`)
	otherName = lazy(`"name"\s*:\s*"([^"\\]+)"`)
	ownMember = lazy(`"(tool|tool_calls)"\s*:`)
)

// lazy returns what compiles expr when it is first needed.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// looksLikeCall reports whether JSON that cannot be read was meant as a call.
func looksLikeCall(raw []byte, known map[string]bool) bool {
	if ownMember().Match(raw) {
		return true
	}
	m := otherName().FindSubmatch(raw)
	return m != nil && known[string(m[1])]
}

// escapeControls escapes the control characters inside the strings of JSON.
func escapeControls(raw []byte) []byte {
	b := make([]byte, 0, len(raw)+len(raw)/16)
	quoted, escaped := false, false
	for _, c := range raw {
		if quoted && c < ' ' {
			if escaped {
				b = append(b, '\\') // it stood before the end of a line
			}
			text := wirejson.AppendString(nil, string(rune(c)))
			b, escaped = append(b, text[1:len(text)-1]...), false
			continue
		}
		if c == '"' && !escaped {
			quoted = !quoted
		}
		escaped = quoted && c == '\\' && !escaped
		b = append(b, c)
	}
	return b
}
