package replay

import (
	"context"
	"slices"
	"sync"

	"ikigai"
)

// tape is the recording of one interaction while it is played. It implements
// ikigai.Recorder: what is recorded is compared with the recording, and dropped.
// The projections take in the recorded events in their order, up to the first
// that is still to be made anew.
type tape struct {
	events []ikigai.Event
	views  []Projection
	judge  func(was, is ikigai.Event, ran bool) // compares an event that was made anew
	lacks  func(is ikigai.Event)                // is told of an event that was not recorded

	mu     sync.Mutex
	taken  *sync.Cond   // an event was made anew
	next   int          // the first event that the views have not taken in
	end    int          // the first one behind the statement
	made   map[int]bool // events that were made anew
	ran    map[int]bool // results that a tool gave
	over   bool         // the recording of the statement has come to its end
	cancel context.CancelCauseFunc
}

// Record implements ikigai.Recorder.
func (t *tape) Record(_ context.Context, events ...ikigai.Event) (ikigai.Durability, error) {
	t.Queue(events...)
	return ikigai.Stored, nil
}

// Queue implements ikigai.Recorder.
func (t *tape) Queue(events ...ikigai.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range events {
		t.take(e)
	}
}

// Show implements ikigai.Recorder.
func (t *tape) Show(ikigai.Delta) {}

// take takes in an event that was made anew. The caller holds the lock.
func (t *tape) take(e ikigai.Event) {
	if t.over || !remade(e) {
		return
	}
	i := t.find(e)
	switch {
	case i < 0 && t.cutOff():
		t.over = true
		t.cancel(nil)
		return
	case i < 0:
		t.lacks(e)
		return
	}
	t.judge(t.events[i], e, t.ran[i])
	t.made[i] = true
	t.advance()
	t.taken.Broadcast()
}

// await returns once a recorded event was made anew.
func (t *tape) await(e ikigai.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.events, func(was ikigai.Event) bool { return was.Seq == e.Seq })
	for !t.made[i] && !t.over {
		t.taken.Wait()
	}
}

// cutOff reports whether nothing is left of a recording that was cut off.
func (t *tape) cutOff() bool {
	for i := t.next; i < t.end; i++ {
		if remade(t.events[i]) && !t.made[i] {
			return false
		}
	}
	return !whole(t.events[:t.end])
}

// find returns the place of the recorded event that e is anew, or -1.
func (t *tape) find(e ikigai.Event) int {
	id := callOf(e)
	for i := t.next; i < t.end; i++ {
		if was := t.events[i]; was.Kind == e.Kind && !t.made[i] && remade(was) && (id == "" || callOf(was) == id) {
			return i
		}
	}
	return -1
}

// advance has the views take in what comes next, up to what is still to be made.
// Where that is the word that the person stopped the turn, it is stopped.
func (t *tape) advance() {
	for ; t.next < t.end && (t.made[t.next] || !remade(t.events[t.next])); t.next++ {
		t.add()
	}
	if t.next < t.end && stops(t.events[t.next]) {
		t.cancel(nil)
	}
}

// add has the views take in the next event.
func (t *tape) add() {
	for _, v := range t.views {
		v.Add(t.events[t.next])
	}
}

// begin passes over what comes before the next statement, and returns it.
func (t *tape) begin(cancel context.CancelCauseFunc) (statement ikigai.Event, rest []ikigai.Event, ok bool) {
	for ; t.next < len(t.events) && !isStatement(t.events[t.next]); t.next++ {
		t.add()
	}
	if t.next == len(t.events) {
		return statement, nil, false
	}
	t.end = t.next + 1
	for t.end < len(t.events) && !isStatement(t.events[t.end]) {
		t.end++
	}
	t.made, t.ran, t.over, t.cancel = map[int]bool{}, map[int]bool{}, false, cancel
	return t.events[t.next], t.events[t.next:t.end], true
}

// finish has the views take in the rest of the statement, and returns what of it
// was not made anew.
func (t *tape) finish() (missing []ikigai.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ; t.next < t.end; t.next++ {
		if e := t.events[t.next]; remade(e) && !t.made[t.next] {
			missing = append(missing, e)
		}
		t.add()
	}
	return missing
}

// left returns the events of the statement that are still to be made, and the
// projections that answer a refusal, up to the next result: that ends what a
// request has led to.
func (t *tape) left() (left []ikigai.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := t.next; i < t.end; i++ {
		if e := t.events[i]; remade(e) && !t.made[i] || shrinks(e) {
			left = append(left, e)
			if e.Kind == ikigai.KindToolResult {
				break
			}
		}
	}
	return left
}

// stop ends the statement: nothing that is recorded from now on counts.
func (t *tape) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.cancel(nil)
}

// skip takes a recorded event as made anew.
func (t *tape) skip(e ikigai.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.events, func(was ikigai.Event) bool { return was.Seq == e.Seq })
	t.made[i] = true
	t.advance()
}

// result returns the recorded result of a call, and notes that a tool gives it.
func (t *tape) result(callID string) (d ikigai.ToolResultData, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.find(ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: callID}))
	if i < 0 {
		return d, false
	}
	t.ran[i] = true
	return d, t.events[i].DecodeData(&d) == nil
}

// steering returns what the person adds to the statement next, if that comes next.
func (t *tape) steering() (all []ikigai.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := t.next; i < t.end; i++ {
		switch e := t.events[i]; {
		case t.made[i] || !remade(e):
		case said(e).By == ikigai.BySteer && e.Kind == ikigai.KindUser:
			all = append(all, ikigai.Event{Interaction: e.Interaction, Kind: e.Kind, Content: e.Content, Data: e.Data})
		default:
			return all
		}
	}
	return all
}

// cancelled reports whether the recorded result of a call says that the person
// stopped it.
func (t *tape) cancelled(callID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.find(ikigai.NewEvent(ikigai.KindToolResult, "", ikigai.ToolResultData{ToolCallID: callID}))
	return i >= 0 && codeOf(t.events[i]) == ikigai.CodeCancelled
}

// feedback returns what the next feedback was made of.
func (t *tape) feedback() (d ikigai.FeedbackData) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := t.find(ikigai.Event{Kind: ikigai.KindFeedback}); i >= 0 {
		_ = t.events[i].DecodeData(&d) // what is damaged says nothing
	}
	return d
}
