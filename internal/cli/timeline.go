package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ikigai"
)

// timeline knows what the conversation of a session was after each of its
// events: the places that one can go back to.
type timeline struct {
	moments []*moment // after event 1, 2, 3 …
	marks   map[string]ikigai.Seq
}

// moment is a conversation: its last event and the conversation before that.
// Nil is the empty one.
type moment struct {
	before    *moment
	seq       ikigai.Seq
	statement string // the first line of what the person said; "" if it is no statement
}

// Add takes in the session's next event.
func (t *timeline) Add(e ikigai.Event) {
	now := t.now()
	switch {
	case e.Interaction != ikigai.Main:
	case e.Kind == ikigai.KindRewind:
		var d ikigai.RewindData
		if e.DecodeData(&d) == nil {
			now = t.at(d.To)
		}
	case e.Kind == ikigai.KindClear:
		now = nil
	case e.Kind == ikigai.KindMark:
		if t.marks == nil {
			t.marks = map[string]ikigai.Seq{}
		}
		t.marks[e.Content] = e.Seq
	case e.IsStatement():
		now = &moment{now, e.Seq, firstLine(e.Content)}
	case e.Kind.Conversation(), e.Kind == ikigai.KindInterrupted:
		now = &moment{before: now, seq: e.Seq}
	}
	t.moments = append(t.moments, now)
}

// firstLine returns the beginning of what the person said; never "".
func firstLine(text string) string {
	const most = 60
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(first); len(runes) > most {
		first = string(runes[:most-1]) + "…"
	}
	if first == "" {
		return "(no text)"
	}
	return first
}

// head returns the number of the last event.
func (t *timeline) head() ikigai.Seq { return ikigai.Seq(len(t.moments)) }

func (t *timeline) now() *moment { return t.at(t.head()) }

// at returns the conversation right after an event.
func (t *timeline) at(seq ikigai.Seq) *moment {
	if seq < 1 || seq > t.head() {
		return nil
	}
	return t.moments[seq-1]
}

// place returns the event that a person means: by its number, with or without
// a #, or by the name of a mark.
func (t *timeline) place(text string) (seq ikigai.Seq, mark string, err error) {
	if n, ok := eventNumber(text); ok {
		if n < 1 || n > t.head() {
			return 0, "", usage(fmt.Sprintf("The session has no event %d", n), fmt.Sprintf("Its events are 1 to %d; `ikigai log -v` shows their numbers", t.head()))
		}
		return n, "", nil
	}
	if seq, ok := t.marks[text]; ok {
		return seq, text, nil
	}
	do := "Set one with `ikigai sessions mark NAME`, or give the number of an event, which `ikigai log -v` shows"
	if len(t.marks) > 0 {
		do = "Its marks are: " + strings.Join(t.names(), ", ")
	}
	return 0, "", usage("The session has no mark "+text, do)
}

// eventNumber returns the number that text gives of an event.
func eventNumber(text string) (ikigai.Seq, bool) {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64)
	return ikigai.Seq(n), err == nil
}

// names returns the marks in the order in which they were set.
func (t *timeline) names() []string {
	return slices.SortedFunc(maps.Keys(t.marks), func(a, b string) int { return cmp.Compare(t.marks[a], t.marks[b]) })
}

// back returns the event to go back to so that the last n statements of the
// conversation are taken back.
func (t *timeline) back(n int) (ikigai.Seq, error) {
	found := 0
	for m := t.now(); m != nil; m = m.before {
		if m.statement != "" {
			if found++; found == n {
				return m.seq - 1, nil
			}
		}
	}
	if found == 0 {
		return 0, usage("The conversation has no statement to take back", "See `ikigai log`")
	}
	return 0, usage(fmt.Sprintf("The conversation has no %d statements to take back, it has %d", n, found), "Take back fewer, or see `ikigai log`")
}

// dropped returns the statements, in order, that are part of the conversation
// now and were not right after an event.
func (t *timeline) dropped(to ikigai.Seq) []string {
	kept := map[*moment]bool{}
	for m := t.at(to); m != nil; m = m.before {
		kept[m] = true
	}
	var all []string
	for m := t.now(); m != nil && !kept[m]; m = m.before {
		if m.statement != "" {
			all = append(all, m.statement)
		}
	}
	slices.Reverse(all)
	return all
}

// forkPlace returns the event of parent after which a fork of it begins.
func forkPlace(ctx context.Context, store ikigai.Log, parent ikigai.SessionInfo, at string) (ikigai.Seq, error) {
	if at == "" {
		return parent.Events, nil
	}
	if n, ok := eventNumber(at); ok && n >= 1 && n <= parent.Events {
		return n, nil
	}
	var t timeline
	for e, err := range store.Events(ctx, parent.ID, 0) {
		if err != nil {
			return 0, err
		}
		t.Add(e)
	}
	seq, _, err := t.place(at)
	return seq, err
}

// forkEvent is the first event of a fork of its own.
func forkEvent(parent ikigai.ID, at ikigai.Seq) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindFork, fmt.Sprintf("of session %s after event %d", parent, at), ikigai.ForkData{Session: parent, Seq: at})
}
