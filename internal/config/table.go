package config

import (
	"time"

	"ikigai"
	"ikigai/internal/provider"
)

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
		doc: "Model to use, as `vendor/model` or `vendor/model:level`; only the first `/` counts, and the last `:` only before a level of thinking. A vendor's name alone means that vendor's default model. Left empty, it is chosen by the keys at hand.",
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
		doc: "When a tool call needs the person's consent: `never`, `ask` before each call that is not read-only, `plan` to have the model read and make a plan, with nothing but read-only tools, or `deny` to refuse all others.",
		of: func(s *Settings) value {
			return &choice{&s.Approval, []string{ApprovalNever, ApprovalAsk, ApprovalPlan, ApprovalDeny}}
		}},
	{name: "allow",
		doc: "Calls that `approval: ask` does not ask about, as rules: a tool's name, or `tool(PATTERN)` with `*` for any text: `bash(go test *)`, `file_edit(src/*)`. A pattern for `bash` allows one simple command, without `;`, `|`, `&`, redirection or substitution. As a variable or flag, with commas between them.",
		of:  func(s *Settings) value { return &words{&s.Allow, ruleLine} }},
	{name: "thinking",
		doc: "How much the model thinks before it answers: `none`, `min`, `low`, `med` or `high`. Left empty, as the vendor has it. A level at the end of the model's name comes before it, unless this is set in a layer above or both are flags.",
		of:  func(s *Settings) value { return &choice{&s.Thinking, append([]string{""}, LevelNames()...)} }},
	{name: "fallback",
		doc: "Models to go on with, in this order, when the one before is overloaded or out of reach; each as `vendor/model`. As a variable or flag, with commas between them.",
		of:  func(s *Settings) value { return &words{&s.Fallback, ruleModel} }},
	{name: "tool_protocol", def: ToolsNative,
		doc: "How the model calls tools: `native` in the vendor's own form, `prompt` in the text of the conversation, for models that have no such form, `prompt_compact` likewise in fewer words. Not set, a model that is known to have no such form gets `prompt`.",
		of: func(s *Settings) value {
			return &choice{&s.ToolProtocol, []string{ToolsNative, ToolsPrompt, ToolsPromptCompact}}
		}},
	{name: "max_retries", def: "3",
		doc: "Times that a request is sent again after a failure that may pass.",
		of:  func(s *Settings) value { return &integer{&s.MaxRetries, 0, 20} }},
	{name: "timeouts.connect", def: "10s",
		doc: "Time to connect to the vendor.",
		of:  func(s *Settings) value { return &duration{p: &s.Timeouts.Connect} }},
	{name: "timeouts.first_byte", def: "5m",
		doc: "Time from the sent request to the first byte of the reply. Models that reason, and local ones that load first, take minutes.",
		of:  func(s *Settings) value { return &duration{p: &s.Timeouts.FirstByte} }},
	{name: "timeouts.idle", def: "5m",
		doc: "Time between two pieces of a reply. What only keeps it alive, such as pings, does so for six times as long.",
		of:  func(s *Settings) value { return &duration{p: &s.Timeouts.Idle} }},
	{name: "database",
		doc: "Where the log is kept: the path of a SQLite file, or the address of a PostgreSQL database, such as `postgres://me@db.example.com/ikigai`. A leading `~` is the home directory. In a file a relative path starts at that file's directory, elsewhere at the working directory. Left empty, it is `$XDG_DATA_HOME/ikigai/ikigai.db`, that is `~/.local/share/ikigai/ikigai.db`.",
		of:  func(s *Settings) value { return &database{&s.Database} }},
	{name: "objectives", def: ObjectivesModel,
		doc: "Where the session's goal and the objective of each statement come from: `model` asks for them in one small request beside the statement, which nobody waits for: at the end of a run, at most a second; `text` takes the first sentence of what was said; `off` has none.",
		of: func(s *Settings) value {
			return &choice{&s.Objectives, []string{ObjectivesModel, ObjectivesText, ObjectivesOff}}
		}},
	{name: "feedback", def: FeedbackOn,
		doc: "What the model is told after each round of tools: turn, goal, objective and how its tools fared. `on` tells all of it, `auto` leaves out lines that have not changed, `off` tells nothing.",
		of:  func(s *Settings) value { return &choice{&s.Feedback, []string{FeedbackOn, FeedbackOff, FeedbackAuto}} }},
	{name: "small_model",
		doc: "Model for side requests: objectives, summaries, commit messages. As `vendor/model`. Left empty, it is the session's model.",
		of:  func(s *Settings) value { return &pattern{p: &s.SmallModel, rule: ruleModel} }},
	{name: "context_limit", def: "0",
		doc: "Tokens that a conversation may take before older parts are sent in fewer words. 0 is what the model takes; a model whose limit is not known has none until its vendor says that the context is full.",
		of:  func(s *Settings) value { return &integer{&s.ContextLimit, 0, 100_000_000} }},
	{name: "instructions", def: "true",
		doc: "Whether `AGENTS.md` files and skills are read.",
		of:  func(s *Settings) value { return &boolean{&s.Instructions} }},
	{name: "tasks.max", def: "20",
		doc: "Tasks that one call of `delegate_tasks` may hand over. 0 leaves the tool out.",
		of:  func(s *Settings) value { return &integer{&s.Tasks.Max, 0, 100} }},
	{name: "tasks.concurrency", def: "20",
		doc: "Tasks that run at once, by default all of one call. Where a vendor finds them too many, its requests are sent again later.",
		of:  func(s *Settings) value { return &integer{&s.Tasks.Concurrency, 1, 100} }},
	{name: "tasks.depth", def: "1",
		doc: "How deep tasks may hand over tasks of their own: 1 lets only the session itself do so.",
		of:  func(s *Settings) value { return &integer{&s.Tasks.Depth, 1, 5} }},
	{name: "result_format", def: ResultJSON,
		doc: "Form in which the model gets the results of tools: `json`, or `frontmatter`, the text itself below a few lines that say what it is.",
		of:  func(s *Settings) value { return &choice{&s.ResultFormat, []string{ResultJSON, ResultFrontmatter}} }},
	{name: "web_private_addresses", def: "true",
		doc: "Whether `web_fetch` may reach addresses that only this machine or its network reaches, such as `localhost`.",
		of:  func(s *Settings) value { return &boolean{&s.WebPrivate} }},
	{name: "display", def: DisplayFull,
		doc: "How the interactive front shows long output: `full`, or `compact`, folded to its first and last lines; a key shows all of it.",
		of:  func(s *Settings) value { return &choice{&s.Terminal.Display, []string{DisplayFull, DisplayCompact}} }},
	{name: "theme", def: "terminal",
		doc: "Colours: `terminal` uses the terminal's own sixteen, which suit its ground; `dark` and `light` are for terminals with more; `mono` has none but bold and dim.",
		of:  func(s *Settings) value { return &choice{&s.Terminal.Theme, Themes()} }},
	{name: "keys", def: KeysEmacs,
		doc: "Keys that edit the input: as in `emacs` and in shells, or as in `vi`.",
		of:  func(s *Settings) value { return &choice{&s.Terminal.Keys, []string{KeysEmacs, KeysVi}} }},
	{name: "editor", private: true,
		doc: "Command line of the editor for long input. Left empty, it is `$VISUAL`, then `$EDITOR`, then `vi`.",
		of:  func(s *Settings) value { return &pattern{p: &s.Terminal.Editor, rule: ruleLine} }},
	{name: "while_working", def: WhileWorkingSteer,
		doc: "What Enter does with what is typed while the model works: `steer` has the model told with the next result of a tool, `queue` keeps it for a statement of its own afterwards, as Tab does.",
		of: func(s *Settings) value {
			return &choice{&s.Terminal.WhileWorking, []string{WhileWorkingSteer, WhileWorkingQueue}}
		}},
	{name: "notify_after", def: "15s",
		doc: "A turn that takes longer rings the terminal's bell when it ends, or has to ask. 0s never rings.",
		of:  func(s *Settings) value { return &duration{p: &s.Terminal.NotifyAfter, zero: true} }},
	{name: "screen_reader", def: "false",
		doc: "Whether the interactive front prints plain lines alone and asks for one line at a time, with nothing that moves or is drawn twice.",
		of:  func(s *Settings) value { return &boolean{&s.Terminal.ScreenReader} }},
	{name: "undo_limit", def: "67108864",
		doc: "Bytes of the working directory that are kept in memory while a command, an external tool or an MCP server runs, so that what it changes can be undone. 0 keeps nothing: then only `file_write` and `file_edit` can be undone.",
		of:  func(s *Settings) value { return &integer{&s.UndoLimit, 0, 1 << 40} }},
	{name: "toolboxes",
		doc: "Further directories of tools, in Amp's form, too. A relative path starts as that of `database` does. A project has its tools in `.ikigai/tools` alone.",
		of:  func(s *Settings) value { return &words{&s.Toolboxes, rulePath} }},
}

// vendorTable lists the settings of one vendor. Its headers stand apart.
var vendorTable = []field[Vendor]{
	{name: "api", def: APIChat,
		doc: "Protocol that the vendor speaks: `chat` is OpenAI's Chat Completions and what all speak who follow it, `responses` OpenAI's Responses, `anthropic` Anthropic's Messages, `gemini` Google's generateContent.",
		of: func(v *Vendor) value {
			return &choice{&v.API, []string{APIChat, APIResponses, APIAnthropic, APIGemini}}
		}},
	{name: "base_url", private: true,
		doc: "Address of the API, up to and without `/chat/completions`, `/responses`, `/messages` or `/models`. `{NAME}` stands for the value of that variable of the environment, `{A|B}` for the first of them that is set.",
		of:  func(v *Vendor) value { return &pattern{p: &v.BaseURL, rule: ruleURL} }},
	{name: "model",
		doc: "Model to use when `model` names only the vendor, or nothing.",
		of:  func(v *Vendor) value { return &pattern{p: &v.Model, rule: ruleModel} }},
	{name: "key_env", private: true,
		doc: "Environment variable that holds the key, or several with a space between them: the first that is set counts. Never the key itself.",
		of:  func(v *Vendor) value { return &pattern{p: &v.KeyEnv, rule: ruleVariable} }},
	{name: "key_cmd", private: true,
		doc: "Command line for `sh` that prints the key, run when the variable is empty. It gets 10 seconds and no input.",
		of:  func(v *Vendor) value { return &pattern{p: &v.KeyCmd, rule: ruleLine} }},
	{name: "auth", def: AuthKey,
		doc: "What stands in for a key where there is none: `aws` signs requests with the credentials of the AWS tools, `google` has Google's application default credentials make a token.",
		of: func(v *Vendor) value {
			return &choice{&v.Auth, []string{AuthKey, AuthAWS, AuthGoogle}}
		}},
	{name: "organization", private: true,
		doc: "Organization that the requests are billed to, where the vendor has such.",
		of:  func(v *Vendor) value { return &pattern{p: &v.Organization, rule: ruleLine} }},
	{name: "insecure", def: "false",
		doc: "Allow plain `http` to another machine, where anyone on the way can read the conversation and the key.",
		of:  func(v *Vendor) value { return &boolean{&v.Insecure} }},
	{name: "tool_protocol",
		doc: "As the general setting, for this vendor. Left empty, that one counts.",
		of: func(v *Vendor) value {
			return &choice{&v.ToolProtocol, []string{"", ToolsNative, ToolsPrompt, ToolsPromptCompact}}
		}},
	{name: "catalog",
		doc: "Vendor whose models these are, such as `openai` for a gateway: what is known of its models (limits, prices, levels) holds for these. Left empty, it goes by the vendor's own name.",
		of:  func(v *Vendor) value { return &pattern{p: &v.Catalog, rule: ruleVendorOrNone} }},
	{name: "path",
		doc: "Where requests go below `base_url`, where that is not the protocol's own; `{model}` stands for the model's name.",
		of:  func(v *Vendor) value { return &pattern{p: &v.Quirks.Path, rule: rulePathBelow} }},
	{name: "key_header",
		doc: "Header that carries the key, alone; `Authorization` carries it after `Bearer`. Left empty, it is the protocol's own.",
		of:  func(v *Vendor) value { return &pattern{p: &v.Quirks.KeyHeader, rule: ruleHeaderOrNone} }},
	{name: "no_model", def: "false",
		doc: "Leave the model's name out of the body, where it stands in the path.",
		of:  func(v *Vendor) value { return &boolean{&v.Quirks.NoModel} }},
	{name: "max_tokens_field", def: "max_tokens",
		doc: "Name of the member that limits the reply, in `chat`.",
		of: func(v *Vendor) value {
			return &choice{&v.Quirks.MaxOutput, []string{"max_tokens", "max_completion_tokens"}}
		}},
	{name: "tell_max_tokens", def: "false",
		doc: "Limit every reply, for servers that would else cut it short, in `chat`.",
		of:  func(v *Vendor) value { return &boolean{&v.Quirks.TellMaxOutput} }},
	{name: "thinking_form",
		doc: "How the server is told to think, in `chat`: `reasoning`, `thinking`, `enable_thinking` or `chat_template_kwargs` is the member that it reads. Left empty, `reasoning_effort`.",
		of: func(v *Vendor) value {
			return &choice{&v.Quirks.Thinking, []string{"", provider.ThinkingReasoning, provider.ThinkingType, provider.ThinkingEnable, provider.ThinkingTemplateKwargs}}
		}},
	{name: "format_form",
		doc: "How the server is told of the form that an answer must have, in `chat`: `json_object` asks for any object and puts the schema in words, `words` does only that. Left empty, by the schema.",
		of: func(v *Vendor) value {
			return &choice{&v.Quirks.Format, []string{"", provider.FormatObject, provider.FormatWords}}
		}},
	{name: "no_usage_option", def: "false",
		doc: "Leave out the wish for usage in a stream, which some servers refuse.",
		of:  func(v *Vendor) value { return &boolean{&v.Quirks.NoUsageOption} }},
	{name: "done_is_end", def: "false",
		doc: "Take `[DONE]` for the end of a reply although no reason for it came.",
		of:  func(v *Vendor) value { return &boolean{&v.Quirks.DoneIsEnd} }},
	{name: "replay",
		doc: "Members of a reply that the vendor wants back with the message, such as `reasoning_content`.",
		of:  func(v *Vendor) value { return &words{&v.Quirks.Replay, ruleMember} }},
	{name: "call_id_length", def: "0",
		doc: "Length that the IDs of calls must have. 0 takes them as they are.",
		of:  func(v *Vendor) value { return &integer{&v.Quirks.CallIDLength, 0, 64} }},
	{name: "no_cache_key", def: "true",
		doc: "Leave out the key by which OpenAI finds what it has in its cache, and which other servers may refuse.",
		of:  func(v *Vendor) value { return &boolean{&v.Quirks.NoCacheKey} }},
	{name: "strict", def: "false",
		doc: "Have the input of calls follow the schema to the letter, where the schema allows that to be asked for.",
		of:  func(v *Vendor) value { return &boolean{&v.Quirks.Strict} }},
	{name: "cache_marks", def: "false",
		doc: "Mark by hand what of the conversation is to be cached, for vendors that refuse to be asked for that once and for all, as Google and Amazon do.",
		of:  func(v *Vendor) value { return &boolean{&v.Quirks.CacheMarks} }},
	{name: "no_summary", def: "false",
		doc: "Leave out the wish for a summary of the model's thinking, in `responses`: OpenAI refuses it to organisations that have not been verified.",
		of:  func(v *Vendor) value { return &boolean{&v.Quirks.NoSummary} }},
}

// What the tables cannot say: the settings whose names people choose.
const (
	vendorsDoc = "Vendors by name. An entry named like a preset changes only the fields that it gives."
	modelsDoc  = "What is known of models, by name as `vendor/model`, in place of what the catalog says: see `ikigai models`."
	mcpDoc     = "Servers of the Model Context Protocol by name, in the form that other agents have for them. What only they know of a server is passed over."
	textsDoc   = "Its texts may be secret and are never shown."
	bodyDoc    = "Further members of every request, by name, with any value. Those that are written anyway are refused."
	headersDoc = "Headers to send with each request, by name. Their values are never shown."
	schemaDoc  = "Address of the JSON Schema, for editors; not used otherwise."
)

// Bounds of every duration.
const (
	minDuration = time.Millisecond
	maxDuration = 24 * time.Hour
)

// LevelNames returns the levels of thinking that can be asked for.
func LevelNames() []string {
	var names []string
	for _, l := range ikigai.Levels() {
		names = append(names, string(l))
	}
	return names
}
