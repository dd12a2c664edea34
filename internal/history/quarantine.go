package history

import (
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
		l.quarantine = map[ikigai.Seq]quarantine{}
	}
	q := l.quarantine[d.Seq]
	l.quarantine[d.Seq] = quarantine{whole: q.whole || d.Whole, models: append(slices.Clip(q.models), d.Model)}
	l.now = l.fold()
	l.changed()
}

// sendable returns s without what is in quarantine.
func (l *Line) sendable(s step) step {
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

// Quarantine returns the event by which message n of the last Request, counted
// from 1, is not sent any more as it is, because the given model's vendor
// refuses it for reason: first without what goes with its text, then not at
// all. Vendors may join messages, and name one where they mean its neighbour;
// that is looked at, too. It returns false if there is nothing that could be
// left out: the system prompt and the words of the statement that is being
// asked are always sent.
//
// n is 0 when the vendor names no message but an image or a document: then the
// newest of these are left out, and nothing else.
func (l *Line) Quarantine(n int, model, reason string) (ikigai.Event, bool) {
	if n == 0 {
		return l.quarantineMedia(model, reason)
	}
	if n < 1 || n > len(l.asked) {
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
	e := ikigai.NewEvent(ikigai.KindQuarantine,
		fmt.Sprintf("%s refuses the message of event %d: %s. %s from now on; the log keeps it.", model, seq, reason, what), d)
	e.Interaction = l.interaction
	return e
}
