// Package provider holds what all vendors of language models over HTTP share:
// their settings, the sending of a request, time limits, retries, and the
// reading of errors. A vendor's wire format lives in a package below it.
package provider

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ikigai"
)

// Config says how a model is reached. Name, Model and BaseURL must be set.
type Config struct {
	Name    string // vendor/model, as settings name it; the key of vendor state
	Model   string // the model's name as the vendor knows it
	BaseURL string // such as https://api.example.com/v1; a query is kept

	Key          string // of the vendor; "" where none is needed
	KeySource    string // where the key comes from, for people: a variable or a setting
	Organization string
	Header       map[string]string // further headers, in place of ours where they have the same name

	// Authorize, when not nil, gives a request its credentials, in place of Key.
	// It is asked once for each attempt, after all other headers are set.
	Authorize func(ctx context.Context, r *http.Request, body Body) error

	MaxOutput int                              // tokens of a reply where the request does not say and the vendor must be told; 0 is 32000
	Levels    map[ikigai.Level]ikigai.Thinking // how the model is told to think; levels that are not there are not sent
	NoImages  bool                             // the model takes no images: a word stands for each
	NoFiles   bool                             // the same of other files

	Connect   time.Duration // to connect, TLS included; 0 is 10 s
	FirstByte time.Duration // from sending to the first byte of the reply; 0 is 5 min
	Idle      time.Duration // from one byte of a reply to the next; 0 is 5 min, which a model may think without a word

	MaxAttempts int           // of one request; 0 is 4
	MaxWait     time.Duration // that one request may spend waiting between attempts; 0 is 2 min

	// Proxy returns the proxy for a request, as in http.Transport. Nil is none.
	Proxy func(*http.Request) (*url.URL, error)
	// Dial replaces the way in which connections are made. It may be nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Unsent has a request written, Sending told of it, and nothing sent: the
	// reply is empty. A session is replayed with it.
	Unsent bool

	Quirks Quirks
}

// Quirks are the ways in which vendors differ that speak one dialect. The zero
// value is the dialect as its inventor speaks it.
type Quirks struct {
	// Path is where requests go, below the base URL, with {model} for the
	// model's name; "" is the dialect's own.
	Path string `json:"path,omitempty"`

	// NoModel leaves the model's name out of the body.
	NoModel bool `json:"no_model,omitempty"`

	// KeyHeader carries the key, alone; "" is the dialect's own. Authorization
	// carries it after "Bearer".
	KeyHeader string `json:"key_header,omitempty"`

	// MaxOutput is the member of a request that limits the output; "" is
	// max_completion_tokens.
	MaxOutput string `json:"max_output,omitempty"`

	// TellMaxOutput has every request limit the output, to Config.MaxOutput where
	// it says nothing itself, for servers that would else cut replies short.
	TellMaxOutput bool `json:"tell_max_output,omitempty"`

	// Thinking is the form in which a model is told how much to think, one of
	// the Thinking constants; "" is reasoning_effort.
	Thinking string `json:"thinking,omitempty"`

	// Format is how a model is told of the form that its answer must have:
	// FormatObject or FormatWords; "" is by the schema.
	Format string `json:"format,omitempty"`

	// NoUsageOption leaves out the wish for usage, which some servers refuse.
	NoUsageOption bool `json:"no_usage_option,omitempty"`

	// DoneIsEnd takes the [DONE] of a stream for the end of the reply, even
	// though no finish_reason came. Snowflake sends none.
	DoneIsEnd bool `json:"done_is_end,omitempty"`

	// Replay names members of a reply that the vendor wants back with the
	// message, such as reasoning_content, reasoning_details or annotations;
	// content stands for the thinking that is a part of it.
	Replay []string `json:"replay,omitempty"`

	// CallIDLength is the length that the IDs of calls must have, of letters
	// and digits alone; 0 takes them as they are. Mistral's is 9.
	CallIDLength int `json:"call_id_length,omitempty"`

	// NoCacheKey leaves out the key by which OpenAI finds what it has in its
	// cache.
	NoCacheKey bool `json:"no_cache_key,omitempty"`

	// Strict has the arguments of calls follow the schema to the letter, where
	// the schema allows that to be asked for.
	Strict bool `json:"strict,omitempty"`

	// CacheMarks marks by hand what of the conversation is to be cached, for
	// vendors of Claude that refuse to be asked once for all requests, as Google
	// and Amazon do.
	CacheMarks bool `json:"cache_marks,omitempty"`

	// NoSummary leaves out the wish for summaries of what a model thinks. OpenAI
	// refuses it to organisations that are not verified.
	NoSummary bool `json:"no_summary,omitempty"`

	// Body holds further members of every request.
	Body map[string]json.RawMessage `json:"body,omitempty"`
}

// Forms in which servers of the one dialect are told how much to think.
const (
	ThinkingReasoning      = "reasoning"            // {"reasoning":{"effort":…}} or {"max_tokens":…}: OpenRouter
	ThinkingType           = "thinking"             // {"thinking":{"type":"enabled"}}, with reasoning_effort beside it: DeepSeek, Z.ai
	ThinkingEnable         = "enable_thinking"      // {"enable_thinking":true,"thinking_budget":…}: Qwen at DashScope
	ThinkingTemplateKwargs = "chat_template_kwargs" // {"chat_template_kwargs":{"enable_thinking":true}}: vLLM, SGLang
)

// Ways to tell of the form of an answer where the server takes no schema: the
// schema is put in words, and what is asked for is an object or nothing.
const (
	FormatObject = "json_object"
	FormatWords  = "words"
)

func (c Config) withDefaults() Config {
	c.Key = strings.TrimSpace(c.Key)
	setDefault(&c.Connect, 10*time.Second)
	setDefault(&c.FirstByte, 5*time.Minute)
	setDefault(&c.Idle, 5*time.Minute)
	setDefault(&c.MaxWait, 2*time.Minute)
	setDefault(&c.MaxAttempts, 4)
	return c
}

func setDefault[T int | time.Duration](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}

// vendor is the part of Name that people know the vendor by.
func (c Config) vendor() string {
	if v, _, ok := strings.Cut(c.Name, "/"); ok && v != "" {
		return v
	}
	return c.Name
}
