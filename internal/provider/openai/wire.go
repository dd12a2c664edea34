package openai

import (
	"bytes"
	"cmp"
	"encoding/json"

	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// text is a string, or JSON of another type that is taken as it stands: some
// vendors send the arguments of a call as an object.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(raw []byte) error {
	switch {
	case raw[0] == '"':
		return json.Unmarshal(raw, (*string)(t))
	case string(raw) != "null":
		*t = text(wirejson.AppendJSON(nil, raw))
	}
	return nil
}

// content is a string, or a list of parts in which Mistral tells text from
// thinking.
type content struct {
	text, thinking string
}

// UnmarshalJSON implements json.Unmarshaler. It takes what it understands.
func (c *content) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		return json.Unmarshal(raw, &c.text)
	case '[':
		var parts []contentPart
		if json.Unmarshal(raw, &parts) != nil {
			return nil
		}
		for _, p := range parts {
			c.text += p.Text
			for _, t := range p.Thinking {
				c.thinking += t.Text
			}
		}
	}
	return nil
}

type contentPart struct {
	Text     string        `json:"text"`
	Thinking []contentPart `json:"thinking"`
}

// usage is what a reply cost, under all the names that vendors have for it.
type usage struct {
	Prompt     provider.Count `json:"prompt_tokens"`
	Completion provider.Count `json:"completion_tokens"`
	Total      provider.Count `json:"total_tokens"`

	PromptDetails struct {
		Cached provider.Count `json:"cached_tokens"`
		Write  provider.Count `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning provider.Count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`

	CacheHit   provider.Count `json:"prompt_cache_hit_tokens"`     // DeepSeek
	CacheRead  provider.Count `json:"cache_read_input_tokens"`     // gateways to Anthropic
	CacheWrite provider.Count `json:"cache_creation_input_tokens"` // gateways to Anthropic
	Cached     provider.Count `json:"cached_tokens"`               // Moonshot
}

func (d *decoder) setUsage(u *usage) {
	if u == nil {
		return
	}
	output, reasoning := u.Completion, u.CompletionDetails.Reasoning
	if reasoning > 0 && u.Total == u.Prompt+output+reasoning {
		output += reasoning // xAI counts it apart
	}
	d.usage = provider.Counts{
		Input:      u.Prompt,
		Output:     output,
		CacheRead:  cmp.Or(u.PromptDetails.Cached, u.CacheHit, u.CacheRead, u.Cached),
		CacheWrite: cmp.Or(u.PromptDetails.Write, u.CacheWrite),
		Reasoning:  reasoning,
	}.Usage()
}

// reasoningDetails is OpenRouter's list of pieces of reasoning, as it came.
type reasoningDetails []map[string]json.RawMessage

// UnmarshalJSON implements json.Unmarshaler. What is no list of objects is
// left out.
func (r *reasoningDetails) UnmarshalJSON(raw []byte) error {
	raw = bytes.ToValidUTF8(raw, []byte("\uFFFD")) // it is kept as it is
	if json.Unmarshal(raw, (*[]map[string]json.RawMessage)(r)) != nil {
		*r = nil
	}
	return nil
}

func (r reasoningDetails) text() string {
	var s string
	for _, item := range r {
		for _, name := range []string{"text", "summary"} {
			var part string
			_ = json.Unmarshal(item[name], &part) // what is no string adds nothing
			s += part
		}
	}
	return s
}

// append adds the pieces of more, joined with the last one where they go on
// with it.
func (r reasoningDetails) append(more reasoningDetails) reasoningDetails {
	for _, item := range more {
		if last := len(r) - 1; last >= 0 && same(r[last], item, "type") && same(r[last], item, "index") {
			join(r[last], item)
		} else {
			r = append(r, item)
		}
	}
	return r
}

func same(a, b map[string]json.RawMessage, name string) bool { return bytes.Equal(a[name], b[name]) }

// join adds to what item says: text grows, everything else is replaced.
func join(to, item map[string]json.RawMessage) {
	for name, value := range item {
		before, grows := to[name], name == "text" || name == "summary" || name == "data"
		switch {
		case string(value) == "null" && before != nil: // says nothing new
		case !grows || !wirejson.IsString(before):
			to[name] = value
		case wirejson.IsString(value):
			to[name] = wirejson.Concat(before, value)
		}
	}
}
