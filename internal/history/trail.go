package history

import (
	"slices"
	"sort"

	"ikigai"
)

// trail is what happened in a conversation, step by step, as a persistent list:
// a rewind goes on from where an earlier event left the conversation, on
// whatever branch that stands, and a clear from its beginning. The zero value is
// empty.
type trail[T any] struct {
	steps []trailStep[T] // of all branches, in order
	at    int            // how many steps there were when the last of the conversation was taken; 0 if there is none
}

// trailStep is something that happened, or a turn that the conversation took.
type trailStep[T any] struct {
	seq    ikigai.Seq
	before int // as trail.at was
	turn   bool
	what   T
}

// add takes a step on from where the conversation is.
func (t *trail[T]) add(seq ikigai.Seq, what T) { t.take(trailStep[T]{seq: seq, what: what}) }

func (t *trail[T]) take(s trailStep[T]) {
	s.before = t.at
	t.steps = append(t.steps, s)
	t.at = len(t.steps)
}

// turn follows a rewind or a clear. It reports whether e is one, so that what
// the steps make is to be made anew from those that way returns. A turn is a
// step, too: a later rewind may go back to what follows it.
func (t *trail[T]) turn(e ikigai.Event) bool {
	switch e.Kind {
	case ikigai.KindRewind:
		var d ikigai.RewindData
		if e.DecodeData(&d) != nil || d.To < 1 || d.To >= e.Seq {
			return false
		}
		t.at = sort.Search(len(t.steps), func(i int) bool { return t.steps[i].seq > d.To })
	case ikigai.KindClear:
		t.at = 0
	default:
		return false
	}
	t.take(trailStep[T]{seq: e.Seq, turn: true})
	return true
}

// way returns what happened in the conversation as it is, in order.
func (t *trail[T]) way() []T {
	var way []T
	for at := t.at; at > 0; at = t.steps[at-1].before {
		if s := t.steps[at-1]; !s.turn {
			way = append(way, s.what)
		}
	}
	slices.Reverse(way)
	return way
}
