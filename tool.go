package ikigai

import (
	"context"
	"encoding/json"
)

// ToolSpec is what a model is told of a tool.
type ToolSpec struct {
	Name        string          `json:"name"` // [A-Za-z0-9_-]{1,64}, unique among the tools of a session
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"parameters"` // JSON Schema of an object

	// What is told of a tool where tools are presented as text.
	Returns      json.RawMessage `json:"returns,omitempty"`       // JSON Schema of the output, an object
	OutputLimits []string        `json:"output_limits,omitempty"` // such as "stdout: 10 KB max"
	Usage        string          `json:"usage,omitempty"`         // when to use it
}

// Tool is something a model can have run. Built-in and external tools, and
// those of MCP servers, are the same value.
type Tool struct {
	ToolSpec

	// Source says for people where the tool comes from: the path of its
	// executable, or the MCP server that offers it. It is "" for built-in tools.
	Source string

	// ReadOnly tools change nothing. Several may run at once, and they run
	// even while no call can be recorded durably.
	ReadOnly bool

	// Announces tells that the tool calls Intend before each change of a file.
	// What a tool that neither announces nor is ReadOnly has changed is found by
	// looking at the working directory before and after.
	Announces bool

	// Check validates input against Schema and returns the input to run with:
	// args with the defaults of the schema filled in, or args itself when
	// there is nothing to fill in. The error is an *Error that names every
	// parameter at fault.
	Check func(args json.RawMessage) (json.RawMessage, error)

	// Run runs the tool on input that Check returned. It reports every failure
	// in its Result, and returns soon after ctx ends.
	Run func(ctx context.Context, call Call) Result
}

// Call is one run of a tool.
type Call struct {
	ID   string          // of the tool call
	Dir  string          // working directory, absolute; relative paths start here
	Args json.RawMessage // as Check returned it

	// Progress takes what the tool has printed so far, piece by piece, for the
	// person. It is not recorded, may be nil and is called from one goroutine
	// at a time.
	Progress func([]byte)

	// Intend must be called before a file is changed or created, with its path,
	// and the change made only if it returns nil: what was there is then kept
	// and durable. It may be nil.
	Intend func(ctx context.Context, path string) error
}

// Result is what a run of a tool has to say, to three readers.
type Result struct {
	Output    []Part // to the model: what the tool produced
	Note      string // to the model: about the run, where Output needs explanation
	Report    string // to the person: what was done, in a few words; never sent
	Failed    bool   // the tool could not do its work; a command that exits 1 is no failure
	Resources []Resource

	// Front is what stands ahead of the output where results are sent with
	// frontmatter, which a setting asks for: the tool chooses the names and their
	// order. Where it is nil, the members of an output that is a JSON object are
	// taken.
	Front []Fact
}

// Fact is a name and a value of a frontmatter.
type Fact struct {
	Name  string
	Value any // encoded as JSON if it is no string
}

// Resource is a file or URL that a tool read or changed.
type Resource struct {
	URI     string `json:"uri"` // an absolute path or a URL
	Changed bool   `json:"changed,omitempty"`
	// SHA256 is the hash, in hexadecimal, of the whole content of a file as the
	// tool read it, or left it. It is "" where that is not known.
	SHA256 string `json:"sha256,omitempty"`
}

// JSONOutput returns v, encoded as compact JSON, as the output of a tool. It
// panics if v cannot be encoded.
func JSONOutput(v any) []Part {
	raw, err := marshal(v)
	if err != nil {
		panic("ikigai: output of a tool: " + err.Error())
	}
	return []Part{{Type: PartText, Text: string(raw)}}
}

// ToolCode tells failures of tools apart for programs.
type ToolCode string

// Codes that the harness gives. Tools have codes of their own beside them.
const (
	CodeToolNotFound  ToolCode = "TOOL_NOT_FOUND" // no tool of that name
	CodeInvalidParams ToolCode = "INVALID_PARAMS" // input that does not fit the schema
	CodeToolTimeout   ToolCode = "TOOL_TIMEOUT"
	CodeToolCrashed   ToolCode = "TOOL_CRASHED"   // the tool itself broke
	CodeInvalidOutput ToolCode = "INVALID_OUTPUT" // the tool answered with something that is no result
	CodeDenied        ToolCode = "DENIED"         // the person, or a setting, did not allow it
	CodeCancelled     ToolCode = "CANCELLED"
)

// Failure returns the result of a run that failed. what says what failed and
// do what to do about it, each a sentence without its full stop.
func Failure(code ToolCode, what, do string) Result {
	return Result{
		Failed: true,
		Report: what,
		Output: JSONOutput(struct {
			Error string   `json:"error"`
			Code  ToolCode `json:"error_code,omitempty"`
		}{what + ". " + do + ".", code}),
	}
}
