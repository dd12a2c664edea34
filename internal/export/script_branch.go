package export

import (
	"cmp"
	"slices"

	"ikigai"
)

// sideEvents is a side interaction.
type sideEvents struct {
	name    string
	purpose ikigai.Purpose
	events  []ikigai.Event
}

// conversationOf returns the events that the conversation of a session is made
// of, and the side interactions that began in it, in their order: what a rewind
// or a clear has taken back is in neither.
func conversationOf(events Events) (way []ikigai.Event, sides []*sideEvents, err error) {
	type step struct {
		event  ikigai.Event
		before int // the step before it, -1 for none
		sides  []*sideEvents
	}
	steps := []step{{before: -1}} // the first is the session's beginning
	now := 0
	known := map[string]*sideEvents{}
	for e, err := range events {
		if err != nil {
			return nil, nil, err
		}
		switch {
		case e.Interaction != ikigai.Main:
			side := known[e.Interaction]
			if side == nil {
				side = &sideEvents{name: e.Interaction, purpose: dataOf[ikigai.InteractionData](e).Purpose}
				known[side.name] = side
				steps[now].sides = append(steps[now].sides, side)
			}
			side.events = append(side.events, e)
		default:
			steps = append(steps, step{event: e, before: now})
			now = len(steps) - 1
			switch e.Kind {
			case ikigai.KindRewind: // maybe to how it was after another one
				to := dataOf[ikigai.RewindData](e).To
				behind, _ := slices.BinarySearchFunc(steps[:now], to+1, func(s step, seq ikigai.Seq) int { return cmp.Compare(s.event.Seq, seq) })
				steps[now].before = behind - 1
			case ikigai.KindClear:
				steps[now].before = 0
			}
		}
	}
	var kept []step
	for ; now >= 0; now = steps[now].before {
		kept = append(kept, steps[now])
	}
	for _, s := range slices.Backward(kept) {
		way = append(way, s.event)
		sides = append(sides, s.sides...)
	}
	return way, sides, nil
}
