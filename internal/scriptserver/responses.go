package scriptserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"ikigai"
	"ikigai/internal/wirecheck"
)

// responses speaks OpenAI's Responses.
type responses struct{ model string }

// responsesItem is what the server needs of an item.
type responsesItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Encrypted string          `json:"encrypted_content"`
}

// read implements dialect.
func (p *responses) read(body []byte) (*request, error) {
	if err := wirecheck.Responses(body); err != nil {
		return nil, asRefusal(err)
	}
	var wire struct {
		Model      string
		Input      []responsesItem
		Tools      []json.RawMessage
		ToolChoice json.RawMessage `json:"tool_choice"`
		Stream     bool
	}
	if err := decode("input", body, &wire); err != nil {
		return nil, err
	}
	if !wire.Stream {
		return nil, refuse("stream", "The scripted model streams its replies. Set stream to true.")
	}
	p.model = wire.Model
	r := &request{}
	var choice struct{ Name string }
	if json.Unmarshal(wire.ToolChoice, &choice) == nil && choice.Name != "" {
		r.choice, r.named = choiceOf(len(wire.Tools), "tool", choice.Name), true
	} else {
		r.choice = choiceOf(len(wire.Tools), strings.Trim(string(wire.ToolChoice), `"`), "")
	}
	if err := p.addItems(r, wire.Input); err != nil {
		return nil, err
	}
	r.findSystem()
	return r, nil
}

// addItems adds the items of the input. What the model said in a row is one reply.
func (p *responses) addItems(r *request, items []responsesItem) error {
	var reply *message // that the items belong to
	thought := false   // it holds reasoning
	for i, it := range items {
		switch {
		case it.Type == "function_call_output":
			r.messages, reply = append(r.messages, newMessage("tool", it.CallID, textsOf(it.Output))), nil
			continue
		case it.Role != "" && it.Role != "assistant":
			r.messages, reply = append(r.messages, newMessage(it.Role, "", textsOf(it.Content))), nil
			continue
		case reply == nil:
			r.messages = append(r.messages, message{role: "assistant"})
			reply, thought = &r.messages[len(r.messages)-1], false
		}
		thought = thought || it.Type == "reasoning"
		if err := p.verify(fmt.Sprintf("input[%d]", i), it, thought); err != nil {
			return err
		}
		reply.text += textOf(it.Content)
		if it.Type == "function_call" {
			reply.calls = append(reply.calls, it.CallID)
		}
	}
	return nil
}

// verify refuses reasoning that is not this model's, and a call whose reasoning
// is lost.
func (p *responses) verify(at string, it responsesItem, thought bool) error {
	switch {
	case it.Type == "reasoning" && it.Encrypted != p.encrypted(it.ID):
		return refuse(at+".encrypted_content", "The encrypted content for item %s could not be verified.", it.ID)
	case it.Type == "function_call" && !thought && (ownCall{p.model, true}).made(it.CallID):
		return refuse(at, "Item '%s' of type 'function_call' was provided without its required 'reasoning' item.", it.CallID)
	}
	return nil
}

// encrypted returns the encrypted content of the reasoning with the given ID.
func (p *responses) encrypted(id string) string {
	return base64.StdEncoding.EncodeToString([]byte(seal(p.model, id)))
}

// write implements dialect.
func (p *responses) write(m *moment, c content, usage *ikigai.Usage) (reply, end segment, err error) {
	w := &responsesWriter{segment: &reply, chunk: m.reply.chunk}
	response := members{"id": "resp_" + m.reply.id, "object": "response", "created_at": created, "status": "in_progress",
		"model": p.model, "output": []any{}, "usage": nil, "error": nil, "incomplete_details": nil}
	w.send("response.created", members{"response": response})
	w.send("response.in_progress", members{"response": response})
	unique := fmt.Sprintf("%s_%d", m.reply.id, m.nextCall)
	if c.think != "" {
		id := "rs_" + unique
		w.reasoning(members{"id": id, "type": "reasoning", "summary": []any{}, "encrypted_content": p.encrypted(id)}, c.think)
	}
	if c.say != "" {
		w.message("msg_"+unique, c.say)
	}
	for i, arguments := range c.arguments {
		w.call(members{"id": fmt.Sprintf("fc_%s_%d", unique, i), "type": "function_call", "status": "in_progress", "arguments": "",
			"call_id": ownCall{p.model, thoughtful(c)}.id(m.nextCall + i), "name": m.reply.Calls[i].Name}, arguments)
	}
	w.segment = &end
	kind := "completed"
	if why := incomplete(m.reply.finish); why != "" {
		kind = "incomplete"
		response["incomplete_details"] = members{"reason": why}
	}
	response["status"], response["output"] = kind, w.items
	if usage != nil {
		response["usage"] = responsesUsage(*usage)
	}
	w.send("response."+kind, members{"response": response})
	return reply, end, nil
}

// incomplete returns why a reply ended early, "" if it did not.
func incomplete(finish string) string {
	switch finish {
	case "length":
		return "max_output_tokens"
	case "content_filter":
		return finish
	}
	return ""
}

// responsesWriter writes the items of a reply.
type responsesWriter struct {
	*segment
	chunk, number int
	items         []any // those that are done
}

// send writes an event.
func (w *responsesWriter) send(kind string, data members) {
	data["type"], data["sequence_number"] = kind, w.number
	w.number++
	w.event(kind, data)
}

// item writes the beginning of an item, and returns how it is told to be done.
func (w *responsesWriter) item(item members) (done func()) {
	at := len(w.items)
	w.send("response.output_item.added", members{"output_index": at, "item": item})
	return func() {
		w.send("response.output_item.done", members{"output_index": at, "item": item})
		w.items = append(w.items, item)
	}
}

// deltas writes text in pieces.
func (w *responsesWriter) deltas(kind, id, text string, more members) {
	pieces(text, w.chunk, func(s string) {
		data := members{"item_id": id, "output_index": len(w.items), "delta": s}
		for name, value := range more {
			data[name] = value
		}
		w.send(kind, data)
	})
}

func (w *responsesWriter) reasoning(item members, text string) {
	done := w.item(item)
	part := members{"type": "summary_text", "text": ""}
	at := members{"summary_index": 0}
	id := item["id"].(string)
	w.send("response.reasoning_summary_part.added", members{"item_id": id, "output_index": len(w.items), "summary_index": 0, "part": part})
	w.deltas("response.reasoning_summary_text.delta", id, text, at)
	w.send("response.reasoning_summary_text.done", members{"item_id": id, "output_index": len(w.items), "summary_index": 0, "text": text})
	part = members{"type": "summary_text", "text": text}
	w.send("response.reasoning_summary_part.done", members{"item_id": id, "output_index": len(w.items), "summary_index": 0, "part": part})
	item["summary"] = []any{part}
	done()
}

func (w *responsesWriter) message(id, text string) {
	item := members{"id": id, "type": "message", "status": "in_progress", "role": "assistant", "content": []any{}}
	done := w.item(item)
	part := members{"type": "output_text", "annotations": []any{}, "text": ""}
	w.send("response.content_part.added", members{"item_id": id, "output_index": len(w.items), "content_index": 0, "part": part})
	w.deltas("response.output_text.delta", id, text, members{"content_index": 0})
	w.send("response.output_text.done", members{"item_id": id, "output_index": len(w.items), "content_index": 0, "text": text})
	part = members{"type": "output_text", "annotations": []any{}, "text": text}
	w.send("response.content_part.done", members{"item_id": id, "output_index": len(w.items), "content_index": 0, "part": part})
	item["content"], item["status"] = []any{part}, "completed"
	done()
}

func (w *responsesWriter) call(item members, arguments string) {
	done := w.item(item)
	id := item["id"].(string)
	w.deltas("response.function_call_arguments.delta", id, arguments, nil)
	w.send("response.function_call_arguments.done", members{"item_id": id, "output_index": len(w.items), "arguments": arguments})
	item["arguments"], item["status"] = arguments, "completed"
	done()
}

func responsesUsage(u ikigai.Usage) members {
	return members{"input_tokens": u.Input, "input_tokens_details": members{"cached_tokens": u.CacheRead},
		"output_tokens": u.Output, "output_tokens_details": members{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Input + u.Output}
}

// refusal implements problem.
func (p *responses) refusal(status int, message string) []byte {
	return chat{}.refusal(status, message)
}

// broken implements problem.
func (p *responses) broken(message string, detail map[string]json.RawMessage) (before string, data []byte) {
	body := members{"type": "error", "code": "server_error", "message": message, "param": nil}
	var inner map[string]json.RawMessage
	if json.Unmarshal(detail["error"], &inner) == nil && inner != nil {
		detail = inner
	}
	for name, value := range detail {
		if name != "type" {
			body[name] = value
		}
	}
	return "event: error\n", appendJSON(nil, body)
}
