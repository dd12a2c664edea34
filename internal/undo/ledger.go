package undo

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ikigai"
)

// Ledger is what a session's events say of files: which statement changed which
// and what of it was taken back. Its zero value is that of a session without
// events.
type Ledger struct {
	statements []Statement
	calls      map[callKey]Call // the last of that name
	lost       []Call           // without a result
	missed     []Missed
	changes    []*change   // by tools, in order
	waiting    []*change   // of calls without a result
	own        []*change   // by an undo that has not come to its end
	undone     []operation // what can be taken back of undos, the last one last
	left       map[string]*trace
}

// Statement is one input of the person.
type Statement struct {
	Seq  ikigai.Seq
	Text string
}

// Call is a call of a tool.
type Call struct {
	Seq       ikigai.Seq
	Statement int // from 1
	Tool      string
	key       callKey
}

// Missed is changes of a call that have no events of their own.
type Missed struct {
	Call         // without a Tool where the log does not hold it
	Files int    // that it changed; 0 where that is not known
	Why   string // they are not recorded
}

// String says it with the call as its subject.
func (m Missed) String() string {
	switch m.Files {
	case 0:
		return "may have changed files that are not recorded: " + m.Why
	case 1:
		return "changed 1 file that is not recorded: " + m.Why
	}
	return fmt.Sprintf("changed %d files that are not recorded: %s", m.Files, m.Why)
}

// event returns the event that says it of a call.
func (m Missed) event(callID string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindChange, m.String(), ikigai.ChangeData{CallID: callID, Noticed: true, Unrecorded: m.Why, Files: m.Files})
}

// callKey tells the calls of a session apart: IDs are the models', and each
// interaction has a model of its own.
type callKey struct{ interaction, id string }

// place is where something stands in the conversation.
type place struct {
	seq       ikigai.Seq
	statement int // from 1
}

// change is a change event.
type change struct {
	ikigai.ChangeData
	place             // what was noticed stands where its call does
	event  ikigai.Seq // of the change event
	call   callKey
	undone bool
	left   *trace
}

// operation is an undo that has come to its end.
type operation struct {
	event   ikigai.Seq
	changes []*change // that it has taken back
	own     []*change // that it has made
}

// trace is what the session has left at a path.
type trace struct {
	states []ikigai.FileState // any of these; none: it is not known
	until  ikigai.Micros      // no later than then was it left so
	bits   bool               // states say which special bits it was left with
}

// slack is how long after its pre-image a file may be written, in microseconds,
// where no event comes after it.
const slack ikigai.Micros = 1_000_000

// Add takes in the session's next event. What cannot be read changes nothing.
func (l *Ledger) Add(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindUser:
		if e.IsStatement() {
			l.statements = append(l.statements, Statement{e.Seq, e.Content})
		}
	case ikigai.KindToolCall:
		l.addCall(e)
	case ikigai.KindToolResult:
		l.addResult(e)
	case ikigai.KindChange:
		l.addChange(e)
	case ikigai.KindUndo:
		l.addUndo(e)
	}
}

func (l *Ledger) addCall(e ikigai.Event) {
	var d ikigai.ToolCallData
	if e.DecodeData(&d) != nil {
		return
	}
	if l.calls == nil {
		l.calls = map[callKey]Call{}
	}
	call := Call{Seq: e.Seq, Statement: len(l.statements), Tool: d.Function.Name, key: callKey{e.Interaction, d.ID}}
	l.calls[call.key] = call
	l.lost = append(l.lost, call)
}

// addResult takes in that a tool has ended, and what it says it has left.
func (l *Ledger) addResult(e ikigai.Event) {
	var d ikigai.ToolResultData
	if e.DecodeData(&d) != nil || d.ToolCallID == "" {
		return
	}
	key := callKey{e.Interaction, d.ToolCallID}
	if i := slices.IndexFunc(l.lost, func(c Call) bool { return c.key == key }); i >= 0 {
		l.lost = slices.Delete(l.lost, i, i+1)
	}
	var waiting []*change
	for _, c := range l.waiting {
		if c.call != key {
			waiting = append(waiting, c)
			continue
		}
		c.left.until = e.Time
		for _, r := range d.Resources {
			if r.Changed && r.SHA256 != "" && r.URI == c.Path {
				c.left.states = []ikigai.FileState{{Exists: true, Mode: c.Mode, Size: -1, SHA256: r.SHA256}}
			}
		}
	}
	l.waiting = waiting
}

func (l *Ledger) addChange(e ikigai.Event) {
	c := &change{place: place{e.Seq, len(l.statements)}, event: e.Seq}
	if e.DecodeData(&c.ChangeData) != nil {
		return
	}
	c.call = callKey{e.Interaction, c.CallID}
	if c.Unrecorded != "" {
		l.addMissed(c)
		return
	}
	if !filepath.IsAbs(c.Path) {
		return
	}
	if l.left == nil {
		l.left = map[string]*trace{}
	}
	if c.CallID == "" && !c.Noticed {
		c.left = &trace{states: []ikigai.FileState{c.before()}, until: e.Time + slack}
		if c.After != nil {
			c.left.states = append(c.left.states, *c.After)
		}
		l.own = append(l.own, c)
		l.left[c.Path] = c.left
		return
	}
	c.left = &trace{until: e.Time + slack}
	if c.Noticed && c.After != nil {
		c.left.states, c.left.until, c.left.bits = []ikigai.FileState{*c.After}, e.Time, tellsBits(c.ChangeData)
	} else {
		l.waiting = append(l.waiting, c)
	}
	if call, ok := l.calls[c.call]; ok && c.Noticed {
		c.place = place{call.Seq, call.Statement}
	}
	l.left[c.Path] = c.left
	l.changes = append(l.changes, c)
	l.own, l.undone = nil, nil // nothing that came before can be taken forward again
}

// addMissed takes in that changes of a call have no events of their own. Those
// that were found in several looks are told as one.
func (l *Ledger) addMissed(c *change) {
	m := Missed{Call: Call{Seq: c.seq, Statement: c.statement, key: c.call}, Files: c.Files, Why: c.Unrecorded}
	if call, ok := l.calls[c.call]; ok {
		m.Call = call
	}
	if m.Files > 0 {
		l.own, l.undone = nil, nil // as for any other change
	}
	if n := len(l.missed); n > 0 {
		if last := &l.missed[n-1]; last.Call == m.Call && last.Why == m.Why && (last.Files > 0) == (m.Files > 0) {
			last.Files += m.Files
			return
		}
	}
	l.missed = append(l.missed, m)
}

// tellsBits reports whether a change event says which special bits the file had.
// Older logs never do, so where there are none on either side it is not known: such
// a file keeps those that it has.
func tellsBits(d ikigai.ChangeData) bool {
	after := uint32(0)
	if d.After != nil {
		after = d.After.Mode
	}
	return (d.Mode|after)&^permissions != 0
}

// permissions are the bits of a mode but for the special ones: setuid, setgid and
// sticky.
const permissions = 0o777

// before returns what was there before the change.
func (c *change) before() ikigai.FileState {
	s := ikigai.FileState{Exists: c.Existed, Link: c.Link, SHA256: c.Blob}
	if c.Existed && c.Link == "" {
		s.Mode, s.Size = c.Mode, c.Size
	}
	if c.File != "" {
		s.SHA256 = filepath.Base(c.File)
	}
	return s
}

func (l *Ledger) addUndo(e ikigai.Event) {
	var d ikigai.UndoData
	if e.DecodeData(&d) != nil {
		return
	}
	done := map[string]bool{}
	for _, path := range d.Files {
		done[path] = true
	}
	for _, c := range l.own {
		if c.After != nil && done[c.Path] && l.left[c.Path] == c.left {
			c.left.states = []ikigai.FileState{*c.After}
		}
	}
	own := l.own
	l.own = nil
	if d.Redo {
		l.redone(d)
		return
	}
	op := operation{event: e.Seq, own: own}
	taken := seqs(d.Changes)
	for _, c := range l.changes {
		if taken[c.event] {
			c.undone = true
			op.changes = append(op.changes, c)
		}
	}
	l.undone = append(l.undone, op)
}

// redone takes in that the last undo was taken back.
func (l *Ledger) redone(d ikigai.UndoData) {
	if len(l.undone) == 0 {
		return
	}
	last := l.undone[len(l.undone)-1]
	l.undone = l.undone[:len(l.undone)-1]
	for _, c := range last.changes {
		c.undone = false
	}
}

func seqs(all []ikigai.Seq) map[ikigai.Seq]bool {
	set := make(map[ikigai.Seq]bool, len(all))
	for _, s := range all {
		set[s] = true
	}
	return set
}

// Statements returns the statements of the person, the first one first.
func (l *Ledger) Statements() []Statement { return l.statements }

// Lost returns the calls from an event on that have no result, because the
// session died while they ran: what of their changes is found by looking alone
// was not recorded.
func (l *Ledger) Lost(from ikigai.Seq) []Call {
	for i, c := range l.lost {
		if c.Seq >= from {
			return l.lost[i:]
		}
	}
	return nil
}

// Missed returns what was changed by calls from an event on and is not recorded.
func (l *Ledger) Missed(from ikigai.Seq) (all []Missed) {
	for _, m := range l.missed {
		if m.Seq >= from {
			all = append(all, m)
		}
	}
	return all
}

// Title returns the first line of the statement.
func (s Statement) Title() string {
	first, _, _ := strings.Cut(strings.TrimSpace(s.Text), "\n")
	return first
}
