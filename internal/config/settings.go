// Package config reads the settings: defaults, then the person's file, then the
// project's file once it is trusted, then IKIGAI_* variables, then flags. Each
// layer overrides the ones before it, value by value, and every value knows
// where it comes from.
//
// The table in table.go names every setting once. Loading, the JSON Schema,
// the page of documentation and the list that a person is shown all read it.
//
// The package reads the files of settings and nothing else: environment, home
// and directory are given to it.
package config

import (
	"time"

	"ikigai"
	"ikigai/internal/provider"
)

// Settings are the values in force, as Load returns them.
type Settings struct {
	Model           string // vendor/model, a vendor's name alone, or "" to choose by the keys at hand
	MaxToolTurns    int    // rounds of tool calls in one statement
	MaxOutputSize   int    // bytes of one tool result
	MaxOutputTokens int    // tokens of one reply; 0 leaves it to the vendor
	BashResult      string // BashCombined or BashSplit
	ToolConcurrency int    // read-only tools that may run at once
	ToolChoice      ikigai.ToolChoice
	Approval        string   // ApprovalNever, ApprovalAsk, ApprovalPlan or ApprovalDeny
	Allow           []string // rules of calls that are not asked about
	Thinking        string   // a level, or "" for the vendor's own; the model's name may have another
	Fallback        []string // models to go on with, vendor/model each
	ToolProtocol    string   // ToolsNative, ToolsPrompt or ToolsPromptCompact
	MaxRetries      int      // times a failed request is sent again
	Timeouts        Timeouts
	Database        Database
	ResultFormat    string // ResultJSON or ResultFrontmatter
	WebPrivate      bool   // pages may be fetched from addresses that only this network reaches
	Objectives      string // ObjectivesModel, ObjectivesText or ObjectivesOff
	Feedback        string // FeedbackOn, FeedbackOff or FeedbackAuto
	SmallModel      string // vendor/model for side interactions; "" is the session's
	ContextLimit    int    // tokens of a conversation; 0 is what the model takes
	Instructions    bool   // AGENTS.md and skills are read
	Tasks           Tasks
	Terminal        Terminal
	UndoLimit       int      // bytes of a directory that are kept in memory to see what a tool changes; 0 does not look
	Toolboxes       []string // further directories of tools, absolute

	// MCPServers holds the servers by name, with variables in their texts as
	// written; see the method MCPServer. It is nil where there are none.
	MCPServers map[string]MCPServer

	// Vendors holds the presets and the person's own vendors by name.
	Vendors map[string]Vendor

	// DataDir is the directory of the program's own files, absolute: that of
	// the default database. It is "" when there is no place for one.
	DataDir string

	// UserFile is the path of the person's settings file, whether or not it
	// exists. It is "" when there is no place for one.
	UserFile string

	// KeysFile is the path of the file of stored keys, whether or not it exists.
	// It is "" when there is no place for one.
	KeysFile string

	models  map[string]override // what the person has set of models, by vendor/model
	getenv  func(name string) string
	origins map[string]string // by key; a key that is missing has its default
	layers  map[string]int    // by key: which layer it was set in, 0 for the defaults
	layer   int               // that is being loaded
}

// flagLayer is the layer of the flags, the last.
const flagLayer = 4

// Timeouts limit the waits of a request.
type Timeouts struct {
	Connect   time.Duration // until the connection stands
	FirstByte time.Duration // from the sent request to the first byte of the reply
	Idle      time.Duration // between two pieces of the reply
}

// Tasks limits what is handed to side interactions.
type Tasks struct {
	Max         int // in one call
	Concurrency int // that run at once
	Depth       int // of tasks that hand over tasks; 0 hands over none
}

// Terminal is how the interactive front looks and behaves.
type Terminal struct {
	Display      string        // DisplayFull or DisplayCompact
	Theme        string        // a theme's name, of Themes
	Keys         string        // KeysEmacs or KeysVi
	Editor       string        // command line of the editor; "" is that of the environment
	WhileWorking string        // WhileWorkingSteer or WhileWorkingQueue
	NotifyAfter  time.Duration // of a turn, after which its end rings; 0 never
	ScreenReader bool          // plain lines, nothing that moves
}

// Values of the setting display.
const (
	DisplayFull    = "full"
	DisplayCompact = "compact"
)

// Values of the setting keys.
const (
	KeysEmacs = "emacs"
	KeysVi    = "vi"
)

// Values of the setting while_working.
const (
	WhileWorkingSteer = "steer" // what is said joins the statement under way
	WhileWorkingQueue = "queue" // it is a statement of its own after that
)

// Themes returns the names of the themes. The first one uses the terminal's own
// sixteen colours.
func Themes() []string { return []string{"terminal", "dark", "light", "mono"} }

// Values of the setting objectives.
const (
	ObjectivesModel = "model" // a model puts them into words, beside the statement
	ObjectivesText  = "text"  // they are the first sentence of what the person says
	ObjectivesOff   = "off"
)

// Values of the setting feedback.
const (
	FeedbackOn   = "on"
	FeedbackOff  = "off"
	FeedbackAuto = "auto" // lines that have not changed are left out
)

// Values of the setting bash_result.
const (
	BashCombined = "combined"
	BashSplit    = "split"
)

// Values of the setting result_format.
const (
	ResultJSON        = "json"
	ResultFrontmatter = "frontmatter"
)

// Values of the setting approval.
const (
	ApprovalNever = "never"
	ApprovalAsk   = "ask"
	ApprovalPlan  = "plan" // only tools that read
	ApprovalDeny  = "deny"
)

// Values of the setting tool_protocol.
const (
	ToolsNative        = "native"         // in the vendor's own form
	ToolsPrompt        = "prompt"         // in the text of the conversation
	ToolsPromptCompact = "prompt_compact" // likewise, in fewer words
)

// Vendor is where a model is reached and how.
type Vendor struct {
	API          string // the protocol: APIChat, APIResponses, APIAnthropic or APIGemini
	BaseURL      string // may hold names of variables in braces
	Model        string // used when only the vendor is named
	KeyEnv       string // names of the variables that may hold the key, the first one that does counts
	KeyCmd       string // command line that prints the key
	Auth         string // what is done without a key: AuthKey, AuthAWS or AuthGoogle
	Organization string
	Insecure     bool   // plain HTTP to another machine is wanted
	ToolProtocol string // as in Settings; "" follows it
	Catalog      string // the vendor that the catalog knows these models of; "" is this one
	KeyCheck     string // path below the base URL that only a good key gets answered; "" is the list of models. Presets alone have it

	// Headers are sent with each request. Names are in canonical form.
	Headers map[string]string

	Quirks provider.Quirks
}

// Values of the setting api.
const (
	APIChat      = "chat"      // OpenAI's Chat Completions, and all who speak it
	APIResponses = "responses" // OpenAI's Responses
	APIAnthropic = "anthropic" // Anthropic's Messages
	APIGemini    = "gemini"    // Google's generateContent
)

// Values of the setting auth.
const (
	AuthKey    = "key"    // nothing: the key alone
	AuthAWS    = "aws"    // requests are signed with AWS credentials
	AuthGoogle = "google" // a token is had with Google's application default credentials
)
