package cli

import (
	"context"
	"sync"

	"ikigai"
	"ikigai/internal/transcript"
)

// pastEvents is how many of the last events of a session are shown when it is
// opened again: more than fill a screen.
const pastEvents = 300

// frontView shows a session in the interactive front.
type frontView struct {
	front *front
	held  *held

	mu       sync.Mutex
	begun    bool // events are new from now on
	fold     transcript.Transcript
	past     []ikigai.Event                    // the last ones from before
	new      bool                              // something is in the log
	title    string                            // of the session
	failed   bool                              // the statement has ended with an error, which was shown
	blocks   map[ikigai.Seq][]transcript.Block // of events that are not yet recorded
	feedback []transcript.Block                // that is not shown yet
	turns    turns
	waits    waits
}

// Add implements session.Projection.
func (v *frontView) Add(e ikigai.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.turns.add(e)
	if e.Kind == ikigai.KindTitle {
		v.title = e.Content
	}
	if v.begun {
		v.new = true
		v.held.add(e)
		v.keep(e, v.fold.Add(e))
		return
	}
	v.held.addOld(e)
	if v.past = append(v.past, e); len(v.past) < 2*pastEvents {
		return
	}
	for _, old := range v.past[:pastEvents] {
		v.fold.Pass(old)
	}
	v.past = append([]ikigai.Event(nil), v.past[pastEvents:]...)
}

// keep keeps the blocks of an event until it is recorded.
func (v *frontView) keep(e ikigai.Event, blocks []transcript.Block) {
	if e.Kind == ikigai.KindFeedback {
		v.feedback = append(v.feedback, blocks...)
		return
	}
	if v.blocks == nil {
		v.blocks = map[ikigai.Seq][]transcript.Block{}
	}
	v.blocks[e.Seq] = blocks
}

// begin implements viewer: the end of what happened before is shown.
func (v *frontView) begin() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fold.Brief, v.fold.Folded = true, true
	var blocks []transcript.Block
	open := 0 // calls without a result
	for _, e := range v.past {
		switch {
		case e.IsStatement():
			open = 0
		case e.Interaction == ikigai.Main && e.Kind == ikigai.KindToolCall:
			open++
		case e.Interaction == ikigai.Main && e.Kind == ikigai.KindToolResult:
			open--
		}
		for _, b := range v.fold.Add(e) {
			b.Text = here(b)
			blocks = append(blocks, b)
		}
	}
	if v.begun = true; len(v.past) > 0 {
		v.new = true
		v.front.ui.Past(blocks)
	}
	if open > 0 {
		v.front.ui.Notice("What was under way was interrupted, and the last call may have run. Say something to go on.")
	}
	v.past = nil
}

// recorded implements viewer.
func (v *frontView) recorded(e ikigai.Event, d ikigai.Durability) {
	if d == ikigai.Stored {
		v.held.keptUpTo(e.Seq)
	}
	v.mu.Lock()
	blocks := v.blocks[e.Seq]
	delete(v.blocks, e.Seq)
	if e.Interaction == ikigai.Main && (e.Kind == ikigai.KindError || e.IsStatement()) {
		v.failed = e.Kind == ikigai.KindError
	}
	if e.Kind == ikigai.KindFeedback {
		v.tellFeedback()
	}
	for _, b := range blocks {
		if v.shows(b) {
			b.Text = here(b)
			v.front.ui.Block(b)
		}
	}
	v.waits.awaits(e)
	what := v.waits.what()
	v.mu.Unlock()
	v.front.recorded(what)
}

// shows reports whether a block is news to the person.
func (v *frontView) shows(b transcript.Block) bool {
	if b.Kind == ikigai.KindMark {
		return false // the command has told it
	}
	switch d := b.Body.(type) {
	case ikigai.SessionData:
		return false
	case ikigai.TrustData:
		return d.Trusted
	case transcript.Change:
		return d.CallID != "" || d.Noticed // the command tells what an undo changes
	case ikigai.UndoData:
		return false
	case transcript.Ended: // /commit shows its message, or why there is none
		return b.Side == nil || b.Side.Purpose != ikigai.PurposeCommit
	}
	return true
}

// tellFeedback shows how the statement stands after a round of tools. It is
// recorded with the request that follows, of which the reply may come first.
func (v *frontView) tellFeedback() {
	for _, b := range v.feedback {
		v.front.ui.Block(b)
	}
	v.feedback = nil
}

// shown implements viewer.
func (v *frontView) shown(d ikigai.Delta) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tellFeedback()
	v.front.ui.Delta(d)
}

// notice implements viewer. It may be of how events are kept.
func (v *frontView) notice(text string) {
	v.front.notice(text)
	v.front.mu.Lock()
	defer v.front.mu.Unlock()
	v.front.showStatus()
}

// progress implements viewer.
func (v *frontView) progress() func(string, []byte) { return v.front.ui.Progress }

// approval implements viewer.
func (v *frontView) approval() approval {
	return func(ctx context.Context, about inquiry) consent {
		v.mu.Lock()
		about.told(&v.fold, !about.bare(v.front.frontStyle()))
		v.mu.Unlock()
		return v.front.ask(ctx, about)
	}
}

// watch implements viewer: the front tells by itself what is waited for.
func (v *frontView) watch() (stop func()) { return func() {} }

// finish implements viewer.
func (v *frontView) finish() {}

// any reports whether anything is in the session's log.
func (v *frontView) any() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.new
}

// errorShown reports whether the statement has ended with an error, which the
// person has then been shown.
func (v *frontView) errorShown() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.failed
}
