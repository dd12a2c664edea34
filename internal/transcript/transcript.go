// Package transcript turns the events of a session into what a person sees of
// it: blocks. It says what there is to show, not how it looks.
package transcript

import (
	"cmp"
	"slices"

	"ikigai"
)

// Transcript is the fold from events to blocks. The zero Transcript is that of
// a session without events. What it keeps grows with the calls that have no
// result yet and with the side interactions of the last two statements, not with
// the session.
type Transcript struct {
	// Brief leaves out what other blocks tell: changes that a tool announced and
	// whose result is about to come, the goal that a model names, a side
	// interaction that came to nothing.
	Brief bool
	// Folded leaves out what side interactions say, but for those of which the
	// log does not tell what they are for. Of a task it leaves what it did.
	Folded bool

	statement int
	lines     map[string]*line // by interaction
	sides     map[string]*side // by interaction
	open      []Block          // tool calls without a result, in the order of the log
	passed    []ikigai.Event   // calls and results that Pass took in, as long as some call has no result
}

// line is the state of an interaction.
type line struct {
	round   int    // of the statement
	rounds  int    // in all
	inRound bool   // the last event of the conversation was a tool call
	shown   string // the call below which the last thing shown stands; "" if it belongs to none
}

// Add takes in the session's next event and returns the blocks that show it:
// one of its own, ahead of it the calls without a result that a new statement, a
// rewind or a clear leaves behind, and behind it the End of a side interaction.
// Data that cannot be read is no error: the block shows what there is.
func (t *Transcript) Add(e ikigai.Event) []Block {
	t.foldPassed()
	b := Block{
		Kind: e.Kind, Seq: e.Seq, ID: e.ID, Session: e.Session, Time: e.Time,
		Interaction: e.Interaction, Text: e.Content,
	}
	if b.Interaction == "" {
		b.Interaction = ikigai.Main
	}
	var blocks []Block
	switch e.Kind {
	case ikigai.KindRewind, ikigai.KindClear:
		blocks = t.abandon(b.Interaction)
	case ikigai.KindUser:
		if b.Interaction != ikigai.Main || e.IsStatement() {
			blocks = t.abandon(b.Interaction)
		}
	}
	b.read(e)
	t.takeIn(&b)
	if t.Brief && announced(b) {
		return nil
	}
	if e.Kind == ikigai.KindToolResult {
		blocks = t.answers(b.Interaction, b.Body.(Result).ToolCallID)
	}
	b.Statement = t.statement
	s := t.sides[b.Interaction]
	typed := s != nil && s.Purpose == ikigai.PurposeShell
	if s != nil && !typed {
		b.Side, b.Folded = &s.Side, t.Folded
	}
	if e.Kind == ikigai.KindToolCall {
		t.open = append(t.open, b)
	}
	shown := []Block{b}
	if end, ok := t.beside(b); ok {
		shown = append(shown, end)
	}
	for _, b := range shown {
		if t.Brief && quiet(b) || t.Folded && inside(b) {
			continue
		}
		t.passes(b)
		if typed { // the person did it, in the conversation as they see it
			b.Interaction, b.Typed = ikigai.Main, true
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// takeIn takes in what b says of the session, and says in b what the session says
// of it.
func (t *Transcript) takeIn(b *Block) {
	ln := t.line(b.Interaction)
	switch b.Kind {
	case ikigai.KindUser:
		by := b.Body.(ikigai.MessageData).By
		t.asked(b.Interaction, by, ln)
		b.Folded = t.Folded && by == ikigai.ByShell // the call and its result show it
	case ikigai.KindToolCall:
		ln.called()
		b.Round = ln.round
	case ikigai.KindToolResult:
		t.result(b, ln)
	case ikigai.KindChange:
		t.change(b, ln)
	case ikigai.KindApproval:
		t.approval(b, ln)
	case ikigai.KindInteraction:
		t.begins(*b)
	case ikigai.KindTitle, ikigai.KindGoal, ikigai.KindObjective:
		o := t.named(*b)
		b.Body, b.Folded = o, t.Folded && o.By == ikigai.ByModel
	case ikigai.KindProjection:
		b.Body = t.projected(*b)
	}
	if b.Kind != ikigai.KindToolCall && b.Kind.Conversation() {
		ln.inRound = false
	}
}

// asked takes in that somebody has said something in an interaction. What the
// program itself asks for, and what the person adds to a statement under way, goes
// on with the statement.
func (t *Transcript) asked(interaction, by string, ln *line) {
	if by == ikigai.ByLoop || by == ikigai.BySteer || by == ikigai.ByShell {
		return
	}
	ln.round = 0
	if interaction == ikigai.Main {
		t.forgetSides()
		t.statement++
	}
}

// Pass takes in the session's next event as Add does, for what a person has
// seen before. It costs next to nothing, because it decodes only what is left
// of calls without a result. Nothing may be passed once something was added.
func (t *Transcript) Pass(e ikigai.Event) {
	interaction := cmp.Or(e.Interaction, ikigai.Main)
	switch e.Kind {
	case ikigai.KindInteraction:
		b := Block{Kind: e.Kind, Seq: e.Seq, Interaction: interaction, Text: e.Content}
		decode[ikigai.InteractionData](&b, e)
		t.begins(b)
	case ikigai.KindUser, ikigai.KindRewind, ikigai.KindClear:
		if e.Kind != ikigai.KindUser || interaction != ikigai.Main || e.IsStatement() {
			t.passed = slices.DeleteFunc(t.passed, func(p ikigai.Event) bool {
				return p.Interaction == e.Interaction || t.under(p.Interaction, interaction)
			})
		}
		if e.Kind == ikigai.KindUser {
			b := Block{}
			decode[ikigai.MessageData](&b, e)
			t.asked(interaction, b.Body.(ikigai.MessageData).By, t.line(interaction))
		}
	case ikigai.KindToolCall, ikigai.KindToolResult:
		t.passed = append(t.passed, e)
		t.passRound(e.Interaction)
	}
}

// passRound forgets the calls and results of an interaction that Pass took in
// if every call has its result.
func (t *Transcript) passRound(interaction string) {
	open := 0
	for _, p := range t.passed {
		switch {
		case p.Interaction != interaction:
		case p.Kind == ikigai.KindToolCall:
			open++
		default:
			open--
		}
	}
	if open != 0 {
		return
	}
	t.passed = slices.DeleteFunc(t.passed, func(p ikigai.Event) bool { return p.Interaction == interaction })
	ln := t.line(interaction)
	ln.round++
	ln.rounds++
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

// called takes in a call.
func (ln *line) called() {
	if !ln.inRound {
		ln.round++
		ln.rounds++
		ln.inRound = true
	}
}

func (t *Transcript) result(b *Block, ln *line) {
	r := b.Body.(Result)
	b.Round = ln.round
	r.Added = fields(string(r.Executed))
	if i := t.find(b.Interaction, r.ToolCallID); i >= 0 {
		r.Of, b.Round = t.of(i, ln), t.open[i].Round
		t.open = slices.Delete(t.open, i, i+1)
		r.Added = added(r.Added, r.Call.Params)
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

// announced reports whether the result to come tells all that the change b does:
// that a file is new, or that it cannot be had again, it does not.
func announced(b Block) bool {
	c, ok := b.Body.(Change)
	return ok && c.Call != nil && c.Existed && !c.Noticed && c.NotKept == "" && b.Damage == ""
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

// Asked takes in that the person is asked about a call of the conversation, and is
// shown all of it: a difference to a file in the place of what the call holds of it,
// unless shown is "". below tells that this is the last thing shown, and names the
// call.
func (t *Transcript) Asked(callID, shown string, below bool) {
	i := t.find(ikigai.Main, callID)
	if i < 0 {
		return
	}
	call := t.open[i].Body.(Call)
	call.Asked, call.Shown = true, shown
	t.open[i].Body = call
	if below {
		t.line(ikigai.Main).shown = callID
	}
}

// Last reports whether nothing was shown since a call of the conversation that does
// not belong to it.
func (t *Transcript) Last(callID string) bool { return t.line(ikigai.Main).shown == callID }

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
// does what is recorded about the reply, or shown later.
func (t *Transcript) passes(b Block) {
	if b.Later() {
		return
	}
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

// abandon takes the calls of an interaction, and of those that serve it, that
// have no result out of t.open and returns them marked.
func (t *Transcript) abandon(interaction string) (blocks []Block) {
	t.open = slices.DeleteFunc(t.open, func(b Block) bool {
		if b.Interaction != interaction && !t.under(b.Interaction, interaction) {
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
