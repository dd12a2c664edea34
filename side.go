package ikigai

// Purpose says what a side interaction is for.
type Purpose string

const (
	PurposeObjective Purpose = "objective" // names the session's title and goal, and what a statement is to reach
	PurposeSummary   Purpose = "summary"   // puts what no longer fits the model into fewer words
	PurposeCommit    Purpose = "commit"    // writes a commit message
	PurposeTask      Purpose = "task"      // works on a task that was handed to it
	PurposeShell     Purpose = "shell"     // runs a command that the person has typed; no model takes part
)

// SidePrompt begins the system prompt of every side interaction. Its purpose
// follows, and a full stop.
const SidePrompt = "Side task: "

// InteractionData is the data of an interaction event, the first event of every
// side interaction. The event's content says in words what it is for.
type InteractionData struct {
	Purpose Purpose `json:"purpose"`
	Parent  string  `json:"parent,omitempty"`       // the interaction that it serves
	CallID  string  `json:"tool_call_id,omitempty"` // the call that handed the task over
	Model   string  `json:"model,omitempty"`        // vendor/model
}

// ObjectiveData is the data of goal, objective and title events; their content
// is the text.
type ObjectiveData struct {
	// Statement is the event of the statement whose objective it is. It is 0 for
	// a goal and a title, which are the session's.
	Statement Seq    `json:"statement,omitempty"`
	By        string `json:"by"` // "model" or "person"
}

// Whose words an ObjectiveData, or a user event, holds.
const (
	ByModel  = "model"
	ByPerson = "person"
	ByLoop   = "loop"  // of a user event: the program asks for the answer in another form
	BySteer  = "steer" // of a user event: the person adds something to the statement under way
	ByShell  = "shell" // of a user event: what came of a command that the person has typed
)

// FeedbackData is the data of a feedback event: how a statement stands after a
// round of tools. The event's content is what the model is told of it.
type FeedbackData struct {
	Turn      int         `json:"turn"` // rounds of the statement so far
	Turns     int         `json:"of"`   // that it may take
	Goal      string      `json:"goal,omitempty"`
	Objective string      `json:"objective,omitempty"`
	Tools     []ToolTally `json:"tools,omitempty"`
}

// ToolTally counts the calls of a tool in an interaction.
type ToolTally struct {
	Name      string `json:"name"`
	Succeeded int    `json:"succeeded"`
	Failed    int    `json:"failed"`
}

// ProjectionData is the data of a projection event: what of the conversation is
// sent in fewer words from here on. The log keeps all of it.
type ProjectionData struct {
	Model  string `json:"model"`  // vendor/model that it was made to fit
	Reason string `json:"reason"` // FitBudget, FitRefused or FitPerson
	Budget int64  `json:"budget"` // tokens that the conversation may take
	Before int64  `json:"before"` // tokens that it took, estimated
	After  int64  `json:"after"`  // tokens that it takes now, estimated

	Trimmed []TrimmedResult `json:"trimmed,omitempty"` // beside those that were trimmed before
	Summary *SummaryData    `json:"summary,omitempty"`
}

// Why a projection was made.
const (
	FitBudget  = "budget"  // the conversation had come near the end of the context
	FitRefused = "refused" // the vendor said that the context is full
	FitPerson  = "person"  // the person wanted it
)

// TrimmedResult is a tool result of which the model is sent the beginning and
// the end, or nothing but where it is.
type TrimmedResult struct {
	Seq  Seq    `json:"seq"`
	Keep int    `json:"keep,omitempty"` // bytes that are still sent of it
	File string `json:"file,omitempty"` // absolute path of a file that holds it whole
}

// SummaryData is what stands in the place of the conversation's beginning.
type SummaryData struct {
	To          Seq    `json:"to"`                    // the last event that it stands for
	Text        string `json:"text"`                  // what is sent
	Interaction string `json:"interaction,omitempty"` // that wrote it; "" where the log alone did
}
