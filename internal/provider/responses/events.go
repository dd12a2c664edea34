package responses

import (
	"encoding/json"
	"strings"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// event is one event of a stream, or a whole reply that was not streamed, or an
// error in place of either.
type event struct {
	Type         string          `json:"type"`
	OutputIndex  *int            `json:"output_index"`
	ItemID       string          `json:"item_id"`
	SummaryIndex int             `json:"summary_index"`
	ContentIndex int             `json:"content_index"`
	Delta        string          `json:"delta"`
	Arguments    text            `json:"arguments"`
	Item         json.RawMessage `json:"item"`
	Response     response        `json:"response"`
	Error        json.RawMessage `json:"error"`

	Object  string          `json:"object"`  // of a whole reply
	Message json.RawMessage `json:"message"` // of an error, with some vendors
	Detail  json.RawMessage `json:"detail"`  // likewise
}

// index returns the number of the item that the event is about, -1 if none is
// told.
func (e *event) index() int {
	if e.OutputIndex == nil {
		return -1
	}
	return *e.OutputIndex
}

// part returns the number of the part of the item that a delta belongs to.
func (e *event) part() int { return max(e.SummaryIndex, e.ContentIndex) }

// response is a reply as a whole, as far as it has come.
type response struct {
	ID         string            `json:"id"`
	Model      string            `json:"model"`
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Usage      *usage            `json:"usage"`
	Error      json.RawMessage   `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// usage is what a reply cost.
type usage struct {
	Input        provider.Count `json:"input_tokens"`
	Output       provider.Count `json:"output_tokens"`
	InputDetails struct {
		Cached provider.Count `json:"cached_tokens"`
		Write  provider.Count `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails struct {
		Reasoning provider.Count `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u *usage) count() *ikigai.Usage {
	return provider.Counts{
		Input:      u.Input,
		Output:     u.Output,
		CacheRead:  u.InputDetails.Cached,
		CacheWrite: u.InputDetails.Write,
		Reasoning:  u.OutputDetails.Reasoning,
	}.Usage()
}

// wireItem is an item that has come as a whole.
type wireItem struct {
	ID               string   `json:"id"`
	Type             string   `json:"type"`
	CallID           string   `json:"call_id"`
	Name             string   `json:"name"`
	Arguments        text     `json:"arguments"`
	Content          partList `json:"content"`
	Summary          partList `json:"summary"`
	EncryptedContent string   `json:"encrypted_content"`
}

// text returns all that a message says.
func (w *wireItem) text() string {
	var b strings.Builder
	for _, p := range w.Content.parts {
		b.WriteString(p.words())
	}
	return b.String()
}

// thinking returns what a reasoning item says: its summary, or the reasoning
// itself.
func (w *wireItem) thinking() string {
	list := w.Summary.parts
	if len(list) == 0 {
		list = w.Content.parts
	}
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.Text
	}
	return strings.Join(texts, paragraph)
}

// paragraph stands between parts of thinking.
const paragraph = "\n\n"

// partList is a list of parts, with the bytes of each.
type partList struct {
	parts []part
	raw   []json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler. What is no list of parts counts as
// none.
func (l *partList) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &l.parts) != nil || json.Unmarshal(raw, &l.raw) != nil {
		*l = partList{}
	}
	return nil
}

// part is a part of a message or of reasoning.
type part struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// words returns what a part of a message says.
func (p part) words() string { return p.Text + p.Refusal }

// text is a string, or JSON of another type that is taken as it stands: some
// servers send the arguments of a call as an object.
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

// says reports whether raw holds anything.
func says(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`, "{}", "[]":
		return false
	}
	return true
}
