// Package history projects the events of a session onto the conversation that
// a model is sent.
//
// Whatever the log holds, the conversation is valid: every call has one result
// in the same round, in call order, results without a call are left out, IDs
// are unique and acceptable to every vendor, text is valid UTF-8, and nothing
// is empty. A repair changes the conversation, never the log.
package history

import (
	"encoding/json"
	"slices"
	"strings"

	"ikigai"
)

// Line folds the events of one interaction into the conversation so far. The
// same events give the same conversation, whether they are added one by one
// with requests in between or all at once.
type Line struct {
	interaction string
	messages    []ikigai.Message // the system message, if there is one, then what is settled
	hasSystem   bool
	hasUser     bool
	round       round
	names       callNames
	tools       []ikigai.ToolSpec

	memo *ikigai.Memo
	// provisional tells that the last request held answers made up for calls
	// that are still open, so that its messages are not a prefix of what comes.
	provisional bool
}

// New returns the empty line of an interaction.
func New(interaction string) *Line {
	return &Line{interaction: interaction, names: callNames{}, memo: new(ikigai.Memo)}
}

// Add takes in the next event of the session. Events of other interactions,
// events of the record that do not concern the conversation, and events whose
// data is damaged change nothing.
func (l *Line) Add(e ikigai.Event) {
	if e.Interaction != l.interaction {
		return
	}
	switch e.Kind {
	case ikigai.KindTools:
		l.setTools(e)
	case ikigai.KindInterrupted:
		l.addInterrupted(e)
	case ikigai.KindSystem, ikigai.KindUser, ikigai.KindAssistant, ikigai.KindToolCall, ikigai.KindToolResult:
		m, err := e.Message()
		if err != nil {
			return
		}
		l.addMessage(m, e.Seq)
	}
}

// Request returns what the model is to be sent next: the conversation, the
// tools and the memo that goes with them. Calls that are still open are
// answered with the word that they may have run. The messages must not be
// changed and are good until the next Add.
func (l *Line) Request() ikigai.Request {
	messages := l.messages
	if l.round.open() {
		messages = l.round.settle(slices.Clip(messages))
		l.provisional = true
	}
	return ikigai.Request{Messages: messages, Tools: l.tools, Memo: l.memo}
}

// changed starts a new memo: what was sent before is no prefix of what comes.
func (l *Line) changed() {
	l.memo = new(ikigai.Memo)
	l.provisional = false
}

func (l *Line) setTools(e ikigai.Event) {
	var d ikigai.ToolsData
	if e.DecodeData(&d) != nil {
		return
	}
	l.tools = d.Tools
	l.changed()
}

func (l *Line) addMessage(m ikigai.Message, seq ikigai.Seq) {
	if l.provisional {
		l.changed()
	}
	m.Content = ikigai.CleanText(m.Content)
	switch m.Kind {
	case ikigai.KindSystem:
		l.setSystem(m)
	case ikigai.KindUser:
		l.closeRound()
		if !blank(m) {
			l.hasUser = true
			l.messages = append(l.messages, m)
		}
	case ikigai.KindAssistant:
		l.closeRound()
		// A conversation that does not begin with the person is refused by
		// some vendors.
		if l.hasUser && !blank(m) {
			l.messages = append(l.messages, m)
		}
	case ikigai.KindToolCall:
		if l.round.answered > 0 {
			l.closeRound() // calls after results belong to the next reply
		}
		if l.hasUser {
			l.round.call(m, l.names.unique(m.Call.ID, seq))
		}
	case ikigai.KindToolResult:
		l.round.result(m)
		if l.round.complete() {
			l.closeRound()
		}
	}
}

// setSystem puts m in the first place: vendors take one system message, there.
func (l *Line) setSystem(m ikigai.Message) {
	if blank(m) {
		return
	}
	if l.hasSystem {
		l.messages = slices.Clone(l.messages)
		l.messages[0] = m
	} else {
		l.messages = slices.Insert(slices.Clone(l.messages), 0, m)
		l.hasSystem = true
	}
	l.changed()
}

// closeRound settles the open round, if there is one.
func (l *Line) closeRound() {
	if l.round.open() {
		l.messages = l.round.settle(l.messages)
		l.round = round{}
	}
}

// addInterrupted gives the model what the person saw of an unfinished reply.
func (l *Line) addInterrupted(e ikigai.Event) {
	if strings.TrimSpace(e.Content) == "" {
		return
	}
	l.addMessage(ikigai.Message{
		Kind:    ikigai.KindAssistant,
		Content: strings.TrimRight(e.Content, " \t\r\n") + "\n\n[This reply was interrupted here.]",
	}, e.Seq)
}

// blank reports whether a vendor would find nothing in m.
func blank(m ikigai.Message) bool {
	return len(m.Parts) == 0 && strings.TrimSpace(m.Content) == ""
}

// round is the calls of one reply and their results so far.
type round struct {
	calls    []ikigai.Message
	received []string          // the calls' IDs as the log has them
	results  []*ikigai.Message // by call; nil while there is none
	answered int
}

func (r *round) open() bool     { return len(r.calls) > 0 }
func (r *round) complete() bool { return r.open() && r.answered == len(r.calls) }

// call adds a call, to be known to the model as id.
func (r *round) call(m ikigai.Message, id string) {
	r.received = append(r.received, m.Call.ID)
	m.Call = &ikigai.ToolCall{ID: id, Name: toolName(m.Call.Name), Arguments: arguments(m.Call.Arguments)}
	r.calls = append(r.calls, m)
	r.results = append(r.results, nil)
}

// result gives m to the first unanswered call of its ID. A result that answers
// no call of this round is left out.
func (r *round) result(m ikigai.Message) {
	for i, id := range r.received {
		if id == m.Result.CallID && r.results[i] == nil {
			r.results[i] = &m
			r.answered++
			return
		}
	}
}

// settle appends the calls of the round and a result for each.
func (r *round) settle(messages []ikigai.Message) []ikigai.Message {
	messages = append(messages, r.calls...)
	for i, call := range r.calls {
		var result ikigai.ToolResult
		if m := r.results[i]; m != nil {
			result = *m.Result
			result.Output = ikigai.CleanText(result.Output)
			result.Note = ikigai.CleanText(result.Note)
		} else {
			result = unknownResult()
		}
		result.CallID, result.Name = call.Call.ID, call.Call.Name
		m := ikigai.Message{Kind: ikigai.KindToolResult, Result: &result}
		if r.results[i] != nil {
			m.Content = r.results[i].Content
		}
		messages = append(messages, m)
	}
	return messages
}

// unknownResult answers a call whose result was never recorded.
func unknownResult() ikigai.ToolResult {
	failure := ikigai.Failure(ikigai.CodeCancelled,
		"The result of this call was lost in an interruption: the tool may have run, in whole or in part",
		"Check its effects before you call it again")
	return ikigai.ToolResult{Output: failure.Output[0].Text}
}

// arguments returns the arguments of a call as every vendor and local server
// takes them: the text of a JSON object. Text that is none is kept inside one,
// so that the model sees what it wrote.
func arguments(s string) string {
	s = ikigai.CleanText(s)
	trimmed := strings.TrimSpace(s)
	switch {
	case trimmed == "":
		return "{}"
	case trimmed[0] == '{' && json.Valid([]byte(s)):
		return ikigai.CleanJSON(s)
	}
	wrapped, _ := json.Marshal(map[string]string{"invalid_json": s})
	return string(wrapped)
}
