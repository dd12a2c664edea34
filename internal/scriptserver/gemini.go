package scriptserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"ikigai"
	"ikigai/internal/wirecheck"
)

// gemini speaks Gemini's streamGenerateContent.
type gemini struct{ model string }

// anyGeminiSignature is what the vendor takes for a call of another model.
const anyGeminiSignature = "skip_thought_signature_validator"

// geminiPart is what the server needs of a part.
type geminiPart struct {
	Text      string `json:"text"`
	Thought   bool   `json:"thought"`
	Signature string `json:"thoughtSignature"`
	Call      *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// read implements dialect.
func (g *gemini) read(body []byte) (*request, error) {
	check := wirecheck.GeminiSigned
	if strings.HasPrefix(g.model, "gemini-1") || strings.HasPrefix(g.model, "gemini-2") {
		check = wirecheck.Gemini
	}
	if err := check(body); err != nil {
		return nil, asRefusal(err)
	}
	var wire struct {
		SystemInstruction struct{ Parts []geminiPart }
		Contents          []struct {
			Role  string
			Parts []geminiPart
		}
		Tools      []json.RawMessage
		ToolConfig struct {
			FunctionCallingConfig struct {
				Mode    string
				Allowed []string `json:"allowedFunctionNames"`
			}
		}
	}
	if err := decode("contents", body, &wire); err != nil {
		return nil, err
	}
	calling := wire.ToolConfig.FunctionCallingConfig
	r := &request{named: len(calling.Allowed) == 1}
	switch {
	case r.named:
		r.choice = choiceOf(len(wire.Tools), "tool", calling.Allowed[0])
	case calling.Mode == "VALIDATED":
		r.choice = choiceOf(len(wire.Tools), "auto", "")
	default:
		r.choice = choiceOf(len(wire.Tools), strings.ToLower(calling.Mode), "")
	}
	for _, part := range wire.SystemInstruction.Parts {
		r.system += part.Text
	}
	for i, c := range wire.Contents {
		if c.Role != "model" {
			r.addParts(c.Parts)
			continue
		}
		reply := message{role: "assistant"}
		for j, part := range c.Parts {
			if err := g.verify(fmt.Sprintf("contents[%d].parts[%d]", i, j), part, len(reply.calls)); err != nil {
				return nil, err
			}
			if part.Call != nil {
				reply.calls = append(reply.calls, part.Call.ID)
			} else if !part.Thought {
				reply.text += part.Text
			}
		}
		r.messages = append(r.messages, reply)
	}
	return r, nil
}

// addParts adds a message of the user.
func (r *request) addParts(parts []geminiPart) {
	var texts []string
	results := 0
	for _, p := range parts {
		switch {
		case p.Response != nil:
			results++
			r.messages = append(r.messages, message{role: "tool", callID: p.Response.ID, text: string(p.Response.Response)})
		case p.Text != "":
			texts = append(texts, p.Text)
		}
	}
	r.addTexts(results, texts)
}

// verify refuses a signature that is not this model's or belongs to something
// else, and a first call that has lost its own.
func (g *gemini) verify(at string, p geminiPart, calls int) error {
	own := g.signature(p.Text)
	if p.Call != nil {
		own = g.signature(p.Call.Name + compactJSON(p.Call.Args))
		mine := ownCall{g.model, true}.made(p.Call.ID) && calls == 0
		if p.Signature == anyGeminiSignature && !mine || p.Signature == "" && !mine {
			return nil
		}
	}
	if p.Signature == own || p.Call == nil && p.Signature == "" {
		return nil
	}
	return refuse(at, "Corrupted thought signature.")
}

// signature returns the signature of what a part says.
func (g *gemini) signature(said string) string { return seal(g.model, said) }

func compactJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// write implements dialect.
func (g *gemini) write(m *moment, c content, usage *ikigai.Usage) (reply, end segment, err error) {
	w := &geminiWriter{segment: &reply, gemini: g, id: m.reply.id, usage: usage}
	pieces(c.think, m.reply.chunk, func(s string) { w.part(members{"text": s, "thought": true}) })
	pieces(c.say, m.reply.chunk, func(s string) { w.part(members{"text": s}) })
	for i, arguments := range c.arguments {
		if !strings.HasPrefix(strings.TrimSpace(arguments), "{") || !json.Valid([]byte(arguments)) {
			return reply, end, errors.New("the arguments of a call are no JSON object, which Gemini cannot say")
		}
		name := m.reply.Calls[i].Name
		part := members{"functionCall": members{"id": ownCall{g.model, thoughtful(c)}.id(m.nextCall + i), "name": name, "args": json.RawMessage(arguments)}}
		if i == 0 {
			part["thoughtSignature"] = g.signature(name + compactJSON(json.RawMessage(arguments)))
		}
		w.part(part)
	}
	w.segment = &end
	last := members{"text": ""}
	if c.think != "" && len(c.arguments) == 0 {
		last["thoughtSignature"] = g.signature("")
	}
	w.chunk(members{"content": members{"parts": []any{last}, "role": "model"}, "finishReason": geminiFinish(m.reply.finish), "index": 0})
	return reply, end, nil
}

// geminiWriter writes the chunks of a reply.
type geminiWriter struct {
	*segment
	gemini *gemini
	id     string
	usage  *ikigai.Usage
}

func (w *geminiWriter) part(part members) {
	w.chunk(members{"content": members{"parts": []any{part}, "role": "model"}, "index": 0})
}

// chunk writes a chunk; each bears what the reply has cost.
func (w *geminiWriter) chunk(candidate members) {
	chunk := members{"candidates": []any{candidate}, "modelVersion": w.gemini.model, "responseId": w.id}
	if u := w.usage; u != nil {
		chunk["usageMetadata"] = members{"promptTokenCount": u.Input, "candidatesTokenCount": u.Output - u.Reasoning,
			"thoughtsTokenCount": u.Reasoning, "cachedContentTokenCount": u.CacheRead, "totalTokenCount": u.Input + u.Output}
	}
	w.data = append(append(append(w.data, "data: "...), appendJSON(nil, chunk)...), "\r\n\r\n"...)
	w.ends = append(w.ends, len(w.data))
}

func geminiFinish(finish string) string {
	switch finish {
	case "length":
		return "MAX_TOKENS"
	case "content_filter":
		return "SAFETY"
	}
	return "STOP"
}

// refusal implements problem.
func (g *gemini) refusal(status int, message string) []byte {
	return appendJSON(nil, members{"error": members{"code": status, "message": message, "status": geminiStatus(status)}})
}

func geminiStatus(status int) string {
	switch status {
	case 401:
		return "UNAUTHENTICATED"
	case 403:
		return "PERMISSION_DENIED"
	case 404:
		return "NOT_FOUND"
	case 429:
		return "RESOURCE_EXHAUSTED"
	case 503:
		return "UNAVAILABLE"
	}
	if status >= 500 {
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}

// broken implements problem.
func (g *gemini) broken(message string, detail map[string]json.RawMessage) (before string, data []byte) {
	return "", orDetail(g.refusal(http.StatusInternalServerError, message), detail)
}
