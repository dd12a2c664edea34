package ikigai

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Model is a language model at a vendor.
type Model interface {
	// Stream sends req and yields the reply as it arrives. The last delta of a
	// whole reply has Stop set. If the reply fails or ends early, the last pair
	// holds an *Error instead; no pair follows it. When the consumer stops
	// early or ctx ends, the request is cancelled.
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
}

// Request is one request to a model, a pure function of the log.
type Request struct {
	Messages   []Message // a valid conversation: calls paired with results, clean text
	Tools      []ToolSpec
	ToolChoice ToolChoice
	Level      Level   // how much the model thinks first
	Format     *Format // that the answer must have; nil leaves it free
	MaxOutput  int     // tokens of the reply; 0 leaves it to the vendor

	// CacheKey is the same for requests that are likely to begin alike: those
	// of one session. Vendors that route requests by such a key are given it.
	CacheKey string

	// Memo, when not nil, carries what was encoded for the requests before.
	Memo *Memo

	// Sending, when not nil, is told of the body just before it goes out,
	// once, however often it is sent again.
	Sending func(Sent)
}

// Memo is where a vendor's package keeps the encoded form of messages from one
// request to the next, so that a request costs what is new in it. All requests
// with one Memo have the same messages, tools and model, except that each may
// add messages and may change the last one of those before. The owner of the
// conversation makes a new Memo when anything else changes. The zero Memo is
// empty. A Memo serves one request at a time.
type Memo struct {
	Encoded any // of the vendor's package alone
}

// Sent describes the body of a request: Head and Conversation, joined. The
// slices are not changed any more, and may be kept.
type Sent struct {
	Head         [][]byte // what other bodies are likely to begin with, too: options and tools, system prompt
	Conversation [][]byte // the rest
	Closing      int      // trailing bytes of the conversation that only close the body
	Kept         int64    // leading bytes of the conversation that the previous one of the same Memo had too
	Size         int64    // bytes of the body
	SHA256       [32]byte // of the body
}

// ToolChoice says whether the model may call tools. The zero value is auto.
type ToolChoice struct {
	Mode ToolChoiceMode
	Name string // of the tool, when Mode is ToolChoiceNamed
}

// ToolChoiceMode is the mode of a ToolChoice.
type ToolChoiceMode string

const (
	ToolChoiceAuto     ToolChoiceMode = ""         // the model decides
	ToolChoiceNone     ToolChoiceMode = "none"     // no call
	ToolChoiceRequired ToolChoiceMode = "required" // at least one call
	ToolChoiceNamed    ToolChoiceMode = "named"    // a call of the named tool
)

// String returns the choice as settings and flags write it: auto, none,
// required or a tool's name.
func (c ToolChoice) String() string {
	switch c.Mode {
	case ToolChoiceAuto:
		return "auto"
	case ToolChoiceNamed:
		return c.Name
	}
	return string(c.Mode)
}

// ParseToolChoice is the inverse of String. Any word but auto, none and
// required is taken for the name of a tool.
func ParseToolChoice(s string) ToolChoice {
	switch s {
	case "", "auto":
		return ToolChoice{}
	case "none", "required":
		return ToolChoice{Mode: ToolChoiceMode(s)}
	}
	return ToolChoice{Mode: ToolChoiceNamed, Name: s}
}

// Level says how much a model thinks before it answers.
type Level string

const (
	LevelDefault Level = "" // as the vendor has it
	LevelNone    Level = "none"
	LevelMin     Level = "min"
	LevelLow     Level = "low"
	LevelMed     Level = "med"
	LevelHigh    Level = "high"
)

// Levels returns the levels that can be asked for, the least first.
func Levels() []Level { return []Level{LevelNone, LevelMin, LevelLow, LevelMed, LevelHigh} }

// Thinking is how a model is told to think, in the terms of its vendor. One of
// the fields is set.
type Thinking struct {
	Effort string `json:"effort,omitempty"` // a word, such as "high"
	Budget int    `json:"budget,omitempty"` // tokens of reasoning
	Off    bool   `json:"off,omitempty"`    // not at all
}

// Format is the form that an answer must have: JSON that fits a schema.
type Format struct {
	Name   string          // [A-Za-z0-9_-]{1,64}
	Schema json.RawMessage // JSON Schema of an object
}

// Delta is a piece of a reply. Any of its fields may be set.
type Delta struct {
	Text     string     // of the answer
	Thinking string     // of the reasoning, as far as the vendor shows it
	Refusal  string     // the model's words for not answering
	Call     *CallDelta // of a tool call
	Usage    *Usage     // so far; the last one counts
	Vendor   VendorState
	Stop     StopReason // set on the last delta

	// Retry tells that the request failed and will be sent again. It comes
	// before anything else of the reply.
	Retry *Retry

	ResponseID string // the vendor's name for the reply
	ServedBy   string // the model's name as the vendor reports it
}

// CallDelta is a piece of a tool call. Pieces of one call have the same Index.
// ID and Name come whole, in the first piece or, with some vendors, later;
// Arguments are to be joined.
type CallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string
}

// StopReason says why a reply ended.
type StopReason string

const (
	StopEnd       StopReason = "end"        // the model had no more to say
	StopToolCalls StopReason = "tool_calls" // the model waits for results
	StopLength    StopReason = "length"     // cut off at the limit of the output
	StopFilter    StopReason = "filter"     // cut off by the vendor's content filter
)

// Usage counts tokens, as the vendor reports them.
type Usage struct {
	Input      int64 `json:"input"`  // of the request, cached ones included
	Output     int64 `json:"output"` // of the reply, reasoning included
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Reasoning  int64 `json:"reasoning,omitempty"`
}

// Retry describes a request that failed and will be sent again.
type Retry struct {
	Attempt int           // the attempt that failed, from 1
	Of      int           // attempts there will be at most
	After   time.Duration // waiting time
	Err     error         // why, an *Error
}
