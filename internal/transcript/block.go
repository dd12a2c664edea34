package transcript

import (
	"encoding/json"
	"slices"

	"ikigai"
)

// Block is one thing that a person sees of a session.
//
// Body is what the event's data says, by value, and depends on Kind:
//
//	session              ikigai.SessionData
//	system user assistant thinking   ikigai.MessageData
//	tool_call            Call
//	tool_result          Result
//	tools                ikigai.ToolsData
//	request              ikigai.RequestData
//	usage                ikigai.UsageData
//	change               Change
//	approval             Approval
//	interrupted          ikigai.InterruptedData
//	error                ikigai.ErrorData
//	quarantine           ikigai.QuarantineData
//	fallback             ikigai.FallbackData
//	rewind               ikigai.RewindData
//	fork                 ikigai.ForkData
//	undo                 ikigai.UndoData
//	trust                ikigai.TrustData
//	interaction          ikigai.InteractionData
//	end                  Ended
//	title goal objective Objective
//	feedback             ikigai.FeedbackData
//	projection           Projection
//	notice               nil
//	any other kind       json.RawMessage, the data as it is; nil without data
type Block struct {
	Kind        ikigai.Kind // of the event, or Notice or End
	Seq         ikigai.Seq  // of the event; 0 for a notice
	ID          ikigai.ID   // of the event
	Session     ikigai.ID
	Time        ikigai.Micros
	Interaction string // ikigai.Main, or the side interaction it comes from
	Side        *Side  // what that is for; nil for the main one, and where the log does not say
	Folded      bool   // it happened beside the conversation: a line is enough
	Typed       bool   // it is of a command that the person has typed, in a side interaction that is shown as the main one
	Statement   int    // number of the person's statement it belongs to, from 1; 0 before the first
	Round       int    // of a tool call or result: number within the statement, from 1
	Text        string // what the event says to people
	Body        any
	Damage      string // why the event's data could not be read in full; "" if it could
}

// Notice is the kind of a block that comes from no event: something that the
// program has to say now. Its text is two sentences.
const Notice ikigai.Kind = "notice"

// Call is the body of a tool call.
type Call struct {
	ID        string
	Name      string
	Arguments string  // as received
	Params    []Field // the arguments in the order received; nil if they are no JSON object

	// MayHaveRun marks a call that the log has no result for and that nobody
	// is running any more: whether the tool ran, and how far, is unknown.
	MayHaveRun bool
	// Denied marks a call that an approval before refused.
	Denied bool
	// Asked marks a call that the person was shown whole, as they were asked about
	// it. Shown is the difference to a file that they were shown in the place of what
	// the call holds of it, "" if there was none.
	Asked bool
	Shown string
}

// CallOf returns the body of a call.
func CallOf(c ikigai.ToolCall) Call {
	return Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments, Params: fields(c.Arguments)}
}

// Of says which call something belongs to.
type Of struct {
	// Call is the call, nil if the log does not hold it or its result came
	// before.
	Call *Call
	// Follows tells that nothing else was shown since the call, so that the
	// call need not be named again.
	Follows bool
}

// Change is the body of a change.
type Change struct {
	ikigai.ChangeData
	Of
}

// Approval is the body of an approval.
type Approval struct {
	ikigai.ApprovalData
	Of
}

// Result is the body of a tool result.
type Result struct {
	ikigai.ToolResultData
	Of

	// Fields is the output, key by key, if it is a JSON object.
	Fields []Field
	// Added is what the tool ran with that is not in the arguments received:
	// defaults that were filled in, values that were changed.
	Added []Field
}

// Received reports whether the call came with a parameter of that name.
func (r Result) Received(name string) bool {
	return r.Call != nil && slices.ContainsFunc(r.Call.Params, func(f Field) bool { return f.Name == name })
}

// Field is a key of a JSON object with its value.
type Field struct {
	Name  string
	Value json.RawMessage // valid JSON
}

// Text returns the value of f if it is a string.
func (f Field) Text() (string, bool) {
	if len(f.Value) == 0 || f.Value[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(f.Value, &s)
	return s, err == nil
}
