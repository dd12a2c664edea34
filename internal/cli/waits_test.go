package cli

import (
	"testing"
	"time"

	"ikigai"
)

// While several calls of a reply have no result, the first of them is what runs.
func TestWhatIsWaitedFor(t *testing.T) {
	call := func(id string) ikigai.Event {
		return ikigai.Message{Kind: ikigai.KindToolCall, Content: "bash(" + id + ")",
			Call: &ikigai.ToolCall{ID: id, Name: "bash"}}.Event()
	}
	result := func(id string) ikigai.Event {
		return ikigai.Message{Kind: ikigai.KindToolResult, Result: &ikigai.ToolResult{CallID: id, Name: "bash"}}.Event()
	}
	side := func(p ikigai.Purpose, parent string) ikigai.Event {
		e := ikigai.NewEvent(ikigai.KindInteraction, "", ikigai.InteractionData{Purpose: p, Parent: parent})
		e.Interaction = string(p) + "-9"
		return e
	}
	var w waits
	for _, step := range []struct {
		event ikigai.Event
		what  string
	}{
		{ikigai.NewEvent(ikigai.KindUser, "go", nil), "waiting for the model"},
		{call("1"), "running bash(1)"},
		{call("2"), "running bash(1)"},
		{ikigai.NewEvent(ikigai.KindUsage, "", nil), "running bash(1)"},
		{result("1"), "running bash(2)"},
		{result("2"), "waiting for the model"},
		{call("3"), "running bash(3)"},
		{ikigai.NewEvent(ikigai.KindUser, "go on", nil), "waiting for the model"},
		{side(ikigai.PurposeSummary, "task-7"), "waiting for the model"},
		{side(ikigai.PurposeObjective, ikigai.Main), "waiting for the model"},
		{side(ikigai.PurposeSummary, ikigai.Main), "summing up the conversation"},
		{ikigai.NewEvent(ikigai.KindObjective, "Go", nil), "summing up the conversation"},
		{ikigai.NewEvent(ikigai.KindProjection, "fewer words", nil), "waiting for the model"},
		{side(ikigai.PurposeCommit, ikigai.Main), "writing the commit message"},
	} {
		w.progress = []byte("printed")
		w.awaits(step.event)
		if w.what() != step.what {
			t.Errorf("after %s %s: %q, want %q", step.event.Kind, step.event.Content, w.what(), step.what)
		}
		if step.event.Kind == ikigai.KindToolResult && w.progress != nil {
			t.Error("what a tool printed is shown again after its result")
		}
	}
	if w.quiet(); w.since != (time.Time{}) {
		t.Error("something is waited for")
	}
}
