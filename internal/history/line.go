// Package history projects the events of a session onto the conversation that
// a model is sent, and records what was sent so that it can be rebuilt.
//
// Whatever the log holds, the conversation is valid: every call has one result
// in the same round, in call order, results without a call are left out, IDs
// are unique and acceptable to every vendor, text is valid UTF-8, images and
// documents are no more and no larger than vendors take, what a vendor has
// refused is left out, and nothing is empty. A repair changes the conversation,
// never the log.
package history

import (
	"slices"
	"sort"
	"strings"
	"sync"

	"ikigai"
	"ikigai/internal/catalog"
)

// Line folds the events of one interaction into the conversation so far. The
// same events give the same conversation, whether they are added one by one
// with requests in between or all at once.
type Line struct {
	interaction string
	steps       []step       // of all that was ever part of the conversation, in order
	at          int          // the last step of the conversation; -1 if there is none
	now         conversation // what the steps up to at make
	tools       []ikigai.ToolSpec
	quarantine  map[ikigai.Seq]quarantine // by the event that is not sent as it is
	stale       map[string]ikigai.Seq     // by model: the last event whose state its vendor does not take back

	memo  *ikigai.Memo
	epoch int // of the memo
	// provisional tells that the last request held answers made up for calls
	// that are still open, so that its messages are not a prefix of what comes.
	provisional bool

	asked    []ikigai.Message // those of the last request
	askedOf  []ikigai.Seq     // the events that they are
	contents contents

	gauge     catalog.Gauge
	uncounted bool             // no vendor has told the tokens of what is sent now
	refused   map[string]int64 // by model: the budget after its last refusal

	requests requests
	undoings []undoing // of all branches

	kept      sync.Mutex        // while preImages is read or changed
	preImages map[string]string // by path: the hash of what was kept of the file last
}

// step is an event that the conversation has taken in.
type step struct {
	seq     ikigai.Seq
	before  int            // the step that the conversation went on from, or -1
	message ikigai.Message // its kind may be rewind or clear, too
	edited  bool           // the text is not what the log holds

	statement  bool // the person's, not the loop's
	told       int  // bytes at the beginning that are not the person's
	broken     bool // a reply that was not finished
	projection *ikigai.ProjectionData
}

// New returns the empty line of an interaction.
func New(interaction string) *Line {
	return &Line{interaction: interaction, at: -1, memo: new(ikigai.Memo), uncounted: true}
}

// Add takes in the next event of the session. Events of other interactions,
// events of the record that do not concern the conversation, and events whose
// data is damaged change nothing.
func (l *Line) Add(e ikigai.Event) {
	if e.Interaction != l.interaction {
		return
	}
	l.requests.add(e)
	l.measure(e)
	switch e.Kind {
	case ikigai.KindTools:
		l.setTools(e)
	case ikigai.KindChange:
		l.setPreImage(e)
	case ikigai.KindUndo:
		l.addUndo(e)
	case ikigai.KindRewind:
		l.rewind(e)
	case ikigai.KindClear:
		l.add(step{seq: e.Seq, message: ikigai.Message{Kind: e.Kind}})
	case ikigai.KindQuarantine:
		l.addQuarantine(e)
	case ikigai.KindProjection:
		l.addProjection(e)
	case ikigai.KindInterrupted:
		l.addInterrupted(e)
	case ikigai.KindFeedback:
		l.addFeedback(e)
	default:
		if e.Kind.Conversation() {
			l.addMessage(e)
		}
	}
}

// Request returns what the model is to be sent next: the conversation, the
// tools and the memo that goes with them. Calls that are still open are
// answered with the word that they may have run. Images and documents have the
// bytes that Load has given them. The messages must not be changed and are good
// until the next Add.
func (l *Line) Request() ikigai.Request {
	messages, origins := l.now.messages, l.now.origins
	if l.now.round.open() {
		messages, origins = l.now.round.settle(slices.Clip(messages), slices.Clip(origins))
		l.provisional = true
	}
	l.asked, l.askedOf = messages, origins
	return ikigai.Request{Messages: messages, Tools: l.tools, Memo: l.memo}
}

// changed starts a new memo: what was sent before is no prefix of what comes.
func (l *Line) changed() {
	l.memo = new(ikigai.Memo)
	l.epoch++
	l.provisional = false
	l.contents.keepOnly(l.now)
}

// setTools takes in what the program offers from now on, which no rewind
// changes back.
func (l *Line) setTools(e ikigai.Event) {
	var d ikigai.ToolsData
	if e.DecodeData(&d) != nil {
		return
	}
	for i := range d.Tools {
		clean(&d.Tools[i])
	}
	l.tools = d.Tools
	l.changed()
}

// clean leaves nothing in what is told of a tool that vendors refuse.
func clean(t *ikigai.ToolSpec) {
	t.Description = ikigai.CleanText(t.Description)
	switch s := ikigai.CleanJSON(string(t.Schema)); s {
	case "null":
		t.Schema = nil
	case string(t.Schema):
	default:
		t.Schema = []byte(s)
	}
}

// PreImage returns the hash of what was kept of the file at path before it was
// changed last, or "". It may be called at any time, by any goroutine: what a tool
// has changed may be found out while an undo records what it changes.
func (l *Line) PreImage(path string) string {
	l.kept.Lock()
	defer l.kept.Unlock()
	return l.preImages[path]
}

func (l *Line) setPreImage(e ikigai.Event) {
	var d ikigai.ChangeData
	if e.DecodeData(&d) != nil || d.Blob == "" {
		return
	}
	l.kept.Lock()
	defer l.kept.Unlock()
	if l.preImages == nil {
		l.preImages = map[string]string{}
	}
	l.preImages[d.Path] = d.Blob
}

// add takes a step on from where the conversation is.
func (l *Line) add(s step) {
	s.before = l.at
	l.steps = append(l.steps, s)
	l.at = len(l.steps) - 1
	if l.now.take(l.sendable(s)) || l.provisional {
		l.changed()
	}
}

// rewind goes back to the conversation right after an earlier event, on
// whatever branch that stands.
func (l *Line) rewind(e ikigai.Event) {
	var d ikigai.RewindData
	if e.DecodeData(&d) != nil || d.To < 1 || d.To >= e.Seq {
		return
	}
	l.at = sort.Search(len(l.steps), func(i int) bool { return l.steps[i].seq > d.To }) - 1
	l.now = l.fold()
	l.add(step{seq: e.Seq, message: ikigai.Message{Kind: e.Kind}})
}

// fold returns the conversation up to the step at, from scratch.
func (l *Line) fold() conversation {
	var c conversation
	for _, i := range l.branch() {
		c.take(l.sendable(l.steps[i]))
	}
	return c
}

func (l *Line) addMessage(e ikigai.Event) {
	m, err := e.Message()
	if err != nil {
		return
	}
	s := step{seq: e.Seq, message: m, statement: isStatement(e)}
	s.message.Content = ikigai.CleanText(m.Content)
	if s.message.Content != m.Content {
		s.edited, s.message.Vendor = true, nil
	}
	s.message.Parts = cleanParts(m.Parts)
	if m.Kind == ikigai.KindSystem {
		s.message.Parts = nil // no vendor takes more than text there
	}
	if m.Result != nil {
		m.Result.Parts = cleanParts(m.Result.Parts)
	}
	l.contents.carried(s.message, e.Blobs)
	l.add(l.withUndone(s))
}

// addInterrupted gives the model what the person saw of an unfinished reply.
func (l *Line) addInterrupted(e ikigai.Event) {
	content := strings.TrimRight(ikigai.CleanText(e.Content), " \t\r\n")
	if strings.TrimSpace(content) == "" {
		return
	}
	l.add(step{seq: e.Seq, broken: true, message: ikigai.Message{
		Kind:    ikigai.KindAssistant,
		Content: content + "\n\n[This reply was interrupted here.]",
	}})
}
