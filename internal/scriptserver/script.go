package scriptserver

import (
	"time"

	"ikigai"
)

// Script says what a scripted model answers. It is plain data; Start checks it.
type Script struct {
	Name  string // of the file, for error messages
	Model string // the name that replies carry; "" for "scripted"

	// Context is how many tokens a request may have, estimated as one for each
	// four bytes of its body; 0 for any number.
	Context int

	Chunk int    // for replies that have none of their own
	Delay *Delay // for replies that have none of their own
	All   []Statement
}

// Statement holds the replies to one statement of the person: the first
// answers the statement itself, each further one the tool results before it.
type Statement struct {
	Line    int            // in the file; 0 if there is none
	Side    ikigai.Purpose // of the side interactions that it is for; "" for what a person says
	User    Pattern
	Replies []Reply
}

// Reply is one reply of the model. Think, Say and the arguments of calls are
// texts in which values may be quoted in double braces; docs/scripts.md lists
// them.
type Reply struct {
	Line           int // in the file; 0 if there is none
	Repeat         int // how many replies in a row this one stands for; 0 for one
	Expect         []Pattern
	ExpectNot      []Pattern
	ExpectFeedback []Pattern // of the feedback that goes with the last results
	Steer          []Pattern // what the person may add to the statement, with the results before this reply

	Think   string // the reasoning that the model shows
	Say     string
	Calls   []Call
	Finish  string        // finish_reason; "" for tool_calls or stop, whichever fits
	Usage   *ikigai.Usage // nil for an estimate
	NoUsage bool          // true: the reply reports no usage even if asked to
	Chunk   int           // bytes of text and arguments in a delta; 0: the script's, or 32; negative: no limit
	Delay   *Delay        // nil for the script's, or none
	Faults  []Fault       // one after the other, each for its number of attempts
}

// Call is one tool call of a reply.
type Call struct {
	Name      string
	Arguments string // sent as they are, valid JSON or not
}

// Delay says how slowly a reply comes.
type Delay struct {
	First   time.Duration // before the first byte of the reply
	Between time.Duration // between deltas
}

// FaultKind says what goes wrong.
type FaultKind string

const (
	FaultStatus     FaultKind = "status"      // an HTTP error instead of a reply
	FaultCut        FaultKind = "cut"         // the stream ends early, in good HTTP form
	FaultDrop       FaultKind = "drop"        // the connection breaks
	FaultHang       FaultKind = "hang"        // silence, until the client leaves
	FaultError      FaultKind = "error"       // an error object in a data line of the stream
	FaultErrorField FaultKind = "error-field" // an SSE field named error
)

// Fault is something that goes wrong with a reply.
type Fault struct {
	Kind   FaultKind
	Status int // of a FaultStatus
	After  int // deltas that are sent before; 0 for all of them, without the end (a hang: none)
	Times  int // attempts that it hits; 0 for all

	// Detail is, for a FaultStatus, header lines, an empty line and the body,
	// either of which may be missing; for a FaultError or FaultErrorField the
	// error object or its message. Anything missing is made up in the vendor's
	// form.
	Detail string
}

// Statements returns what a person has to say to be given the replies of s, in
// order. Statements that are chosen by a regular expression or by * are left
// out, and those of side interactions.
func (s *Script) Statements() []string {
	var all []string
	for _, st := range s.All {
		if st.Side != "" || !st.User.literal() {
			continue
		}
		if text, err := st.User.text(); err == nil {
			all = append(all, text)
		}
	}
	return all
}

// count returns how many replies r stands for.
func (r *Reply) count() int { return max(r.Repeat, 1) }

const (
	defaultModel = "scripted"
	defaultChunk = 32
)

// model returns the model's name.
func (s *Script) model() string {
	if s.Model == "" {
		return defaultModel
	}
	return s.Model
}

// chunk returns the size of the deltas of r.
func (s *Script) chunk(r *Reply) int {
	for _, n := range []int{r.Chunk, s.Chunk} {
		if n != 0 {
			return n
		}
	}
	return defaultChunk
}

// delay returns how slowly r comes.
func (s *Script) delay(r *Reply) Delay {
	for _, d := range []*Delay{r.Delay, s.Delay} {
		if d != nil {
			return *d
		}
	}
	return Delay{}
}
