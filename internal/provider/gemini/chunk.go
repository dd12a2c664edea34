package gemini

import (
	"encoding/json"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// chunk is one chunk of a streamed reply, or a whole reply that was not
// streamed: they have one form.
type chunk struct {
	Candidates     []candidate     `json:"candidates"`
	PromptFeedback promptFeedback  `json:"promptFeedback"`
	Usage          usage           `json:"usageMetadata"`
	ModelVersion   string          `json:"modelVersion"`
	ResponseID     string          `json:"responseId"`
	Error          json.RawMessage `json:"error"`
}

type promptFeedback struct {
	BlockReason string `json:"blockReason"`
	Message     string `json:"blockReasonMessage"`
}

type candidate struct {
	Index   int `json:"index"`
	Content struct {
		Parts []json.RawMessage `json:"parts"`
	} `json:"content"`
	FinishReason  string `json:"finishReason"`
	FinishMessage string `json:"finishMessage"`
	sources
}

// part is a part, as far as it is understood.
type part struct {
	Text      *string         `json:"text"`
	Thought   bool            `json:"thought"`
	Signature json.RawMessage `json:"thoughtSignature"`
	Call      *functionCall   `json:"functionCall"`
}

// isBare reports whether raw, which p was read from, holds nothing but a
// signature.
func (p *part) isBare(raw json.RawMessage) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(raw, &members) == nil && len(members) == 1
}

type functionCall struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Args         json.RawMessage `json:"args"`
	PartialArgs  json.RawMessage `json:"partialArgs"`
	WillContinue bool            `json:"willContinue"`
}

// usage is what a reply has cost so far, as chunks report it.
type usage struct {
	Prompt     provider.Count `json:"promptTokenCount"` // cached ones included
	Cached     provider.Count `json:"cachedContentTokenCount"`
	ToolPrompt provider.Count `json:"toolUsePromptTokenCount"` // what the vendor's own tools have added
	Candidates provider.Count `json:"candidatesTokenCount"`    // without thoughts
	Thoughts   provider.Count `json:"thoughtsTokenCount"`
}

// add takes in what a later chunk reports: not every one counts everything.
func (u *usage) add(later usage) {
	replace(&u.Prompt, later.Prompt)
	replace(&u.Cached, later.Cached)
	replace(&u.ToolPrompt, later.ToolPrompt)
	replace(&u.Candidates, later.Candidates)
	replace(&u.Thoughts, later.Thoughts)
}

func replace(count *provider.Count, by provider.Count) {
	if by != 0 {
		*count = by
	}
}

// tokens returns u in our terms, nil if nothing was reported.
func (u usage) tokens() *ikigai.Usage {
	if u == (usage{}) {
		return nil
	}
	return provider.Counts{
		Input:     u.Prompt + u.ToolPrompt,
		CacheRead: u.Cached,
		Output:    u.Candidates + u.Thoughts,
		Reasoning: u.Thoughts,
	}.Usage()
}

// sources is where the vendor has found what it says. It does not want that
// back; it is kept for people.
type sources struct {
	Grounding json.RawMessage `json:"groundingMetadata,omitempty"`
	Citations json.RawMessage `json:"citationMetadata,omitempty"`
	URLs      json.RawMessage `json:"urlContextMetadata,omitempty"`
}

// add takes in what a later chunk tells: the last word of each kind counts.
func (s *sources) add(later sources) {
	for _, f := range []struct{ to, from *json.RawMessage }{
		{&s.Grounding, &later.Grounding}, {&s.Citations, &later.Citations}, {&s.URLs, &later.URLs},
	} {
		if given(*f.from) {
			*f.to = *f.from
		}
	}
}

// sourcesBlock begins the block of a layout that holds sources.
const sourcesBlock = `{"sources":`

// block returns s as a block of a layout, nil if there is nothing in it.
func (s sources) block() json.RawMessage {
	if raw := wirejson.Marshal(s); len(raw) > len("{}") {
		return append(append([]byte(sourcesBlock), raw...), '}')
	}
	return nil
}

// given reports whether a member is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
