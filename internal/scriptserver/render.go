package scriptserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"ikigai"
)

// created is the time that replies carry: fixed, so that the same request gets
// the same bytes.
const created = 1767225600

// segment is a run of server-sent events.
type segment struct {
	data []byte
	ends []int // of the events in data
}

// content is what a reply says at a moment.
type content struct {
	think, say string
	arguments  []string
}

func (r *plannedReply) content(m *moment) (c content, err error) {
	if c.think, err = r.think.render(m); err != nil {
		return c, err
	}
	if c.say, err = r.say.render(m); err != nil {
		return c, err
	}
	for _, t := range r.arguments {
		a, err := t.render(m)
		if err != nil {
			return c, err
		}
		c.arguments = append(c.arguments, a)
	}
	return c, nil
}

// fixed reports whether r is the same for every request, but for ids of calls
// and usage.
func (r *plannedReply) fixed() bool {
	for _, t := range append([]text{r.think, r.say}, r.arguments...) {
		if !t.fixed() {
			return false
		}
	}
	return true
}

// stream returns the deltas of a reply: the first segment holds its text, each
// further one the arguments of a call. The events that open the calls belong
// between them; see callStart.
func (r *plannedReply) stream(model string, c content) []segment {
	e := newEvents(r.id, model)
	if len(c.arguments) == 0 || c.say != "" {
		e.delta(`{"role":"assistant","content":""}`)
	} else {
		e.delta(`{"role":"assistant","content":null}`)
	}
	e.pieces(`{"reasoning_content":`, c.think, `}`, r.chunk)
	e.pieces(`{"content":`, c.say, `}`, r.chunk)
	segments := []segment{e.take()}
	for i, a := range c.arguments {
		e.pieces(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":`, i), a, `}}]}`, r.chunk)
		segments = append(segments, e.take())
	}
	return segments
}

// callStart returns the event that opens call i.
func (r *plannedReply) callStart(model, id string, i int) segment {
	e := newEvents(r.id, model)
	e.delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%s,"arguments":""}}]}`,
		i, id, appendJSON(nil, r.Calls[i].Name)))
	return e.take()
}

// end returns the events that end a whole reply. usage may be nil.
func (r *plannedReply) end(model string, usage *ikigai.Usage) segment {
	e := newEvents(r.id, model)
	e.event(`{"index":0,"delta":{},"finish_reason":`+string(appendJSON(nil, r.finish))+`}`, "")
	if usage != nil {
		e.event("", `,"usage":`+string(appendJSON(nil, wireUsage(*usage))))
	}
	e.raw("data: [DONE]")
	return e.take()
}

// events writes chunks of one response.
type events struct {
	head string
	segment
}

func newEvents(id, model string) *events {
	return &events{head: fmt.Sprintf(`data: {"id":%s,"object":"chat.completion.chunk","created":%d,"model":%s,"choices":[`,
		appendJSON(nil, id), created, appendJSON(nil, model))}
}

// event writes a chunk with one choice, or none, and further fields.
func (e *events) event(choice, further string) {
	e.data = append(e.data, e.head...)
	e.data = append(e.data, choice...)
	e.data = append(e.data, ']')
	e.data = append(e.data, further...)
	e.raw("}")
}

// raw writes an event of one line.
func (e *segment) raw(line string) {
	e.data = append(e.data, line...)
	e.data = append(e.data, "\n\n"...)
	e.ends = append(e.ends, len(e.data))
}

func (e *events) delta(delta string) {
	e.event(`{"index":0,"delta":`+delta+`,"finish_reason":null}`, "")
}

// pieces writes s in deltas of at most size bytes, but of whole characters.
func (e *events) pieces(before, s, after string, size int) {
	if size > 0 {
		perEvent := len(e.head) + len(before) + len(after) + size + 64
		e.data = slices.Grow(e.data, (len(s)+size-1)/size*perEvent)
	}
	var delta []byte
	for len(s) > 0 {
		n := cut(s, size)
		delta = append(delta[:0], before...)
		delta = appendString(delta, s[:n])
		delta = append(delta, after...)
		e.delta(string(delta))
		s = s[n:]
	}
}

// appendString appends s as a JSON string, quickly if nothing in it needs an
// escape.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return appendJSON(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// take returns what was written so far and begins anew.
func (e *events) take() segment {
	s := e.segment
	e.segment = segment{}
	return s
}

// cut returns where to cut s after at most size bytes, one character at least.
func cut(s string, size int) int {
	if size <= 0 || len(s) <= size {
		return len(s)
	}
	for n := size; n > 0; n-- {
		if utf8.RuneStart(s[n]) {
			return n
		}
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// usage returns what r reports to a request of the given size, nil for nothing.
func (r *plannedReply) usage(requestSize int, c content) *ikigai.Usage {
	switch {
	case r.NoUsage:
		return nil
	case r.Usage != nil:
		return r.Usage
	}
	u := &ikigai.Usage{Input: tokens(requestSize), Reasoning: tokens(len(c.think))}
	size := len(c.say)
	for _, a := range c.arguments {
		size += len(a)
	}
	u.Output = tokens(size) + u.Reasoning
	return u
}

// wireUsage returns u in the vendor's form.
func wireUsage(u ikigai.Usage) any {
	type details map[string]int64
	return struct {
		Prompt            int64   `json:"prompt_tokens"`
		Completion        int64   `json:"completion_tokens"`
		Total             int64   `json:"total_tokens"`
		PromptDetails     details `json:"prompt_tokens_details"`
		CompletionDetails details `json:"completion_tokens_details"`
	}{u.Input, u.Output, u.Input + u.Output, details{"cached_tokens": u.CacheRead}, details{"reasoning_tokens": u.Reasoning}}
}

// completion returns the reply as one JSON object, for a request that wants no
// stream. usage may be nil.
func (r *plannedReply) completion(model string, m *moment, c content, usage *ikigai.Usage) []byte {
	type object = map[string]any
	msg := object{"role": "assistant", "content": c.say}
	if c.think != "" {
		msg["reasoning_content"] = c.think
	}
	if len(c.arguments) > 0 {
		var calls []any
		for i, a := range c.arguments {
			calls = append(calls, object{"id": m.callID(i), "type": "function",
				"function": object{"name": r.Calls[i].Name, "arguments": a}})
		}
		msg["tool_calls"] = calls
		if c.say == "" {
			msg["content"] = nil
		}
	}
	reply := object{"id": r.id, "object": "chat.completion", "created": created, "model": model,
		"choices": []any{object{"index": 0, "message": msg, "finish_reason": r.finish}}}
	if usage != nil {
		reply["usage"] = wireUsage(*usage)
	}
	return appendJSON(nil, reply)
}

// appendJSON appends v as compact JSON, without the escapes for HTML. It
// panics if v cannot be encoded, which nothing in this package can cause.
func appendJSON(b []byte, v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("scriptserver: %v", err))
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
