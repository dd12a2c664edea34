package scriptserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/wirecheck"
)

// anthropic speaks Anthropic's Messages.
type anthropic struct{ model string }

// anthropicBlock is what the server needs of a block.
type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	CallID    string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
}

// blocksOf returns content as blocks, which a string is one of.
func blocksOf(raw json.RawMessage) (blocks []anthropicBlock) {
	if len(raw) > 0 && raw[0] == '"' {
		blocks = []anthropicBlock{{Type: "text"}}
		_ = json.Unmarshal(raw, &blocks[0].Text) // it is checked
		return blocks
	}
	_ = json.Unmarshal(raw, &blocks) // it is checked
	return blocks
}

// textsOf returns the texts of content.
func textsOf(raw json.RawMessage) (texts []string) {
	for _, b := range blocksOf(raw) {
		if b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	return texts
}

// textOf returns the texts of content as one.
func textOf(raw json.RawMessage) string { return strings.Join(textsOf(raw), "\n") }

// read implements dialect.
func (a *anthropic) read(body []byte) (*request, error) {
	if err := wirecheck.Messages(body); err != nil {
		return nil, asRefusal(err)
	}
	var wire struct {
		Model    string
		System   json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools      []struct{ Name string }
		ToolChoice struct{ Type, Name string } `json:"tool_choice"`
		Stream     bool
	}
	if err := decode("", body, &wire); err != nil {
		return nil, err
	}
	if !wire.Stream {
		return nil, refuse("stream", "The scripted model streams its replies. Set stream to true.")
	}
	if a.model == "" {
		a.model = wire.Model
	}
	r := &request{system: textOf(wire.System), choice: choiceOf(len(wire.Tools), wire.ToolChoice.Type, wire.ToolChoice.Name), named: wire.ToolChoice.Type == "tool"}
	for i, m := range wire.Messages {
		if m.Role != "assistant" {
			r.addInput(blocksOf(m.Content))
			continue
		}
		blocks := blocksOf(m.Content)
		if err := a.verify(fmt.Sprintf("messages.%d", i), blocks); err != nil {
			return nil, err
		}
		reply := message{role: "assistant", text: textOf(m.Content)}
		for _, b := range blocks {
			if b.Type == "tool_use" {
				reply.calls = append(reply.calls, b.ID)
			}
		}
		r.messages = append(r.messages, reply)
	}
	return r, nil
}

// choiceOf returns a tool choice in the terms of Chat Completions.
func choiceOf(tools int, kind, name string) string {
	switch {
	case tools == 0:
		return "none"
	case kind == "tool":
		return name
	case kind == "any":
		return "required"
	case kind == "":
		return "auto"
	}
	return kind
}

// addInput adds the blocks of a message of the user. Text beside results belongs
// to the last of them: it is told about the runs.
func (r *request) addInput(blocks []anthropicBlock) {
	var texts []string
	results := 0
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			results++
			r.messages = append(r.messages, message{role: "tool", callID: b.CallID, text: textOf(b.Content)})
		case "text":
			texts = append(texts, b.Text)
		}
	}
	r.addTexts(results, texts)
}

// addTexts adds what stands beside results, or what the person says.
func (r *request) addTexts(results int, texts []string) {
	if results == 0 {
		r.messages = append(r.messages, newMessage("user", "", texts))
		return
	}
	last := &r.messages[len(r.messages)-1]
	last.beside = last.withoutFeedback(texts)
	last.text = strings.Join(append(slices.Clone(last.beside), last.text), "\n")
}

// verify refuses a reply with thinking that is not this model's, and one whose
// thinking is lost.
func (a *anthropic) verify(at string, blocks []anthropicBlock) error {
	thought := false
	for j, b := range blocks {
		if b.Type == "thinking" {
			thought = true
			if b.Signature != seal(a.model, b.Thinking) {
				return refuse(fmt.Sprintf("%s.content.%d", at, j), "Invalid `signature` in `thinking` block")
			}
		}
		if b.Type == "tool_use" && !thought && (ownCall{a.model, true}).made(b.ID) {
			return refuse(fmt.Sprintf("%s.content.%d.type", at, j), "Expected `thinking` or `redacted_thinking`, but found `tool_use`. The thinking of this reply is lost.")
		}
	}
	return nil
}

// write implements dialect.
func (a *anthropic) write(m *moment, c content, usage *ikigai.Usage) (reply, end segment, err error) {
	if usage == nil {
		usage = new(ikigai.Usage)
	}
	reply.event("message_start", members{"type": "message_start", "message": members{
		"model": a.model, "id": "msg_" + m.reply.id, "type": "message", "role": "assistant", "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": a.usage(*usage, 1),
	}})
	w := &anthropicWriter{segment: &reply, chunk: m.reply.chunk}
	if c.think != "" {
		w.block(members{"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking", c.think,
			members{"type": "signature_delta", "signature": seal(a.model, c.think)})
	}
	if c.say != "" {
		w.block(members{"type": "text", "text": ""}, "text_delta", "text", c.say, nil)
	}
	for i, arguments := range c.arguments {
		id := ownCall{a.model, thoughtful(c)}.id(m.nextCall + i)
		w.block(members{"type": "tool_use", "id": id, "name": m.reply.Calls[i].Name, "input": members{}},
			"input_json_delta", "partial_json", arguments, nil)
	}
	end.event("message_delta", members{"type": "message_delta", "usage": a.usage(*usage, usage.Output),
		"delta": members{"stop_reason": anthropicStop(m.reply.finish), "stop_sequence": nil}})
	end.event("message_stop", members{"type": "message_stop"})
	return reply, end, nil
}

// anthropicWriter writes the blocks of a reply.
type anthropicWriter struct {
	*segment
	chunk, index int
}

// block writes a block that begins as start does and whose text comes in deltas,
// and after them last, if there is any.
func (w *anthropicWriter) block(start members, kind, member, text string, last any) {
	w.event("content_block_start", members{"type": "content_block_start", "index": w.index, "content_block": start})
	delta := func(d any) {
		w.event("content_block_delta", members{"type": "content_block_delta", "index": w.index, "delta": d})
	}
	pieces(text, w.chunk, func(s string) { delta(members{"type": kind, member: s}) })
	if last != nil {
		delta(last)
	}
	w.event("content_block_stop", members{"type": "content_block_stop", "index": w.index})
	w.index++
}

// usage returns u in the vendor's form, which counts what was cached apart.
func (a *anthropic) usage(u ikigai.Usage, output int64) members {
	return members{"input_tokens": u.Input - u.CacheRead - u.CacheWrite, "cache_creation_input_tokens": u.CacheWrite,
		"cache_read_input_tokens": u.CacheRead, "output_tokens": output}
}

func anthropicStop(finish string) string {
	switch finish {
	case "tool_calls":
		return "tool_use"
	case "length":
		return "max_tokens"
	case "content_filter":
		return "refusal"
	}
	return "end_turn"
}

// refusal implements problem.
func (a *anthropic) refusal(status int, message string) []byte {
	return appendJSON(nil, members{"type": "error", "error": members{"type": anthropicKind(status), "message": message}, "request_id": "req_scripted"})
}

func anthropicKind(status int) string {
	switch status {
	case 401:
		return "authentication_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 413:
		return "request_too_large"
	case 429:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// broken implements problem.
func (a *anthropic) broken(message string, detail map[string]json.RawMessage) (before string, data []byte) {
	data = a.refusal(http.StatusInternalServerError, message)
	if detail["error"] != nil {
		data = appendJSON(nil, detail)
	} else if detail != nil {
		data = appendJSON(nil, members{"type": "error", "error": detail})
	}
	return "event: error\n", data
}
