package ikigai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// ID names a session or an event: a UUIDv7 in its canonical text form, so that
// IDs made later sort later.
type ID string

// Seq is an event's place in its session: 1, 2, 3 … without gaps.
type Seq int64

// Micros is a point in time in microseconds since the Unix epoch, UTC. Every
// store holds times in this form. Order never comes from them, only from Seq.
type Micros int64

// Time returns m as a time in the local zone.
func (m Micros) Time() time.Time { return time.UnixMicro(int64(m)) }

// MicrosOf returns t in microseconds.
func MicrosOf(t time.Time) Micros { return Micros(t.UnixMicro()) }

// Main is the interaction in which the person and the model talk. Other names
// are side interactions: a title, a summary, a delegated task.
const Main = "main"

// Kind says what an event is.
type Kind string

// Kinds of the conversation. The model is sent projections of these.
const (
	KindSystem     Kind = "system"
	KindUser       Kind = "user"
	KindAssistant  Kind = "assistant"
	KindToolCall   Kind = "tool_call"
	KindToolResult Kind = "tool_result"
)

// Kinds of the record: what happened beside the conversation.
const (
	KindSession     Kind = "session"     // first event of every session; data is a SessionData
	KindTools       Kind = "tools"       // the tools offered from here on; data is a ToolsData
	KindRequest     Kind = "request"     // a request as it was sent; data is a RequestData
	KindUsage       Kind = "usage"       // what a reply cost; data is a UsageData
	KindThinking    Kind = "thinking"    // the model's reasoning, as far as it is shown
	KindChange      Kind = "change"      // a file is about to change; data is a ChangeData
	KindApproval    Kind = "approval"    // the person was asked; data is an ApprovalData
	KindInterrupted Kind = "interrupted" // a reply that was not finished; content is what came
	KindMark        Kind = "mark"        // a place to come back to; content is its name
	KindRewind      Kind = "rewind"      // the conversation goes on from an earlier place; data is a RewindData
	KindClear       Kind = "clear"       // the conversation begins anew; nothing before it is sent any more
	KindFork        Kind = "fork"        // this session shares its past with another; data is a ForkData
	KindQuarantine  Kind = "quarantine"  // an event that a vendor refuses is not sent any more; data is a QuarantineData
	KindFallback    Kind = "fallback"    // another model is asked for the rest of a statement; data is a FallbackData
	KindUndo        Kind = "undo"        // changes of files were taken back; data is an UndoData
	KindTrust       Kind = "trust"       // what a project brings was allowed or not; data is a TrustData
	KindError       Kind = "error"       // a statement that ended with an error; data is an ErrorData
	KindInteraction Kind = "interaction" // a side interaction begins; data is an InteractionData
	KindTitle       Kind = "title"       // the session has a title; data is an ObjectiveData
	KindGoal        Kind = "goal"        // the session has a goal; data is an ObjectiveData
	KindObjective   Kind = "objective"   // a statement has an objective; data is an ObjectiveData
	KindFeedback    Kind = "feedback"    // how a statement stands after a round of tools; data is a FeedbackData
	KindProjection  Kind = "projection"  // parts of the conversation are sent in fewer words; data is a ProjectionData
)

// Conversation reports whether events of kind k are part of the conversation,
// as opposed to the record kept beside it.
func (k Kind) Conversation() bool {
	switch k {
	case KindSystem, KindUser, KindAssistant, KindToolCall, KindToolResult:
		return true
	}
	return false
}

// Event is one row of the log. Events are only ever appended.
//
// Content is for people and Data, a JSON object or nil, for programs. Both are
// valid UTF-8 without NUL; where the bytes they come from are not, those bytes
// are kept in a Blob.
type Event struct {
	Session     ID              `json:"session"`
	Seq         Seq             `json:"seq"`
	ID          ID              `json:"id"`
	Interaction string          `json:"interaction"`
	Kind        Kind            `json:"kind"`
	Time        Micros          `json:"time"`
	Content     string          `json:"content"`
	Data        json.RawMessage `json:"data,omitempty"`

	// Blobs travel with the event into the store, in one transaction. Data
	// names them by hash. They are not set on events read from a store.
	Blobs []Blob `json:"-"`
}

// IsStatement reports whether e is a statement of the person.
func (e Event) IsStatement() bool {
	if e.Kind != KindUser || e.Interaction != Main {
		return false
	}
	var d MessageData
	if bytes.Contains(e.Data, []byte(`"by"`)) {
		_ = e.DecodeData(&d) // damaged, it is what most are
	}
	return d.By == ""
}

// NewEvent returns an event of the main interaction. A nil data stays nil;
// anything else must encode as a JSON object. NewEvent panics if data cannot
// be encoded, which no type of this package can cause.
func NewEvent(kind Kind, content string, data any) Event {
	e := Event{Interaction: Main, Kind: kind, Content: content}
	if data != nil {
		raw, err := marshal(data)
		if err != nil {
			panic(fmt.Sprintf("ikigai: data of a %s event: %v", kind, err))
		}
		e.Data = raw
	}
	return e
}

// DecodeData decodes e.Data into v. An event without data leaves v as it is.
func (e Event) DecodeData(v any) error {
	if len(e.Data) == 0 {
		return nil
	}
	if err := json.Unmarshal(e.Data, v); err != nil {
		return fmt.Errorf("data of event %d, a %s: %w", e.Seq, e.Kind, err)
	}
	return nil
}

// Blob is a run of bytes kept beside the events, addressed by its content.
type Blob struct {
	Hash  string // lower-case hexadecimal SHA-256 of Bytes
	Bytes []byte
	// Like, when not empty, is the hash of an earlier blob of which this one is
	// probably a changed copy. A store may keep the difference alone.
	Like string
}

// SessionData is the data of a session event. The event's content is the
// directory.
type SessionData struct {
	Dir     string `json:"dir"`     // working directory, absolute
	Model   string `json:"model"`   // vendor/model
	Version string `json:"version"` // of the program that began the session
}

// ToolsData is the data of a tools event.
type ToolsData struct {
	Tools []ToolSpec `json:"tools"`
}

// RewindData is the data of a rewind event. From it on the conversation is the
// one it was right after event To; what came later stays in the log.
type RewindData struct {
	To   Seq    `json:"to"`
	Mark string `json:"mark,omitempty"` // the name that To was found by
}

// ForkData is the data of a fork event.
type ForkData struct {
	Session ID     `json:"session"`          // that the past is shared with
	Seq     Seq    `json:"seq"`              // of the last event that is shared
	Reason  string `json:"reason,omitempty"` // if it was not the person's wish
}

// RequestData is the data of a request event: what rebuilds, byte for byte, the
// body that was sent. A body is its head and its conversation; the conversation
// is the first Kept bytes of the one of the request Previous, and Tail. The
// oldest version of the program recorded neither head nor tail.
type RequestData struct {
	Model      string   `json:"model"`                 // vendor/model
	Head       []string `json:"head,omitempty"`        // hashes of blobs: options and tools, system prompt
	Previous   Seq      `json:"previous,omitempty"`    // the request whose conversation this one goes on with
	Kept       int64    `json:"kept,omitempty"`        // bytes of that conversation
	Tail       []byte   `json:"tail,omitempty"`        // what follows, as package blob packs it against the events since the last request
	TailBlob   string   `json:"tail_blob,omitempty"`   // hash of the blob that holds Tail, if it is long
	Media      []string `json:"media,omitempty"`       // hashes of blobs whose base64 Tail is packed against, too, behind the events
	Stem       int64    `json:"stem,omitempty"`        // bytes of the conversation but for those that close the body
	StemSHA256 string   `json:"stem_sha256,omitempty"` // of these, hexadecimal: what a later request knows its beginning by
	Size       int64    `json:"size"`                  // bytes of the body
	SHA256     string   `json:"sha256"`                // of the body, hexadecimal
	ToolChoice string   `json:"tool_choice,omitempty"`
}

// UsageData is the data of a usage event.
type UsageData struct {
	Model string `json:"model"` // vendor/model
	Usage
	Cost         *int64     `json:"cost,omitempty"` // millionths of a US dollar; nil where the price is not known
	Stop         StopReason `json:"stop,omitempty"`
	FirstMillis  int64      `json:"first_ms"` // from sending to the first delta
	TotalMillis  int64      `json:"total_ms"` // from sending to the end of the reply
	ResponseID   string     `json:"response_id,omitempty"`
	ServedByName string     `json:"served_by,omitempty"` // the model's name as the vendor reports it
}

// ChangeData is the data of a change event: what a file held before a change.
// The event's content is the path.
//
// Where the tool announces its changes, the event is durable before the file is
// changed. Where it does not, the event comes after the result of the call and
// says what was Noticed. One that is Unrecorded is of no path: it stands for changes
// that have no events of their own, and its content says so.
type ChangeData struct {
	CallID  string `json:"tool_call_id,omitempty"` // "" for an undo
	Path    string `json:"path"`                   // absolute
	Existed bool   `json:"existed"`                // false: the change creates the file
	Mode    uint32 `json:"mode,omitempty"`         // before the change, as that of a FileState
	Owner   string `json:"owner,omitempty"`        // "uid:gid" of a file with setuid or setgid
	Size    int64  `json:"size"`                   // bytes before the change
	Link    string `json:"link,omitempty"`         // where it pointed to, if it was a symbolic link
	Blob    string `json:"blob,omitempty"`         // hash of the content before the change
	File    string `json:"file,omitempty"`         // path of the file with that content, where it is too large for a store
	NotKept string `json:"not_kept,omitempty"`     // why the content before the change was not kept

	NewDirs int        `json:"new_dirs,omitempty"` // directories right above it that were not there either
	Noticed bool       `json:"noticed,omitempty"`  // found by looking, after the change
	After   *FileState `json:"after,omitempty"`    // what is there since the change, if it was noticed; what an undo makes of it

	Unrecorded string `json:"unrecorded,omitempty"` // why changes of the call have no events of their own
	Files      int    `json:"files,omitempty"`      // how many those are, if it is known
}

// FileState is what is known of a file at some moment. The zero FileState is
// that of a file that is not there.
type FileState struct {
	Exists bool   `json:"exists"`
	Mode   uint32 `json:"mode,omitempty"` // permission bits, and setuid, setgid and sticky as Unix has them, which old logs leave out
	Size   int64  `json:"size,omitempty"`
	Link   string `json:"link,omitempty"`   // where it points to, if it is a symbolic link
	SHA256 string `json:"sha256,omitempty"` // of the content, hexadecimal; "" where it was not read
}

// UndoData is the data of an undo event. The files that it changed back have
// change events before it, so an undo can itself be undone.
type UndoData struct {
	Redo    bool       `json:"redo,omitempty"`   // an undo was taken back
	Changes []Seq      `json:"changes"`          // the change events that were taken back
	Files   []string   `json:"files"`            // absolute paths that were changed by it
	Left    []LeftFile `json:"left,omitempty"`   // what could not be taken back
	To      Seq        `json:"to,omitempty"`     // the event before which files are again as they were
	Reason  string     `json:"reason,omitempty"` // if it was not the person's wish
}

// LeftFile is a file that an undo left as it is.
type LeftFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// TrustData is the data of a trust event: whether what the project brings may
// act in this session.
type TrustData struct {
	Trusted bool     `json:"trusted"`
	SHA256  string   `json:"sha256"` // of all that is judged, hexadecimal
	Items   []string `json:"items"`  // what it is, for people
}

// ApprovalData is the data of an approval event.
type ApprovalData struct {
	CallID  string `json:"tool_call_id"`
	Name    string `json:"name"`
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"`
}

// ErrorData is the data of an error event.
type ErrorData struct {
	Kind   ErrorKind `json:"kind"`
	Status int       `json:"status,omitempty"` // HTTP status where there was one
}

// QuarantineData is the data of a quarantine event. From it on the message that
// event Seq is has a stand-in in what is sent; the log keeps it as it is.
type QuarantineData struct {
	Seq    Seq    `json:"seq"`
	Model  string `json:"model"`  // vendor/model that refused it
	Reason string `json:"reason"` // in the vendor's words
	// Whole is false where only what goes with the text is left out: images,
	// files, a vendor's own state.
	Whole bool `json:"whole"`

	// State tells that of all messages up to Seq the state that Model wants back
	// is left out, and nothing else.
	State bool `json:"state,omitempty"`
	// Filter tells that a content filter refused the conversation and named no
	// message of it. With are further messages that it may have meant.
	Filter bool  `json:"filter,omitempty"`
	With   []Seq `json:"with,omitempty"`
}

// FallbackData is the data of a fallback event: which model was asked, why it
// did not answer, and which is asked instead.
type FallbackData struct {
	From   string    `json:"from"` // vendor/model
	To     string    `json:"to"`   // vendor/model
	Kind   ErrorKind `json:"kind"`
	Status int       `json:"status,omitempty"` // HTTP status where there was one
}

// InterruptedData is the data of an interrupted event.
type InterruptedData struct {
	Reason   string `json:"reason"`             // "cancelled", "crash" or a vendor's error
	Thinking string `json:"thinking,omitempty"` // what was shown of the reasoning
}
