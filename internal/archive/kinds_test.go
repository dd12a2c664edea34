package archive

import (
	"testing"

	"ikigai"
)

// What happens beside a conversation, and what is sent in fewer words, comes
// through an archive whole: interactions keep their names, and data its bytes.
func TestSideInteractionsRoundTrip(t *testing.T) {
	side := func(e ikigai.Event) ikigai.Event {
		e.Interaction = "task-3"
		return e
	}
	from, to, id := newMemory(), newMemory(), newID()
	fill(t, from, id, user("go"),
		side(ikigai.NewEvent(ikigai.KindInteraction, "Look", ikigai.InteractionData{Purpose: ikigai.PurposeTask, Parent: ikigai.Main, CallID: "d", Model: "a/b"})),
		side(user("look")),
		ikigai.NewEvent(ikigai.KindTitle, "A title", ikigai.ObjectiveData{By: ikigai.ByPerson}),
		ikigai.NewEvent(ikigai.KindGoal, "A goal", ikigai.ObjectiveData{By: ikigai.ByModel}),
		ikigai.NewEvent(ikigai.KindObjective, "An objective", ikigai.ObjectiveData{Statement: 2, By: ikigai.ByModel}),
		ikigai.NewEvent(ikigai.KindFeedback, "Turn 1/50", ikigai.FeedbackData{Turn: 1, Turns: 50, Tools: []ikigai.ToolTally{{Name: "bash", Failed: 1}}}),
		ikigai.NewEvent(ikigai.KindProjection, "", ikigai.ProjectionData{Model: "a/b", Reason: ikigai.FitBudget, Before: 9, After: 3,
			Trimmed: []ikigai.TrimmedResult{{Seq: 3, File: "/tmp/x"}}, Summary: &ikigai.SummaryData{To: 2, Text: "s", Interaction: "summary-8"}}))
	if report := read(t, write(t, from, WriteOptions{}, id), to, ReadOptions{}); report.Added != 9 {
		t.Errorf("report %+v", report)
	}
	same(t, from, to, id)
	interactions := map[string]int{}
	for e, err := range to.Events(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		interactions[e.Interaction]++
	}
	if interactions["task-3"] != 2 || interactions[ikigai.Main] != 7 {
		t.Errorf("interactions %v", interactions)
	}
}
