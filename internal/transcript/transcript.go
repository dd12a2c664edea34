// Package transcript turns the events of a session into what a person sees of
// it: blocks. It says what there is to show, not how it looks.
package transcript

import (
	"slices"

	"ikigai"
)

// Transcript is the fold from events to blocks. The zero Transcript is that of
// a session without events. What it keeps grows with the calls that have no
// result yet and with the number of interactions, not with the session.
type Transcript struct {
	// Brief leaves out changes that a tool announced and whose result is about
	// to tell of them.
	Brief bool

	statement int
	lines     map[string]*line // by interaction
	open      []Block          // tool calls without a result, in the order of the log
	passed    []ikigai.Event   // calls and results that Pass took in, as long as some call has no result
}

// line is the state of an interaction.
type line struct {
	round   int
	inRound bool   // the last event of the conversation was a tool call
	shown   string // the call below which the last thing shown stands; "" if it belongs to none
}

// Add takes in the session's next event and returns the blocks that show it:
// one of its own and, ahead of it, the calls without a result that a new
// statement, a rewind or a clear leaves behind. Data that cannot be read is no error: the block shows what
// there is.
func (t *Transcript) Add(e ikigai.Event) []Block {
	t.foldPassed()
	b := Block{
		Kind: e.Kind, Seq: e.Seq, ID: e.ID, Session: e.Session, Time: e.Time,
		Interaction: e.Interaction, Text: e.Content,
	}
	if b.Interaction == "" {
		b.Interaction = ikigai.Main
	}
	ln := t.line(b.Interaction)

	var blocks []Block
	switch e.Kind {
	case ikigai.KindUser:
		blocks = t.abandon(b.Interaction)
		ln.round = 0
		if b.Interaction == ikigai.Main {
			t.statement++
		}
		decode[ikigai.MessageData](&b, e)
	case ikigai.KindSystem, ikigai.KindAssistant, ikigai.KindThinking:
		decode[ikigai.MessageData](&b, e)
	case ikigai.KindToolCall:
		t.call(&b, e, ln)
	case ikigai.KindToolResult:
		t.result(&b, e, ln)
	case ikigai.KindSession:
		decode[ikigai.SessionData](&b, e)
	case ikigai.KindTools:
		decode[ikigai.ToolsData](&b, e)
	case ikigai.KindRequest:
		decode[ikigai.RequestData](&b, e)
	case ikigai.KindUsage:
		decode[ikigai.UsageData](&b, e)
	case ikigai.KindChange:
		decode[ikigai.ChangeData](&b, e)
		if t.change(&b, ln); t.Brief && told(b) {
			return nil
		}
	case ikigai.KindApproval:
		decode[ikigai.ApprovalData](&b, e)
		t.approval(&b, ln)
	case ikigai.KindInterrupted:
		decode[ikigai.InterruptedData](&b, e)
	case ikigai.KindError:
		decode[ikigai.ErrorData](&b, e)
	case ikigai.KindQuarantine:
		decode[ikigai.QuarantineData](&b, e)
	case ikigai.KindFallback:
		decode[ikigai.FallbackData](&b, e)
	case ikigai.KindRewind:
		blocks = t.abandon(b.Interaction)
		decode[ikigai.RewindData](&b, e)
	case ikigai.KindClear:
		blocks = t.abandon(b.Interaction)
	case ikigai.KindFork:
		decode[ikigai.ForkData](&b, e)
	case ikigai.KindUndo:
		decode[ikigai.UndoData](&b, e)
	case ikigai.KindTrust:
		decode[ikigai.TrustData](&b, e)
	default:
		if len(e.Data) > 0 {
			b.Body = slices.Clone(e.Data)
		}
	}
	if e.Kind != ikigai.KindToolCall && e.Kind.Conversation() {
		ln.inRound = false
	}
	t.passes(b)
	b.Statement = t.statement
	if e.Kind == ikigai.KindToolCall {
		t.open = append(t.open, b)
	}
	return append(blocks, b)
}

// Pass takes in the session's next event as Add does, for what a person has
// seen before. It costs next to nothing, because it decodes only what is left
// of calls without a result.
func (t *Transcript) Pass(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindUser, ikigai.KindRewind, ikigai.KindClear:
		t.passed = slices.DeleteFunc(t.passed, func(p ikigai.Event) bool { return p.Interaction == e.Interaction })
		t.Add(e)
	case ikigai.KindToolCall, ikigai.KindToolResult:
		t.passed = append(t.passed, e)
		results := 0
		for _, p := range t.passed {
			if p.Kind == ikigai.KindToolResult {
				results++
			}
		}
		if 2*results == len(t.passed) {
			t.line(e.Interaction).round++
			t.passed = t.passed[:0]
		}
	}
}

// foldPassed decodes what Pass has left.
func (t *Transcript) foldPassed() {
	passed := t.passed
	t.passed = nil
	for _, e := range passed {
		t.Add(e)
	}
}

// Open returns the tool calls that have no result yet, in order. While the
// session is worked on, they are running or about to; once it is not, they may
// have run, as the blocks say.
func (t *Transcript) Open() []Block {
	blocks := make([]Block, 0, len(t.open))
	for _, b := range t.open {
		blocks = append(blocks, mayHaveRun(b))
	}
	return blocks
}

// Statements returns how many statements the person has made.
func (t *Transcript) Statements() int { return t.statement }

func (t *Transcript) line(interaction string) *line {
	ln := t.lines[interaction]
	if ln == nil {
		ln = &line{}
		if t.lines == nil {
			t.lines = map[string]*line{}
		}
		t.lines[interaction] = ln
	}
	return ln
}

func (t *Transcript) call(b *Block, e ikigai.Event, ln *line) {
	var d ikigai.ToolCallData
	if err := e.DecodeData(&d); err != nil {
		b.Damage = err.Error()
	}
	if !ln.inRound {
		ln.round++
		ln.inRound = true
	}
	b.Round = ln.round
	b.Body = CallOf(ikigai.ToolCall{ID: d.ID, Name: d.Function.Name, Arguments: d.Function.Arguments})
}

func (t *Transcript) result(b *Block, e ikigai.Event, ln *line) {
	var r Result
	if err := e.DecodeData(&r.ToolResultData); err != nil {
		b.Damage = err.Error()
	}
	r.Fields = fields(r.Output)
	b.Round = ln.round
	if i := t.find(b.Interaction, r.ToolCallID); i >= 0 {
		r.Of, b.Round = t.of(i, ln), t.open[i].Round
		t.open = slices.Delete(t.open, i, i+1)
		r.Added = added(fields(string(r.Executed)), r.Call.Params)
	} else {
		r.Added = fields(string(r.Executed))
	}
	b.Body = r
}

func (t *Transcript) change(b *Block, ln *line) {
	c := Change{ChangeData: b.Body.(ikigai.ChangeData)}
	if i := t.find(b.Interaction, c.CallID); i >= 0 {
		c.Of = t.of(i, ln)
	}
	b.Body = c
}

// told reports whether the result to come tells all that the change b does: that
// a file is new, or that it cannot be had again, it does not.
func told(b Block) bool {
	c := b.Body.(Change)
	return c.Call != nil && c.Existed && !c.Noticed && c.NotKept == "" && b.Damage == ""
}

func (t *Transcript) approval(b *Block, ln *line) {
	a := Approval{ApprovalData: b.Body.(ikigai.ApprovalData)}
	if i := t.find(b.Interaction, a.CallID); i >= 0 {
		call := t.open[i].Body.(Call)
		call.Denied = !a.Allowed
		t.open[i].Body = call
		a.Of = t.of(i, ln)
	}
	b.Body = a
}

// of returns what belongs to the call in place i of t.open and comes next in
// its interaction.
func (t *Transcript) of(i int, ln *line) Of {
	call := t.open[i].Body.(Call)
	return Of{Call: &call, Follows: ln.shown != "" && ln.shown == call.ID}
}

// find returns the place in t.open of the first call with the given ID, or -1.
func (t *Transcript) find(interaction, id string) int {
	return slices.IndexFunc(t.open, func(b Block) bool {
		return b.Interaction == interaction && b.Body.(Call).ID == id
	})
}

// passes notes below which call the next thing of each interaction will stand.
// What happens to a call between it and its result does not part the two; nor
// does what is recorded about the reply.
func (t *Transcript) passes(b Block) {
	var call *Call
	switch body := b.Body.(type) {
	case ikigai.RequestData, ikigai.UsageData:
		return
	case Call:
		call = &body
	case Change:
		call = body.Call
	case Approval:
		call = body.Call
	}
	for _, ln := range t.lines {
		ln.shown = ""
	}
	if call != nil {
		t.line(b.Interaction).shown = call.ID
	}
}

// abandon takes the calls of an interaction that have no result out of t.open
// and returns them marked.
func (t *Transcript) abandon(interaction string) (blocks []Block) {
	t.open = slices.DeleteFunc(t.open, func(b Block) bool {
		if b.Interaction != interaction {
			return false
		}
		blocks = append(blocks, mayHaveRun(b))
		return true
	})
	return blocks
}

func mayHaveRun(b Block) Block {
	call := b.Body.(Call)
	call.MayHaveRun = true
	b.Body = call
	return b
}

// decode sets the body of b to the data of e, as far as it can be read.
func decode[T any](b *Block, e ikigai.Event) {
	var d T
	if err := e.DecodeData(&d); err != nil {
		b.Damage = err.Error()
	}
	b.Body = d
}
