package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"ikigai"
)

// standIn is sent where the text of a message was refused.
const standIn = "[This message was refused by the model's vendor and is left out.]"

// quarantine says what of an event is not sent any more.
type quarantine struct {
	whole  bool     // the text has a stand-in
	models []string // whose own state is not given back; images and files go to nobody
}

// addQuarantine takes in what is not sent any more, on whatever branch of the
// conversation it stands: no rewind changes what a vendor refuses.
func (l *Line) addQuarantine(e ikigai.Event) {
	var d ikigai.QuarantineData
	if e.DecodeData(&d) != nil || d.Seq < 1 || d.Seq >= e.Seq {
		return
	}
	if l.quarantine == nil {
		l.quarantine, l.stale = map[ikigai.Seq]quarantine{}, map[string]ikigai.Seq{}
	}
	if d.State {
		l.stale[d.Model] = max(l.stale[d.Model], d.Seq)
	} else {
		for _, seq := range append([]ikigai.Seq{d.Seq}, d.With...) {
			q := l.quarantine[seq]
			l.quarantine[seq] = quarantine{whole: q.whole || d.Whole, models: append(slices.Clip(q.models), d.Model)}
		}
	}
	l.now = l.fold()
	l.changed()
}

// sendable returns s without what is in quarantine.
func (l *Line) sendable(s step) step {
	s.message.Vendor = l.fresh(s)
	q, ok := l.quarantine[s.seq]
	if !ok {
		return s
	}
	m := s.message
	if q.whole && s.projection != nil && s.projection.Summary != nil {
		without := *s.projection
		without.Summary = &ikigai.SummaryData{To: without.Summary.To, Text: standIn}
		s.projection = &without
		return s
	}
	if len(m.Vendor) > 0 {
		m.Vendor = maps.Clone(m.Vendor)
		for _, model := range q.models {
			delete(m.Vendor, model)
		}
	}
	parts := slices.Clone(partsOf(m))
	for i, p := range parts {
		if isMedia(p) {
			parts[i] = inPlaceOf(p, "it was refused by the model's vendor")
		}
	}
	s.message = withParts(m, parts)
	if q.whole {
		s.message, s.edited = replaced(m), true
	}
	return s
}

// fresh returns the state of s that its vendors still take back.
func (l *Line) fresh(s step) ikigai.VendorState {
	stale := func(model string, _ json.RawMessage) bool { return s.seq <= l.stale[model] }
	if len(l.stale) == 0 || len(s.message.Vendor) == 0 {
		return s.message.Vendor
	}
	state := maps.Clone(s.message.Vendor)
	maps.DeleteFunc(state, stale)
	return state
}

// replaced returns m with a stand-in for what it says. A call and its result
// stay a pair.
func replaced(m ikigai.Message) ikigai.Message {
	switch m.Kind {
	case ikigai.KindToolCall:
		m.Call = &ikigai.ToolCall{ID: m.Call.ID, Name: m.Call.Name, Arguments: "{}"}
	case ikigai.KindToolResult:
		m.Result = &ikigai.ToolResult{CallID: m.Result.CallID, Name: m.Result.Name, Output: standIn, Success: m.Result.Success}
	case ikigai.KindUser, ikigai.KindAssistant:
		m.Content = standIn
	}
	m.Parts, m.Vendor = nil, nil
	return m
}

// Quarantine returns the event by which a part of the last Request is not sent
// any more as it is, because the given model's vendor refuses it. It returns
// false if there is nothing that could be left out: the system prompt and the
// words of the statement that is being asked are always sent.
//
// A message that the vendor names goes first without what goes with its text,
// then not at all. Vendors may join messages, and name one where they mean its
// neighbour; that is looked at, too. Where the vendor names none, it is the state
// that it does not take back; what its content filter has not seen in a request
// before; or, if it speaks of an image or a document, the newest of these.
func (l *Line) Quarantine(refusal *ikigai.Error, model string) (ikigai.Event, bool) {
	switch {
	case refusal.StaleState:
		return l.quarantineState(model, refusal.What)
	case refusal.Message > 0:
		return l.quarantineMessage(refusal.Message, model, refusal.What)
	case refusal.Kind == ikigai.ErrorContentFilter:
		return l.quarantineUnseen(model, refusal.What)
	}
	return l.quarantineMedia(model, refusal.What)
}

// quarantineMessage returns the event that leaves out message n of the last
// request, counted from 1, or what goes with its text.
func (l *Line) quarantineMessage(n int, model, reason string) (ikigai.Event, bool) {
	if n > len(l.asked) {
		return ikigai.Event{}, false
	}
	near := l.group(n - 1)
	for _, i := range near {
		if what := besideText(l.asked[i], model); what != "" && l.askedOf[i] > 0 {
			return l.quarantined(l.askedOf[i], model, reason, what), true
		}
	}
	for _, i := range near {
		if seq := l.askedOf[i]; seq > 0 && l.mayBeReplaced(i) && !l.quarantine[seq].whole {
			return l.quarantined(seq, model, reason, ""), true
		}
	}
	return ikigai.Event{}, false
}

// quarantineState returns the event that leaves out all state that was sent and
// that a model wanted back. What comes later has state that is good.
func (l *Line) quarantineState(model, reason string) (ikigai.Event, bool) {
	last := ikigai.Seq(0)
	for i, m := range l.asked {
		if len(m.Vendor[model]) > 0 {
			last = max(last, l.askedOf[i])
		}
	}
	if last == 0 {
		return ikigai.Event{}, false
	}
	return l.event(fmt.Sprintf("%s does not take back what it had kept with its replies: %s. That is left out from now on; the log keeps it.", model, reason),
		ikigai.QuarantineData{Seq: last, Model: model, Reason: reason, State: true}), true
}

// quarantineUnseen returns the event that leaves out what a content filter saw
// first in the last request: the results of tools, and if they or the statement
// are left out already, the reply before them.
func (l *Line) quarantineUnseen(model, reason string) (ikigai.Event, bool) {
	reply, tail := l.unseen()
	var results []ikigai.Seq
	again := false
	for i := tail; i < len(l.asked); i++ {
		again = again || l.quarantine[l.askedOf[i]].whole
		if l.asked[i].Kind == ikigai.KindToolResult {
			results = append(results, l.askedOf[i])
		}
	}
	if e, ok := l.filtered(results, model, reason, reason+". The results of the last calls are left out from now on; the log keeps them."); ok || !again {
		return e, ok
	}
	return l.filtered(l.askedOf[reply:tail], model, reason, reason+". The reply before is left out, too, from now on; the log keeps it.")
}

// QuarantineStatement returns the event by which what the person has said since
// the last reply is not sent with the next statement any more, because the content
// filter of the given model's vendor refuses it for reason. It returns false if
// there is nothing of that.
func (l *Line) QuarantineStatement(model, reason string) (ikigai.Event, bool) {
	_, tail := l.unseen()
	var said []ikigai.Seq
	for i := tail; i < len(l.asked); i++ {
		if l.asked[i].Kind == ikigai.KindUser {
			said = append(said, l.askedOf[i])
		}
	}
	return l.filtered(said, model, reason, "With the next statement this one is left out; the log keeps it.")
}

// unseen returns where the last reply of the last request begins, or the summary
// that stands for it, and where it ends. What follows is new to the vendor, and
// the reply itself it has not been sent before.
func (l *Line) unseen() (reply, tail int) {
	said := func(i int) bool {
		switch l.asked[i].Kind {
		case ikigai.KindAssistant, ikigai.KindToolCall:
			return true
		}
		return l.now.summary > 0 && l.askedOf[i] == l.now.summary
	}
	tail = len(l.asked)
	for tail > 0 && l.asked[tail-1].Kind != ikigai.KindSystem && !said(tail-1) {
		tail--
	}
	reply = tail
	for reply > 0 && said(reply-1) {
		reply--
	}
	return reply, tail
}

// filtered returns the event that leaves out those of the events seqs that are
// not left out already, and false if there are none. text tells people of it.
func (l *Line) filtered(seqs []ikigai.Seq, model, reason, text string) (ikigai.Event, bool) {
	seqs = slices.DeleteFunc(slices.Clone(seqs), func(seq ikigai.Seq) bool { return seq == 0 || l.quarantine[seq].whole })
	if len(seqs) == 0 {
		return ikigai.Event{}, false
	}
	return l.event(text, ikigai.QuarantineData{Seq: seqs[0], Model: model, Reason: reason, Whole: true, Filter: true, With: seqs[1:]}), true
}

// quarantineMedia returns the event that leaves out the newest images and
// documents whose bytes were sent.
func (l *Line) quarantineMedia(model, reason string) (ikigai.Event, bool) {
	sent := func(p ikigai.Part) bool { return isMedia(p) && len(p.Bytes) > 0 }
	for i, m := range slices.Backward(l.asked) {
		if l.askedOf[i] > 0 && slices.ContainsFunc(partsOf(m), sent) {
			return l.quarantined(l.askedOf[i], model, reason, besideText(m, model)), true
		}
	}
	return ikigai.Event{}, false
}

// group returns the messages that vendors may join with message i: i itself,
// then the others, the last first.
func (l *Line) group(i int) []int {
	first, last := i, i
	for ikigai.Joins(l.asked, first) {
		first--
	}
	for ikigai.Joins(l.asked, last+1) {
		last++
	}
	all := []int{i}
	for j := last; j >= first; j-- {
		if j != i {
			all = append(all, j)
		}
	}
	return all
}

// besideText says what a model is sent beside the text of m; "" if nothing.
func besideText(m ikigai.Message, model string) string {
	if i := slices.IndexFunc(partsOf(m), isMedia); i >= 0 {
		return "The " + string(partsOf(m)[i].Type) + "s that go with it are left out"
	}
	if len(m.Vendor[model]) > 0 {
		return "What the vendor had kept with it is left out"
	}
	return ""
}

// mayBeReplaced reports whether the text of message i may be left out.
func (l *Line) mayBeReplaced(i int) bool {
	switch l.asked[i].Kind {
	case ikigai.KindSystem:
		return false
	case ikigai.KindUser:
		return slices.ContainsFunc(l.asked[i+1:], func(m ikigai.Message) bool { return m.Kind == ikigai.KindUser })
	}
	return true
}

// quarantined returns the event that leaves out what goes with the text of
// event seq, or its text if that is "".
func (l *Line) quarantined(seq ikigai.Seq, model, reason, beside string) ikigai.Event {
	d := ikigai.QuarantineData{Seq: seq, Model: model, Reason: reason, Whole: beside == ""}
	what := beside
	if d.Whole {
		what = "A stand-in is sent in its place"
	}
	return l.event(fmt.Sprintf("%s refuses the message of event %d: %s. %s from now on; the log keeps it.", model, seq, reason, what), d)
}

func (l *Line) event(content string, d ikigai.QuarantineData) ikigai.Event {
	e := ikigai.NewEvent(ikigai.KindQuarantine, content, d)
	e.Interaction = l.interaction
	return e
}
