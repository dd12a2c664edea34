package history

import (
	"strings"
	"testing"

	"ikigai"
)

func feedbackOf(text string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindFeedback, text, ikigai.FeedbackData{Turn: 1, Turns: 2})
}

// told returns the feedback on each result of a conversation.
func toldOf(messages []ikigai.Message) string {
	var all []string
	for _, m := range messages {
		if m.Result != nil {
			all = append(all, m.Result.Output+"="+m.Result.Feedback)
		}
	}
	return strings.Join(all, " ")
}

// D17, S4.18, S4.19: the feedback of a round stands on its last result in call
// order, and nowhere else.
func TestFeedback(t *testing.T) {
	round := []ikigai.Event{user("u"), call("a", "{}"), call("b", "{}"), result("b", "B"), result("a", "A")}
	for name, c := range map[string]struct {
		events []ikigai.Event
		want   string
	}{
		"after a round":        {append(round[:5:5], feedbackOf("f")), "A= B=f"},
		"in a round":           {append(round[:4:4], feedbackOf("f"), round[4]), "A= B="},
		"after the answer":     {append(round[:5:5], assistant("x"), feedbackOf("f")), "A= B="},
		"before anything":      {append([]ikigai.Event{feedbackOf("f")}, round...), "A= B="},
		"after a clear":        {append(round[:5:5], cleared(), feedbackOf("f")), ""},
		"of another":           {append(round[:5:5], aside("task-1", feedbackOf("f"))), "A= B="},
		"blank":                {append(round[:5:5], feedbackOf(" \n")), "A= B="},
		"rewound to before it": {append(round[:5:5], feedbackOf("f"), rewoundTo(5)), "A= B="},
		"rewound to it":        {append(round[:5:5], feedbackOf("f"), user("x"), rewoundTo(6)), "A= B=f"},
		"of each round": {append(round[:5:5], feedbackOf("f"), call("c", "{}"), result("c", "C"), feedbackOf("g")),
			"A= B=f C=g"},
		"in quarantine": {append(round[:5:5], feedbackOf("f"), ikigai.NewEvent(ikigai.KindQuarantine, "", ikigai.QuarantineData{Seq: 4, Whole: true})),
			"A= " + standIn + "=f"},
	} {
		line := New(ikigai.Main)
		for i, e := range c.events {
			line.Add(at(ikigai.Seq(i+1), e))
		}
		if got := toldOf(line.Request().Messages); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// P27: feedback that comes before the next request leaves the prefix alone; a
// result that was sent without it is sent with a new memo.
func TestFeedbackAndThePrefix(t *testing.T) {
	for _, sent := range []bool{false, true} {
		line := New(ikigai.Main)
		add := func(events ...ikigai.Event) {
			for _, e := range events {
				line.Add(at(ikigai.Seq(len(line.steps)+1), e))
			}
		}
		add(user("u"), call("a", "{}"), result("a", "A"))
		before := line.memo
		if sent {
			before = line.Request().Memo
		}
		add(feedbackOf("f"))
		if after := line.Request().Memo; (after == before) == sent {
			t.Errorf("sent without it: %v, the same memo: %v", sent, after == before)
		}
	}
}
