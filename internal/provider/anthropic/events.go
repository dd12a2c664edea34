package anthropic

import (
	"encoding/json"

	"ikigai"
	"ikigai/internal/provider"
)

// event is an event of a streamed reply, or a whole reply that was not
// streamed.
type event struct {
	Type  string          `json:"type"`
	Index int             `json:"index"`
	Block json.RawMessage `json:"content_block"`
	Delta json.RawMessage `json:"delta"`
	Error json.RawMessage `json:"error"`

	Message *message `json:"message"` // of message_start
	message          // of a whole reply
}

// message is a reply, or what is known of it when it begins.
type message struct {
	ID      string            `json:"id"`
	Model   string            `json:"model"`
	Content []json.RawMessage `json:"content"`
	Usage   *usage            `json:"usage"`
	ending
}

// ending says why a reply ended.
type ending struct {
	Reason  string `json:"stop_reason"`
	Details struct {
		Explanation string `json:"explanation"`
	} `json:"stop_details"`
}

// delta is a piece of a block.
type delta struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Input     string          `json:"partial_json"`
	Citation  json.RawMessage `json:"citation"`
}

// usage is what a reply has cost so far. Counts that are not there have not
// changed.
type usage struct {
	Input   *provider.Count `json:"input_tokens"` // neither written to the cache nor read from it
	Write   *provider.Count `json:"cache_creation_input_tokens"`
	Read    *provider.Count `json:"cache_read_input_tokens"`
	Output  *provider.Count `json:"output_tokens"`
	Details struct {
		Thinking *provider.Count `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// add takes in more recent counts.
func (u *usage) add(more *usage) {
	if more == nil {
		return
	}
	for _, count := range []struct{ to, from **provider.Count }{
		{&u.Input, &more.Input}, {&u.Write, &more.Write}, {&u.Read, &more.Read},
		{&u.Output, &more.Output}, {&u.Details.Thinking, &more.Details.Thinking},
	} {
		if *count.from != nil {
			*count.to = *count.from
		}
	}
}

// total returns the counts as all vendors' are told, nil if there are none.
func (u *usage) total() *ikigai.Usage {
	if *u == (usage{}) {
		return nil
	}
	count := func(n *provider.Count) provider.Count {
		if n == nil {
			return 0
		}
		return *n
	}
	return provider.Counts{
		Input:      count(u.Input) + count(u.Write) + count(u.Read),
		Output:     count(u.Output),
		CacheRead:  count(u.Read),
		CacheWrite: count(u.Write),
		Reasoning:  count(u.Details.Thinking),
	}.Usage()
}
