package config

import "time"

// field is one setting: all that loading, schema, documentation and display
// know of it.
type field[T any] struct {
	name string // a dot stands for an object around the value
	def  string // the default, as text
	doc  string // a sentence for people
	of   func(*T) value

	// private fields can hold a key, put there on purpose or by mistake. No
	// error repeats their value.
	private bool
}

// table lists the settings in the order in which they are shown. Vendors stand
// apart: see vendorTable.
var table = []field[Settings]{
	{name: "model",
		doc: "Model to use, as `vendor/model`; only the first `/` counts. A vendor's name alone means that vendor's default model. Left empty, it is chosen by the keys at hand.",
		of:  func(s *Settings) value { return &pattern{p: &s.Model, rule: ruleModel} }},
	{name: "max_tool_turns", def: "50",
		doc: "Rounds of tool calls that one statement may take. After the last one the model answers without tools.",
		of:  func(s *Settings) value { return &integer{&s.MaxToolTurns, 1, 10_000} }},
	{name: "max_output_size", def: "1048576",
		doc: "Bytes of one tool result, of any tool. What is longer is cut and says so. `bash` shows less whatever stands here: the first and last parts of its output, up to 10 KB of stdout and 4 KB of stderr; the whole is in a file that its result names.",
		of:  func(s *Settings) value { return &integer{&s.MaxOutputSize, 1024, 1 << 30} }},
	{name: "max_output_tokens", def: "0",
		doc: "Tokens of one reply of the model. 0 leaves it to the vendor.",
		of:  func(s *Settings) value { return &integer{&s.MaxOutputTokens, 0, 10_000_000} }},
	{name: "bash_result", def: BashCombined,
		doc: "Form of the result of `bash`: `combined` interleaves both streams in one text, `split` gives them apart.",
		of:  func(s *Settings) value { return &choice{&s.BashResult, []string{BashCombined, BashSplit}} }},
	{name: "tool_concurrency", def: "1",
		doc: "Tools that may run at once. Above 1 only tools that declare themselves read-only overlap.",
		of:  func(s *Settings) value { return &integer{&s.ToolConcurrency, 1, 64} }},
	{name: "tool_choice", def: "auto",
		doc: "Whether the model may call tools: `auto`, `none`, `required` (at least one call) or the name of the one tool to call. It applies to the first request of a statement; `none` to all.",
		of:  func(s *Settings) value { return &toolChoice{&s.ToolChoice} }},
	{name: "approval", def: ApprovalNever,
		doc: "When a tool call needs the person's consent: `never`, `ask` before each call that is not read-only, or `deny` all of those.",
		of: func(s *Settings) value {
			return &choice{&s.Approval, []string{ApprovalNever, ApprovalAsk, ApprovalDeny}}
		}},
	{name: "max_retries", def: "3",
		doc: "Times that a request is sent again after a failure that may pass.",
		of:  func(s *Settings) value { return &integer{&s.MaxRetries, 0, 20} }},
	{name: "timeouts.connect", def: "10s",
		doc: "Time to connect to the vendor.",
		of:  func(s *Settings) value { return &duration{&s.Timeouts.Connect} }},
	{name: "timeouts.first_byte", def: "5m",
		doc: "Time from the sent request to the first byte of the reply. Models that reason, and local ones that load first, take minutes.",
		of:  func(s *Settings) value { return &duration{&s.Timeouts.FirstByte} }},
	{name: "timeouts.idle", def: "5m",
		doc: "Time between two pieces of a reply.",
		of:  func(s *Settings) value { return &duration{&s.Timeouts.Idle} }},
	{name: "database",
		doc: "Where the log is kept: the path of a SQLite file, or the address of a PostgreSQL database, such as `postgres://me@db.example.com/ikigai`. A leading `~` is the home directory. In a file a relative path starts at that file's directory, elsewhere at the working directory. Left empty, it is `$XDG_DATA_HOME/ikigai/ikigai.db`, that is `~/.local/share/ikigai/ikigai.db`.",
		of:  func(s *Settings) value { return &database{&s.Database} }},
}

// priceTable lists the prices of one model.
var priceTable = []field[Price]{
	{name: "input",
		doc: "What a million tokens of the request cost, in US dollars.",
		of:  func(p *Price) value { return &amount{&p.Input} }},
	{name: "output",
		doc: "What a million tokens of the reply cost, reasoning included.",
		of:  func(p *Price) value { return &amount{&p.Output} }},
	{name: "cache_read",
		doc: "What a million tokens cost that the vendor has in its cache. Left out, as `input`.",
		of:  func(p *Price) value { return &amount{&p.CacheRead} }},
	{name: "cache_write",
		doc: "What a million tokens cost that the vendor puts into its cache. Left out, as `input`.",
		of:  func(p *Price) value { return &amount{&p.CacheWrite} }},
}

// vendorTable lists the settings of one vendor. Its headers stand apart.
var vendorTable = []field[Vendor]{
	{name: "api", def: APIChat,
		doc: "Protocol that the vendor speaks: `chat` is OpenAI's Chat Completions.",
		of:  func(v *Vendor) value { return &choice{&v.API, []string{APIChat}} }},
	{name: "base_url", private: true,
		doc: "Address of the API, up to and without `/chat/completions`.",
		of:  func(v *Vendor) value { return &pattern{p: &v.BaseURL, rule: ruleURL} }},
	{name: "model",
		doc: "Model to use when `model` names only the vendor, or nothing.",
		of:  func(v *Vendor) value { return &pattern{p: &v.Model, rule: ruleModel} }},
	{name: "key_env", private: true,
		doc: "Environment variable that holds the key. Never the key itself.",
		of:  func(v *Vendor) value { return &pattern{p: &v.KeyEnv, rule: ruleVariable} }},
	{name: "key_cmd", private: true,
		doc: "Command line for `sh` that prints the key, run when the variable is empty. It gets 10 seconds and no input.",
		of:  func(v *Vendor) value { return &pattern{p: &v.KeyCmd, rule: ruleLine} }},
	{name: "organization", private: true,
		doc: "Organization that the requests are billed to, where the vendor has such.",
		of:  func(v *Vendor) value { return &pattern{p: &v.Organization, rule: ruleLine} }},
	{name: "max_tokens_field", def: "max_tokens",
		doc: "Name of the request's field that limits the reply.",
		of: func(v *Vendor) value {
			return &choice{&v.MaxTokensField, []string{"max_tokens", "max_completion_tokens"}}
		}},
	{name: "insecure", def: "false",
		doc: "Allow plain `http` to another machine, where anyone on the way can read the conversation and the key.",
		of:  func(v *Vendor) value { return &boolean{&v.Insecure} }},
}

// What the tables cannot say: the settings whose names people choose.
const (
	vendorsDoc = "Vendors by name. An entry named like a preset changes only the fields that it gives."
	pricesDoc  = "Prices of models by name, as `vendor/model`. What has no price here has no cost in the log."
	headersDoc = "Headers to send with each request, by name. Their values are never shown."
	schemaDoc  = "Address of the JSON Schema, for editors; not used otherwise."
)

// Bounds of every duration.
const (
	minDuration = time.Millisecond
	maxDuration = 24 * time.Hour
)
