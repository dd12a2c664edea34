package openai

import (
	"encoding/json"
	"slices"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// Members of a reply that need more than being kept and returned.
const (
	memberContent   = "content"           // a list in which thinking stands beside the text
	memberReasoning = "reasoning_content" // must be there in every reply, once a vendor wants it at all
)

// replay gathers what a vendor may want back with the message that it sends.
type replay struct {
	content, reasoning, thoughts []byte
	details                      reasoningDetails
	annotations                  []json.RawMessage
}

func (r *replay) add(p *delta) {
	r.content = append(r.content, p.ReasoningContent...)
	r.reasoning = append(r.reasoning, p.Reasoning...)
	r.thoughts = append(r.thoughts, p.Content.thinking...)
	r.details = r.details.append(p.ReasoningDetails)
	r.annotations = append(r.annotations, p.Annotations...)
}

// state returns the members that the quirks of cfg name, nil if there are none.
func (r *replay) state(cfg *provider.Config) ikigai.VendorState {
	members := map[string]json.RawMessage{}
	add := func(name string, value any) {
		if slices.Contains(cfg.Quirks.Replay, name) {
			members[name] = wirejson.Marshal(value)
		}
	}
	if len(r.content) > 0 {
		add(memberReasoning, string(r.content))
	}
	if len(r.reasoning) > 0 {
		add("reasoning", string(r.reasoning))
	}
	if len(r.details) > 0 {
		add("reasoning_details", r.details)
	}
	if len(r.annotations) > 0 {
		add("annotations", r.annotations)
	}
	if len(r.thoughts) > 0 {
		add(memberContent, []thoughts{{Type: "thinking", Thinking: []textPart{{Type: "text", Text: string(r.thoughts)}}}})
	}
	if len(members) == 0 {
		return nil
	}
	return ikigai.VendorState{cfg.Name: wirejson.Marshal(members)}
}

// thoughts is the thinking in a list of content parts.
type thoughts struct {
	Type     string     `json:"type"`
	Thinking []textPart `json:"thinking"`
}

type textPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// givenBack returns the members that the vendor wants back with a reply. They
// are kept with the first message of the reply that has any.
func givenBack(cfg provider.Config, group []ikigai.Message) map[string]json.RawMessage {
	if len(cfg.Quirks.Replay) == 0 {
		return nil
	}
	var back map[string]json.RawMessage
	for _, m := range group {
		if json.Unmarshal(m.Vendor[cfg.Name], &back) == nil && len(back) > 0 {
			break
		}
	}
	// A vendor that wants its reasoning back refuses a reply without any, as
	// those that came from elsewhere are.
	if len(back[memberReasoning]) == 0 && slices.Contains(cfg.Quirks.Replay, memberReasoning) {
		if back == nil {
			back = map[string]json.RawMessage{}
		}
		back[memberReasoning] = json.RawMessage(`""`)
	}
	return back
}

// appendThoughts appends content of parts: first, which is a list of thinking,
// and text.
func appendThoughts(b []byte, first json.RawMessage, text string) []byte {
	var parts []json.RawMessage
	_ = json.Unmarshal(first, &parts) // what is no list is left out
	if text != "" {
		parts = append(parts, wirejson.Marshal(textPart{"text", text}))
	}
	return append(b, wirejson.Marshal(parts)...)
}
