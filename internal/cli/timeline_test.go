package cli

import (
	"slices"
	"testing"

	"ikigai"
)

// numbered returns events as a session has them.
func numbered(events ...ikigai.Event) []ikigai.Event {
	for i := range events {
		events[i].Seq = ikigai.Seq(i + 1)
	}
	return events
}

func said(text string) ikigai.Event { return ikigai.NewEvent(ikigai.KindUser, text, nil) }

// What a rewind takes back is what is part of the conversation and was not at
// the place it goes to, whatever was rewound and cleared before. P13
func TestTimeline(t *testing.T) {
	reply := ikigai.NewEvent(ikigai.KindAssistant, "yes", nil)
	side := said("a title, please")
	side.Interaction = "title"
	var line timeline
	for _, e := range numbered(
		ikigai.NewEvent(ikigai.KindSession, "/", nil), // 1
		said("one"), reply, side, // 2 3 4
		ikigai.NewEvent(ikigai.KindMark, "m", nil), // 5
		said("two\nmore"), reply,                   // 6 7
		ikigai.NewEvent(ikigai.KindRewind, "", ikigai.RewindData{To: 5, Mark: "m"}), // 8
		said("three"), reply, // 9 10
		ikigai.NewEvent(ikigai.KindClear, "", nil), // 11
		said("four"), // 12
	) {
		line.Add(e)
	}
	for _, test := range []struct {
		to   ikigai.Seq
		want []string
	}{{12, nil}, {11, []string{"four"}}, {10, []string{"four"}}, {7, []string{"four"}}, {1, []string{"four"}}} {
		if got := line.dropped(test.to); !slices.Equal(got, test.want) {
			t.Errorf("to %d: %q, want %q", test.to, got, test.want)
		}
	}
	if to, err := line.back(1); to != 11 || err != nil {
		t.Errorf("back 1: %d, %v", to, err)
	}
	if _, err := line.back(2); ikigai.KindOf(err) != ikigai.ErrorUsage {
		t.Errorf("back 2 over a clear: %v", err)
	}

	line.Add(ikigai.Event{Seq: 13, Kind: ikigai.KindRewind, Interaction: ikigai.Main, Data: []byte(`{"to":10}`)})
	if got := line.dropped(5); !slices.Equal(got, []string{"three"}) {
		t.Errorf("from 13 to 5: %q", got)
	}
	if got := line.dropped(7); !slices.Equal(got, []string{"three"}) {
		t.Errorf("from 13 to 7, on another branch: %q", got)
	}
	if to, err := line.back(2); to != 1 || err != nil {
		t.Errorf("back 2: %d, %v", to, err)
	}
	for text, want := range map[string]ikigai.Seq{"m": 5, "7": 7, "#13": 13} {
		if seq, _, err := line.place(text); seq != want || err != nil {
			t.Errorf("place %s: %d, %v", text, seq, err)
		}
	}
	for _, text := range []string{"0", "-1", "14", "x", "#", ""} {
		if _, _, err := line.place(text); ikigai.KindOf(err) != ikigai.ErrorUsage {
			t.Errorf("place %q: %v", text, err)
		}
	}
}
