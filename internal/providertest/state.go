package providertest

import (
	"encoding/json"
	"fmt"
	"strings"

	"ikigai"
)

// Model is a model whose state random logs hold.
type Model struct {
	Name string // vendor/model
	Wire string // chat, messages, responses or gemini
}

// Models returns two models for each wire: what one has left is none of the
// other's business either.
func Models() []Model {
	return []Model{
		{"acme/chat-a", "chat"}, {"acme/chat-b", "chat"},
		{"anthropic/claude-a", "messages"}, {"anthropic/claude-b", "messages"},
		{"openai/gpt-a", "responses"}, {"openai/gpt-b", "responses"},
		{"google/gemini-3-a", "gemini"}, {"google/gemini-2.5-b", "gemini"},
	}
}

// Canary returns what stands in all that the model with the given name has left
// in a random log, and nowhere else. It is of letters and digits, a multiple of
// four of them, so that it can stand in base64.
func Canary(model string) string {
	letters := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return 'X'
	}, model)
	s := "CANARY" + letters
	return s + strings.Repeat("Y", 3-(len(s)-1)%4)
}

// block is a block of a layout, as package provider writes them.
type block struct {
	Text int             `json:"text,omitempty"`
	Call int             `json:"call,omitempty"`
	Own  json.RawMessage `json:"own,omitempty"`
}

// state returns what the model wants back with a reply of some text and calls:
// mostly what fits, at times what does not or is of no known form.
func (l *randomLog) state(text string, calls int) ikigai.VendorState {
	if l.r.IntN(3) == 0 {
		return nil
	}
	canary := Canary(l.now.Name)
	switch l.r.IntN(16) {
	case 0:
		return ikigai.VendorState{l.now.Name: json.RawMessage(`"` + canary + `"`)}
	case 1:
		text += "more"
	case 2:
		calls++
	}
	if l.now.Wire == "chat" {
		return ikigai.VendorState{l.now.Name: json.RawMessage(`{"reasoning_content":"` + canary + `"}`)}
	}
	raw, _ := json.Marshal(l.layout(canary, text, calls))
	return ikigai.VendorState{l.now.Name: raw}
}

// layout returns blocks for text and calls with what is the vendor's own.
func (l *randomLog) layout(canary, text string, calls int) (blocks []block) {
	l.named = l.r.IntN(4) > 0
	if l.now.Wire != "gemini" || l.r.IntN(4) == 0 {
		blocks = append(blocks, block{Own: l.own(canary)})
	}
	for len(text) > 0 {
		n := 1 + l.r.IntN(len(text))
		blocks = append(blocks, block{Text: n, Own: l.beside(canary, "text")})
		text = text[n:]
		if l.now.Wire == "responses" && l.r.IntN(2) == 0 {
			blocks = append(blocks, block{Own: l.own(canary)})
			if text == "" && calls == 0 {
				blocks = blocks[:len(blocks)-1] // nothing would follow it
			}
		}
	}
	for i := range calls {
		if l.now.Wire == "messages" && l.r.IntN(3) == 0 {
			blocks = append(blocks, block{Own: l.own(canary)})
		}
		blocks = append(blocks, block{Call: i + 1, Own: l.beside(canary, "call")})
	}
	return blocks
}

// own returns a block of the vendor's own.
func (l *randomLog) own(canary string) json.RawMessage {
	l.ids++
	switch l.now.Wire {
	case "messages":
		if l.r.IntN(4) == 0 {
			return json.RawMessage(fmt.Sprintf(`{"type":"redacted_thinking","data":"%s%04d"}`, canary, l.ids))
		}
		return json.RawMessage(fmt.Sprintf(`{"type":"thinking","thinking":"hm","signature":"%s%04d"}`, canary, l.ids))
	case "responses":
		if !l.named {
			return json.RawMessage(fmt.Sprintf(`{"type":"reasoning","summary":[],"encrypted_content":"%s%04d"}`, canary, l.ids))
		}
		return json.RawMessage(fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"%s%04d"}`, l.ids, canary, l.ids))
	}
	return json.RawMessage(fmt.Sprintf(`{"executableCode":{"language":"PYTHON","code":"1"},"thoughtSignature":"%s%04d"}`, canary, l.ids))
}

// beside returns what goes with a text or a call.
func (l *randomLog) beside(canary, what string) json.RawMessage {
	// OpenAI's items have IDs all of them, or none.
	if responses := l.now.Wire == "responses"; responses && !l.named || !responses && l.r.IntN(2) == 0 {
		return nil
	}
	l.ids++
	switch {
	case l.now.Wire == "gemini":
		return json.RawMessage(fmt.Sprintf(`"%s%04d"`, canary, l.ids))
	case l.now.Wire == "responses" && what == "text":
		return json.RawMessage(fmt.Sprintf(`{"item":{"id":"msg_%s%04d","status":"completed"}}`, canary, l.ids))
	case l.now.Wire == "responses":
		return json.RawMessage(fmt.Sprintf(`{"id":"fc_%s%04d","status":"completed"}`, canary, l.ids))
	case what == "text":
		return json.RawMessage(fmt.Sprintf(`{"citations":[{"type":"char_location","cited_text":"%s%04d","document_index":0,"document_title":null,"start_char_index":0,"end_char_index":1}]}`, canary, l.ids))
	}
	return nil
}
