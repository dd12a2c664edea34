package ikigai

import (
	"encoding/json"
	"fmt"
)

// Message is one entry of a conversation as it is handed to a vendor's
// package: the typed form of an event of a conversation kind.
//
//	Kind             set beside Content
//	system, user     Parts (images and files that go with the text)
//	assistant        Vendor
//	tool_call        Call, Vendor
//	tool_result      Result
//
// For a tool_call and a tool_result Content is a summary for people and is
// never sent.
type Message struct {
	Kind    Kind
	Content string
	Parts   []Part
	Call    *ToolCall
	Result  *ToolResult
	Vendor  VendorState
}

// ToolCall is a model's wish to have a tool run.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // JSON text as the vendor sent it, not necessarily valid
}

// ToolResult answers the tool call with the same ID.
type ToolResult struct {
	CallID  string
	Name    string
	Output  string // for the model: JSON text or plain text
	Success bool
	Parts   []Part // images and further parts of the output
	Note    string // for the model, about the run
	// Feedback stands at the end of a round, on its last result: the state of
	// the statement, told to the model and the person alike.
	Feedback string
}

// VendorState is what a vendor wants back with a message, such as a signature
// over its thinking. It is opaque, keyed by vendor/model, and is given to
// nobody but its owner.
type VendorState map[string]json.RawMessage

// PartType says what a Part holds.
type PartType string

const (
	PartText  PartType = "text"
	PartImage PartType = "image"
	PartFile  PartType = "file"
)

// Part is one piece of a message or of a tool's output.
type Part struct {
	Type  PartType `json:"type"`
	Text  string   `json:"text,omitempty"`       // of a text
	Media string   `json:"media_type,omitempty"` // MIME type of an image or file
	Name  string   `json:"name,omitempty"`       // of a file
	Blob  string   `json:"blob,omitempty"`       // hash of the bytes of an image or file
	Fit   string   `json:"fit,omitempty"`        // hash of the bytes to send instead, where those are more than vendors take
	Size  int64    `json:"size,omitempty"`       // bytes to send; 0 where it is not known
	Bytes []byte   `json:"-"`                    // the bytes, once loaded
}

// ToolCallData is the data of a tool_call event.
type ToolCallData struct {
	ID       string           `json:"id"`
	Type     string           `json:"type"` // always "function"
	Function ToolCallFunction `json:"function"`
	Vendor   VendorState      `json:"vendor,omitempty"`
}

// ToolCallFunction is the function of a ToolCallData.
type ToolCallFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // exactly as received
}

// ToolResultData is the data of a tool_result event.
type ToolResultData struct {
	ToolCallID string          `json:"tool_call_id"`
	Name       string          `json:"name"`
	Output     string          `json:"output"` // the whole result as JSON text; readers accept plain text
	Success    bool            `json:"success"`
	Note       string          `json:"note,omitempty"`
	Report     string          `json:"report,omitempty"`   // for the person, never sent
	Executed   json.RawMessage `json:"executed,omitempty"` // the input, where it differs from the one received
	Parts      []Part          `json:"parts,omitempty"`
	Resources  []Resource      `json:"resources,omitempty"`
	Millis     int64           `json:"ms"` // running time of the tool
}

// MessageData is the data of a system, user or assistant event that is more
// than text.
type MessageData struct {
	By     string      `json:"by,omitempty"` // of a user event: ByLoop, BySteer, ByShell, or "" for a statement
	Parts  []Part      `json:"parts,omitempty"`
	Vendor VendorState `json:"vendor,omitempty"`
}

// Event returns m as an event of the main interaction, without the fields that
// a session gives it. Message of that event is m again, except for a result's
// Feedback, which is an event of its own.
func (m Message) Event() Event {
	switch m.Kind {
	case KindToolCall:
		return NewEvent(m.Kind, m.Content, ToolCallData{
			ID: m.Call.ID, Type: "function", Vendor: m.Vendor,
			Function: ToolCallFunction{Name: m.Call.Name, Arguments: m.Call.Arguments},
		})
	case KindToolResult:
		r := m.Result
		return NewEvent(m.Kind, m.Content, ToolResultData{
			ToolCallID: r.CallID, Name: r.Name, Output: r.Output, Success: r.Success,
			Parts: r.Parts, Note: r.Note,
		})
	}
	if len(m.Parts) == 0 && len(m.Vendor) == 0 {
		return NewEvent(m.Kind, m.Content, nil)
	}
	return NewEvent(m.Kind, m.Content, MessageData{Parts: m.Parts, Vendor: m.Vendor})
}

// Message returns the message that e records. The error says why e is none:
// its kind is not one of the conversation, or its data is damaged.
func (e Event) Message() (Message, error) {
	m := Message{Kind: e.Kind, Content: e.Content}
	switch e.Kind {
	case KindToolCall:
		p := plain{rest: e.Data}
		d := p.toolCall()
		if p.failed {
			d = ToolCallData{}
			if err := e.DecodeData(&d); err != nil {
				return m, err
			}
		}
		m.Call = &ToolCall{ID: d.ID, Name: d.Function.Name, Arguments: d.Function.Arguments}
		m.Vendor = d.Vendor
	case KindToolResult:
		p := plain{rest: e.Data}
		d := p.toolResult()
		if p.failed {
			d = ToolResultData{}
			if err := e.DecodeData(&d); err != nil {
				return m, err
			}
		}
		m.Result = &ToolResult{
			CallID: d.ToolCallID, Name: d.Name, Output: d.Output, Success: d.Success,
			Parts: d.Parts, Note: d.Note,
		}
	case KindSystem, KindUser, KindAssistant:
		var d MessageData
		if err := e.DecodeData(&d); err != nil {
			return m, err
		}
		m.Parts, m.Vendor = d.Parts, d.Vendor
	default:
		return m, fmt.Errorf("event %d is a %s, no part of the conversation", e.Seq, e.Kind)
	}
	return m, nil
}
